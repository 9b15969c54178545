import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Check, CheckStatus } from '../../src/core/check.ts';
import type { SessionId } from '../../src/core/ids.ts';
import type { SessionRecord } from '../../src/core/session.ts';
import { createSession } from '../../src/store/claim.ts';
import { ensureStateDir } from '../../src/store/locate.ts';
import { onScreen, type Screen, type ScreenOptions } from './context.ts';
import { placeForTests } from './place.ts';
import { removeTree } from './remove.ts';
import { RECORD, requestOf } from './store.ts';

/** What `doctor --json` said, by the names of the checks. */
export interface Diagnosis {
  readonly code: number;
  readonly ok: boolean;
  readonly checks: Readonly<Record<string, Omit<Check, 'name'>>>;
  /** The names of the checks with that status, but for those about the machine that the tests run on. */
  named(status: CheckStatus): string[];
}

/** A project to call `doctor` in: a repository with a healthy Codex, whose store can be filled without an agent. */
export interface Patient {
  readonly base: string;
  readonly directory: string;
  readonly env: Record<string, string | undefined>;
  /** The state directory, there once a session is. */
  readonly root: string;
  readonly seals: string;
  /** Puts another script in the place of Codex; `$*` is what it is asked. */
  codex(script: string): void;
  /** Creates a session that was claimed and never launched; its directory. */
  session(id: string, record?: Partial<SessionRecord>): string;
  diagnose(options?: ScreenOptions, argv?: readonly string[]): Promise<Diagnosis>;
  screen(options?: ScreenOptions): Promise<Screen>;
}

const OF_MACHINE = ['file-system', 'free-space'];

/** Answers what `doctor` asks of Codex, in the words of 0.169. */
export const HEALTHY_CODEX = `case $* in
  --version) echo codex-cli 0.169.0 ;;
  'login status') echo 'Logged in using ChatGPT' >&2 ;;
  sandbox*) exit 0 ;;
  *) echo "error: unrecognized subcommand" >&2; exit 2 ;;
esac`;

/**
 * A healthy project, removed when the test ends; no process runs in it. Not in the usual temporary directory: every
 * agent may write there, and doctor says so.
 */
export function createPatient(): Patient {
  const base = realpathSync(mkdtempSync(join(placeForTests([]), 'zwarm-patient-')));
  onTestFinished(() => removeTree(base));
  const [directory, home] = [join(base, 'project'), join(base, 'home')];
  for (const path of [directory, home, join(directory, '.git')]) mkdirSync(path);
  writeFileSync(join(directory, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const codex = join(base, 'codex');
  const root = join(directory, '.zwarm');
  const seals = join(home, '.local', 'state', 'zwarm', 'seals');
  const patient: Patient = {
    base,
    directory,
    env: { PATH: process.env['PATH'], HOME: home, ZWARM_CODEX_BIN: codex },
    root,
    seals,
    codex: (script) => writeFileSync(codex, `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    session(id, record = {}) {
      ensureStateDir(root, 'patient');
      const claim = { request: requestOf(`nonce-of-${id}`), prompt: Buffer.from('hello') };
      createSession(root, seals, id as SessionId, { ...RECORD, working_dir: directory, ...record }, claim);
      return join(root, 'sessions', id);
    },
    async diagnose(options = {}, argv = []) {
      const { code, stdout, stderr } = await onScreen(patient, ['doctor', '--json', ...argv], options);
      expect(stderr).toBe('');
      const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
      return {
        code,
        ok,
        checks: Object.fromEntries(checks.map(({ name, ...found }) => [name, found])),
        named: (status) =>
          checks.flatMap((check) =>
            check.status === status && !OF_MACHINE.includes(check.name) ? check.name : [],
          ),
      };
    },
    screen: (options) => onScreen(patient, ['doctor'], options),
  };
  patient.codex(HEALTHY_CODEX);
  return patient;
}
