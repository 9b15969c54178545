import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Check, CheckStatus } from '../../src/core/check.ts';
import type { SessionId } from '../../src/core/ids.ts';
import { storeDir } from '../../src/store/project-store.ts';
import type { SessionRecord } from '../../src/store/records.ts';
import { onScreen, type Screen, type ScreenOptions } from './context.ts';
import { emptyDirectory } from './directory.ts';
import { addSession, storeOf } from './store.ts';

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
  readonly state: string;
  /** The store, there once a session is. */
  readonly root: string;
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
 * A healthy project, removed when the test ends; no process runs in it.
 */
export function createPatient(): Patient {
  const base = emptyDirectory();
  const [directory, home, tmp] = [join(base, 'project'), join(base, 'home'), join(base, 'tmp')];
  const git = join(directory, '.git');
  for (const path of [directory, home, tmp, git]) mkdirSync(path);
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  const codex = join(base, 'codex');
  const state = join(home, '.local', 'state', 'zwarm');
  const root = storeDir(state, git);
  const patient: Patient = {
    base,
    directory,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: tmp, ZWARM_CODEX_BIN: codex },
    state,
    root,
    codex: (script) => writeFileSync(codex, `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    session(id, record = {}) {
      addSession(storeOf(state, git), id as SessionId, { record: { working_dir: directory, ...record } });
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
