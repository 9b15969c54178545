import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Check, CheckStatus } from '../../src/core/check.ts';
import type { SessionId } from '../../src/core/ids.ts';
import { storeDir } from '../../src/store/project-store.ts';
import type { SessionRecord } from '../../src/store/records.ts';
import { onScreen, type ScreenOptions } from './context.ts';
import { emptyDirectory } from './directory.ts';
import type { Project } from './project.ts';
import { addSession, storeOf } from './store.ts';

/** What `doctor --json` said, by the names of the checks. */
interface Diagnosis {
  readonly code: number;
  readonly ok: boolean;
  readonly checks: Readonly<Record<string, Omit<Check, 'name'>>>;
  /** The names of the checks with that status, but for those about the machine that the tests run on. */
  named(status: CheckStatus): string[];
}

/** About the machine that the tests run on, and agents that may be there. */
const OF_MACHINE = /^(claude|confinement|file-system|free-space|opencode)/;

/** Answers what `doctor` asks of Codex, in the words of 0.169. */
const HEALTHY_CODEX = `case $* in
  --version) echo codex-cli 0.169.0 ;;
  'login status') echo 'Logged in using ChatGPT' >&2 ;;
  sandbox*) exit 0 ;;
  *) echo "error: unrecognized subcommand" >&2; exit 2 ;;
esac`;

/** A repository with a healthy Codex to call `doctor` in, whose store can be filled without an agent or any process. */
export function createPatient() {
  const base = emptyDirectory();
  const [directory, home, tmp] = [join(base, 'project'), join(base, 'home'), join(base, 'tmp')];
  const git = join(directory, '.git');
  for (const path of [directory, home, tmp, git]) mkdirSync(path);
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  const codex = join(base, 'codex');
  const state = join(home, '.local', 'state', 'zwarm');
  const root = storeDir(state, git);
  const env: Project['env'] = { PATH: process.env['PATH'], HOME: home, TMPDIR: tmp, ZWARM_CODEX_BIN: codex };
  const setCodex = (script: string): void => writeFileSync(codex, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  setCodex(HEALTHY_CODEX);
  return {
    base,
    directory,
    env,
    state,
    /** The store, there once a session is. */
    root,
    /** Puts another script in the place of Codex; `$*` is what it is asked. */
    codex: setCodex,
    /** Creates a session that was claimed and never launched; its directory. */
    session(id: string, record: Partial<SessionRecord> = {}): string {
      addSession(storeOf(state, git), id as SessionId, { record: { working_dir: directory, ...record } });
      return join(root, 'sessions', id);
    },
    async diagnose(options: ScreenOptions = {}, argv: readonly string[] = []): Promise<Diagnosis> {
      const { code, stdout, stderr } = await onScreen(
        { directory, env },
        ['doctor', '--json', ...argv],
        options,
      );
      expect(stderr).toBe('');
      const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
      return {
        code,
        ok,
        checks: Object.fromEntries(checks.map(({ name, ...found }) => [name, found])),
        named: (status) =>
          checks.flatMap((check) =>
            check.status === status && !OF_MACHINE.test(check.name) ? check.name : [],
          ),
      };
    },
    screen: (options?: ScreenOptions) => onScreen({ directory, env }, ['doctor'], options),
  };
}
