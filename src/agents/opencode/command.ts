import { digest } from '../../core/digest.ts';
import type { CommandSpec, TurnRequest } from '../agent.ts';

type Rule = 'allow' | 'deny';
type Rules = Readonly<Record<string, Rule | Readonly<Record<string, Rule>>>>;

/** The last rule that fits counts: what the user's configuration says after one for `*` stays; a bare word would replace it. */
const ALLOWED: Rules[string] = { '*': 'allow' };
/** For the same call several times at once: a refusal would end the turn. */
const REPEATED: Rules = { doom_loop: 'allow' };

/**
 * What opencode itself lets its model do (1.18.33): rules of its own, not a sandbox. A shell command that they let pass can
 * do whatever the user can. Where zwarm confines the process, a command may run and what lies elsewhere may be read.
 */
function rulesOf({ sandbox, confined }: TurnRequest): Rules {
  const unlessFree = confined ? ALLOWED : 'deny';
  switch (sandbox) {
    case 'read-only':
      return { ...REPEATED, edit: 'deny', bash: unlessFree, external_directory: unlessFree };
    case 'workspace-write': {
      const elsewhere = confined ? ALLOWED : ({ '*': 'deny', '/tmp/*': 'allow' } as const);
      return { ...REPEATED, edit: ALLOWED, bash: ALLOWED, external_directory: elsewhere };
    }
    case 'danger-full-access':
      return REPEATED;
  }
}

/**
 * The rules of a single agent win over those for all. So what is denied is denied to opencode's own agents once more, and
 * those of them that only read do not get to write. Agents of the user's configuration keep what it says of them.
 */
function agentsOf({ sandbox }: TurnRequest, rules: Rules): Readonly<Record<string, { permission: Rules }>> {
  if (sandbox === 'danger-full-access') return {};
  const denied = Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule === 'deny'));
  const reads = { permission: { ...denied, edit: 'deny' } } as const;
  const works = { permission: denied };
  return { build: works, general: works, plan: reads, explore: reads };
}

/** A part of the configuration: it goes before all of the user's own, and after that of an administrator. */
function configurationOf(turn: TurnRequest): object {
  const rules = rulesOf(turn);
  return {
    permission: rules,
    agent: agentsOf(turn, rules),
    // What would have to be asked for is refused; without this, that would end the turn as if all were well.
    experimental: { continue_loop_on_deny: true },
    mcp: { zwarm: { enabled: false } },
    // A repository of git, whose hooks opencode runs: no place that a confined agent may write.
    ...(turn.confined && { snapshot: false }),
  };
}

/**
 * Where a confined opencode keeps the conversations of a directory, below its data: not among the user's, as there it also
 * keeps accounts, whose configuration it fetches and obeys.
 */
export function confinedDatabase(directory: string): { readonly directory: string; readonly file: string } {
  const own = `zwarm/${digest(directory).slice(0, 16)}`;
  return { directory: own, file: `${own}/opencode.db` };
}

/**
 * `opencode run --format json --thinking --dir DIR [-m M] [--session OLD [--fork]] [--auto] …`, the prompt on stdin. It
 * works in `PWD`, whatever its directory is. What its environment says of permissions would go before ours; an own
 * `OPENCODE_CONFIG_CONTENT` of the user is replaced. Its log says more about failures than its stream.
 */
export function opencodeCommand(turn: TurnRequest): CommandSpec {
  const { workingDir, model, threadId, forks, sandbox, confined, agentArgs } = turn;
  return {
    args: [
      ...['run', '--format', 'json', '--thinking', '--dir', workingDir],
      ...(model === null ? [] : ['-m', model]),
      ...(threadId === null ? [] : ['--session', threadId, ...(forks ? ['--fork'] : [])]),
      ...(sandbox === 'danger-full-access' ? ['--auto'] : []),
      ...agentArgs,
    ],
    env: {
      PWD: workingDir,
      OPENCODE_CONFIG_CONTENT: JSON.stringify(configurationOf(turn)),
      OPENCODE_PERMISSION: undefined,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_PRINT_LOGS: '1',
      OPENCODE_LOG_LEVEL: 'ERROR',
      ...(confined && { OPENCODE_DB: confinedDatabase(workingDir).file }),
    },
  };
}
