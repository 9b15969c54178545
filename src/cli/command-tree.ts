import { completeVerb } from './commands/complete.ts';
import { dispatch } from './commands/dispatch.ts';
import { limit } from './commands/limit.ts';
import { notify } from './commands/notify.ts';
import { setUp } from './commands/set-up.ts';
import { settle } from './commands/settle.ts';
import { flag, type Values, type VerbDefinition, value } from './define-verb.ts';
import type { CommandPage } from './help/help-page.ts';
import { directory, oneOf } from './parsers.ts';
import { VERB_GROUPS } from './verbs.ts';

/** What every verb takes. */
export const GLOBAL_OPTIONS = {
  project: value('--project <dir>', 'work in the project of this directory', directory),
  stateDir: value('--state-dir <dir>', 'keep everything in this directory (also: ZWARM_DIR)', directory),
  color: value(
    '--color <when>',
    'auto, always or never (default: auto)',
    oneOf('color', ['auto', 'always', 'never']),
  ),
};

/** What was given for `GLOBAL_OPTIONS`. */
export type GlobalOptions = Values<typeof GLOBAL_OPTIONS>;

/** The options that stand in the help of every command. */
export const SHARED_OPTIONS = { ...GLOBAL_OPTIONS, help: flag('-h, --help', 'print help') };

/** The command `zwarm` itself. */
export const PROGRAM: CommandPage = {
  path: 'zwarm',
  groups: VERB_GROUPS,
  globals: { ...SHARED_OPTIONS, version: flag('-V, --version', 'print the version') },
  definition: {
    name: 'zwarm',
    summary:
      'Run coding agents such as Codex and Claude Code in the background, and always know how each of them stands',
    notes: `
A session is a conversation with one agent; each message begins a turn. It is named by its id or the first 3 characters of
that, its name, or its place in zwarm ls: @last (the first), @last~1 (the next), @here (the first that works in this
directory), @running (the first that runs), @failed (the first that failed).

zwarm COMMAND --help has all options of a command, and examples.`,
    examples: [
      ['zwarm demo', 'see it at work, without an account'],
      ['zwarm start "fix the failing tests"', 'start an agent, print its id'],
      ['zwarm ls', 'what runs, and what has ended'],
      ['zwarm logs -f @last', 'what the agent does, as it happens'],
      ['zwarm show @last', 'the conversation'],
      ['zwarm inject @last "now the docs too"', 'the next message'],
      ['zwarm kill @last', 'end it'],
    ],
  },
};

/** Every verb; the last ones are for programs. */
export const VERBS: readonly VerbDefinition[] = [
  ...VERB_GROUPS.flatMap(({ verbs }) => verbs),
  dispatch,
  notify,
  settle,
  limit,
  setUp,
  completeVerb(() => ({ ...PROGRAM, verbs: VERBS })),
];
