import { clean } from './commands/clean.ts';
import { compact } from './commands/compact.ts';
import { config } from './commands/config.ts';
import { demo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { fork } from './commands/fork.ts';
import { inject } from './commands/inject.ts';
import { kill } from './commands/kill.ts';
import { logs } from './commands/logs.ts';
import { ls } from './commands/ls.ts';
import { mcp } from './commands/mcp.ts';
import { name } from './commands/name.ts';
import { orchestrate } from './commands/orchestrate.ts';
import { relocate } from './commands/relocate.ts';
import { rewind } from './commands/rewind.ts';
import { rm } from './commands/rm.ts';
import { settle } from './commands/settle.ts';
import { show } from './commands/show.ts';
import { start } from './commands/start.ts';
import { trajectory } from './commands/trajectory.ts';
import { wait } from './commands/wait.ts';
import type { VerbDefinition } from './define-verb.ts';

/** Every verb, in the order of the help. */
export const VERBS: readonly VerbDefinition[] = [
  start,
  ls,
  show,
  logs,
  trajectory,
  inject,
  fork,
  rewind,
  compact,
  name,
  wait,
  kill,
  rm,
  clean,
  relocate,
  orchestrate,
  mcp,
  doctor,
  config,
  demo,
  settle,
];
