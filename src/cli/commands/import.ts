import { usageError } from '../../core/errors.ts';
import type { Imported, TellProgress } from '../../manager/commands/import.ts';
import { noteSeen } from '../await-answer.ts';
import { QUIET_IDS } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { argument, defineVerb, flag, value } from '../define-verb.ts';
import { forEachRef, type Outcome, reportOutcomes } from '../each.ts';
import { duration, text } from '../parsers.ts';
import { CLEAR } from '../terminal/live-line.ts';

async function printThreads({ manager, context, style, print, hint }: Verb): Promise<void> {
  const threads = await manager.importable({ here: true });
  const { threadColumns, threadRow } = await import('../../render/threads.ts');
  const { stdout } = context;
  if (!stdout.isTTY) {
    for (const thread of threads) print(threadRow(thread, context.now()).join('\t'));
    return;
  }
  if (threads.length === 0)
    return hint('nothing to import works here or below; all of it: zwarm import --all');
  const { renderTable } = await import('../../render/table.ts');
  stdout.write(renderTable(threadColumns(threads, context.now()), await style('stdout')));
  hint('import one: zwarm import THREAD; the newest: --newest; all of these: --here');
}

const REDRAW_MS = 500;

/** Shows on a terminal how far a long import has come, in a line that is redrawn. */
function showProgress({ context: { stderr, now } }: Verb) {
  let shown = '';
  let atMs = now();
  return {
    tell(part: number): void {
      if (!stderr.isTTY || now() - atMs < REDRAW_MS) return;
      atMs = now();
      shown = `importing: ${Math.floor(part * 100)} %`;
      stderr.write(CLEAR + shown);
    },
    clear(): void {
      if (shown !== '') stderr.write(CLEAR);
    },
  };
}

/** What is to be imported, each with how it is called and what imports it. */
async function wanted(
  { manager, context }: Verb,
  what: readonly string[],
  { newest, here, all, since }: { newest: boolean; here: boolean; all: boolean; since: number | undefined },
): Promise<ReadonlyMap<string, (tell: TellProgress) => Promise<Imported>>> {
  const found = new Map<string, (tell: TellProgress) => Promise<Imported>>();
  for (const text of what) {
    const sessions = await manager.pythonSessions(text);
    if (sessions === null) found.set(text, (tell) => manager.importThread(text, tell));
    else if (sessions.length === 0)
      throw usageError(`${text} holds no sessions of the Python zwarm`, 'see: zwarm import --help');
    else for (const one of sessions) found.set(one.id, () => manager.importPython(one));
  }
  if (!newest && !here && !all) return found;
  const sinceMs = since === undefined ? undefined : context.now() - since;
  const threads = await manager.importable({ here: !all, sinceMs });
  for (const { thread_id: id, file } of newest ? threads.slice(0, 1) : threads)
    found.set(id, (tell) => manager.importThread(file, tell));
  return found;
}

async function tell(verb: Verb, imported: Imported) {
  const { id, agent, turns, added, is_new: isNew, how, project, warnings } = imported;
  const { safeLine } = await import('../../render/text/safe-text.ts');
  const { counted } = await import('../../render/text/units.ts');
  const where = safeLine(project);
  for (const warning of warnings) verb.warn(warning);
  const goesOn = how === 'native' ? `goes on in ${agent}'s own thread` : 'is told anew what was said';
  verb.context.stderr.write(
    isNew
      ? `${counted(turns, 'turn')} of ${agent} imported into ${where}; its next message ${goesOn}: zwarm inject ${id} "…"\n`
      : `${id} is that session already, of ${where}${added === 0 ? '' : `; ${counted(added, 'turn')} said since added`}\n`,
  );
}

/** `zwarm import` */
export const importVerb = defineVerb({
  name: 'import',
  summary: 'import conversations that agents had without zwarm',
  args: {
    what: argument('[what...]', 'threads, session files, or directories of a Python zwarm', text('file')),
  },
  options: {
    newest: flag('--newest', 'the newest thread that works in this directory or below', ['here', 'all']),
    here: flag('--here', 'all threads that work in this directory or below', ['all']),
    all: flag('-a, --all', 'all threads of all directories'),
    since: value('--since <time>', 'only threads that went on in the last 45s, 10m, 2h, 3d', duration),
    quiet: QUIET_IDS,
    json: flag('--json', 'print an array as JSON'),
  },
  notes: `
Without arguments it lists the threads of Codex and Claude Code that work in this directory or below, newest first.

A thread becomes a session of the project of its own directory, with its messages, commands, times and tokens; the agent's
own file stays as it is, and zwarm inject goes on in it. Importing it again adds what was said since.`,
  examples: [
    ['zwarm import', 'what can be imported here'],
    'zwarm import --newest',
    'zwarm import --all --since 7d',
    ['zwarm import ../old-project', 'what the Python zwarm has left there'],
  ],
  async run(verb, { what }, { quiet, json, ...which }) {
    const isAny = which.newest || which.here || which.all;
    if (which.since !== undefined && !isAny)
      throw usageError('--since needs --here or --all', 'zwarm import --all --since 7d');
    if (isAny && what.length > 0)
      throw usageError('give either threads or --newest, --here, --all', 'see: zwarm import --help');
    if (!isAny && what.length === 0) {
      if (json) return verb.printJson(await verb.manager.importable({ here: true }));
      return printThreads(verb);
    }
    const imports = await wanted(verb, what, which);
    if (imports.size === 0) verb.hint('nothing to import');
    const outcomes: Outcome<Imported>[] = [];
    // One after the other: each holds a turn in memory.
    for (const [ref, run] of imports) {
      const progress = showProgress(verb);
      const [outcome] = await forEachRef([ref], () => run(progress.tell));
      progress.clear();
      if (outcome === undefined) continue;
      outcomes.push(outcome);
      if ('error' in outcome) continue;
      const { id, turns, is_new: isNew } = outcome.value;
      // It ended elsewhere, for others to notice.
      if (isNew) await noteSeen(verb, id, turns);
      if (json) continue;
      verb.print(id);
      if (!quiet) await tell(verb, outcome.value);
    }
    reportOutcomes(verb, outcomes, json);
  },
});
