import { agents } from './commands/agents.ts';
import { answer } from './commands/answer.ts';
import { apply } from './commands/apply.ts';
import { clean } from './commands/clean.ts';
import { compact } from './commands/compact.ts';
import { compare } from './commands/compare.ts';
import { completion } from './commands/completion.ts';
import { config } from './commands/config.ts';
import { demo } from './commands/demo.ts';
import { diff } from './commands/diff.ts';
import { digest } from './commands/digest.ts';
import { doctor } from './commands/doctor.ts';
import { events } from './commands/events.ts';
import { exec } from './commands/exec.ts';
import { exportVerb } from './commands/export.ts';
import { fork } from './commands/fork.ts';
import { history } from './commands/history.ts';
import { importVerb } from './commands/import.ts';
import { inject } from './commands/inject.ts';
import { kill } from './commands/kill.ts';
import { land } from './commands/land.ts';
import { logs } from './commands/logs.ts';
import { ls } from './commands/ls.ts';
import { mcp } from './commands/mcp.ts';
import { name } from './commands/name.ts';
import { open } from './commands/open.ts';
import { orchestrate } from './commands/orchestrate.ts';
import { pack } from './commands/pack.ts';
import { path } from './commands/path.ts';
import { queue } from './commands/queue.ts';
import { relocate } from './commands/relocate.ts';
import { restore } from './commands/restore.ts';
import { review } from './commands/review.ts';
import { rewind } from './commands/rewind.ts';
import { rm } from './commands/rm.ts';
import { search } from './commands/search.ts';
import { show } from './commands/show.ts';
import { start } from './commands/start.ts';
import { trajectory } from './commands/trajectory.ts';
import { undo } from './commands/undo.ts';
import { unpack } from './commands/unpack.ts';
import { usage } from './commands/usage.ts';
import { wait } from './commands/wait.ts';
import { wake } from './commands/wake.ts';
import type { VerbGroup } from './help/help-page.ts';

/** The verbs that people use, grouped as the help shows them. */
export const VERB_GROUPS: readonly VerbGroup[] = [
  { title: 'Every day', verbs: [start, ls, show, answer, logs, inject, wait, kill] },
  { title: 'Conversations', verbs: [trajectory, search, fork, rewind, compact, name, usage] },
  { title: 'Files', verbs: [diff, review, undo, compare, land, apply, path, exec] },
  { title: 'Import and export', verbs: [importVerb, open, history, exportVerb, pack, unpack] },
  { title: 'Queue and reports', verbs: [queue, digest, events, wake] },
  { title: 'Cleaning up', verbs: [rm, clean, restore, relocate] },
  { title: 'For language models', verbs: [orchestrate, mcp] },
  { title: 'Setting up', verbs: [demo, agents, doctor, config, completion] },
];
