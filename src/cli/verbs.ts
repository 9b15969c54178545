import type { Command } from 'commander';
import type { Verb } from './context.ts';

/** Adds to a command what is not in the outline of its verb: its options, and an action that runs with what `Verb` offers. */
export type DefineVerb = (command: Command, verb: Verb) => Command;

/** What the help of all verbs tells of one, and where the rest of it is: a command line loads the verbs that it names. */
export interface VerbOutline {
  readonly description: string;
  readonly aliases?: readonly string[];
  /** As `<id>` or `[task]`, and what it is. */
  readonly args?: Readonly<Record<string, string>>;
  /** No help tells of it. */
  readonly hidden?: true;
  load(): Promise<DefineVerb>;
}

/** In the order of the help. */
export const VERBS: Readonly<Record<string, VerbOutline>> = {
  start: {
    description: 'start an agent on a task, in the background, and print the id of its session',
    args: { '[task]': 'what to do; - reads it from stdin' },
    load: async () => (await import('./commands/start.ts')).startCommand,
  },
  ls: {
    description: 'list sessions, newest first: all that run, and the newest 20',
    aliases: ['list', 'ps'],
    load: async () => (await import('./commands/ls.ts')).lsCommand,
  },
  show: {
    description: 'show a session: how it stands, and its conversation with all that was done',
    args: { '<id>': 'id, name, prefix of an id, or @last' },
    load: async () => (await import('./commands/show.ts')).showCommand,
  },
  logs: {
    description: 'print what agents do, step by step as it comes',
    args: { '<id...>': 'ids, names, prefixes of ids, or @last' },
    load: async () => (await import('./commands/logs.ts')).logsCommand,
  },
  trajectory: {
    description: 'list what the agent of a session did, step by step',
    args: { '<id>': 'id, name, prefix of an id, or @last' },
    load: async () => (await import('./commands/trajectory.ts')).trajectoryCommand,
  },
  inject: {
    description: 'give a session its next message',
    args: {
      '<id>': 'id, name, prefix of an id, or @last',
      '[message]': 'what to say; - reads it from stdin',
    },
    load: async () => (await import('./commands/inject.ts')).injectCommand,
  },
  fork: {
    description: 'create a session that begins as another one was',
    args: {
      '<id>': 'id, name, prefix of an id, or @last',
      '[message]': 'its first own message; - reads it from stdin',
    },
    load: async () => (await import('./commands/fork.ts')).forkCommand,
  },
  rewind: {
    description: 'wind a conversation back to an earlier turn',
    args: { '<id>': 'id, name, prefix of an id, or @last' },
    load: async () => (await import('./commands/rewind.ts')).rewindCommand,
  },
  compact: {
    description: 'let a conversation go on from a summary of it',
    args: { '<id>': 'id, name, prefix of an id, or @last' },
    load: async () => (await import('./commands/compact.ts')).compactCommand,
  },
  wait: {
    description: 'wait until sessions are at rest',
    args: { '<id...>': 'ids, names, prefixes of ids, or @last' },
    load: async () => (await import('./commands/wait.ts')).waitCommand,
  },
  kill: {
    description: 'stop running sessions',
    aliases: ['stop'],
    args: { '[id...]': 'ids, names, prefixes of ids (4 characters or more), or @last' },
    load: async () => (await import('./commands/kill.ts')).killCommand,
  },
  rm: {
    description: 'delete sessions that are not running',
    args: { '<id...>': 'ids, names, prefixes of ids (4 characters or more), or @last' },
    load: async () => (await import('./commands/rm.ts')).rmCommand,
  },
  clean: {
    description: 'delete sessions that ended long ago',
    load: async () => (await import('./commands/clean.ts')).cleanCommand,
  },
  orchestrate: {
    description: 'start an agent that reaches a goal with the help of other agents',
    args: { '[goal]': 'what to reach; - reads it from stdin' },
    load: async () => (await import('./commands/orchestrate.ts')).orchestrateCommand,
  },
  mcp: {
    description: 'give a language model the tools to run sessions',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  doctor: {
    description: 'check that all that zwarm needs is there and sound, and say what to do',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  config: {
    description: 'see and change what is configured, and say whom to trust',
    load: async () => (await import('./commands/config.ts')).configCommand,
  },
  demo: {
    description:
      'see a day of zwarm in ten seconds: real sessions with the embedded demo agent, in a temporary directory',
    load: async () => (await import('./commands/demo.ts')).demoCommand,
  },
  settle: {
    description: 'record how a turn ended',
    hidden: true,
    load: async () => (await import('./commands/settle.ts')).settleCommand,
  },
};
