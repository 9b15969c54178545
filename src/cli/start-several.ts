import { toZwarmError, usageError } from '../core/errors.ts';
import { parseBatch } from '../core/rules/batch.ts';
import { shellWord } from '../core/shell-word.ts';
import type { StartOptions } from '../manager/launch/new-record.ts';
import type { StartedSession } from '../manager/launch/start-once.ts';
import { tellNotes } from './await-answer.ts';
import type { Verb } from './context.ts';
import { type Outcome, reportOutcomes } from './each.ts';
import { readTask, withTask } from './task-input.ts';

/** Which sessions are to be started: one for each agent and number, or one for each file. */
export interface Several {
  /** The argument and `-F` of the command line. */
  readonly argument: string | undefined;
  readonly file: string | undefined;
  readonly agents: readonly string[];
  readonly count: number;
  /** Files with a task each; `-` for lines of JSON on stdin. Null where they have one task. */
  readonly each: readonly string[] | null;
}

/** How to tell of them. */
interface Report {
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
}

type Session = Omit<StartOptions, 'task'>;

const MOST = 100;

/** The tasks of files, or of the lines on stdin, with what these ask for besides. @throws ZwarmError `usage` */
async function tasksOf({ context }: Verb, files: readonly string[]): Promise<readonly StartOptions[]> {
  const tasks: StartOptions[] = [];
  for (const file of files) {
    const text = await readTask(context, { argument: undefined, file, what: 'task', line: 'zwarm start' });
    const lines = file === '-' ? parseBatch(text) : [{ task: text, base: undefined }];
    for (const { base, ...line } of lines) {
      if (line.task.trim() === '') throw usageError(`a task of ${file} is empty`, 'say what to do');
      tasks.push({ ...line, worktree: base === undefined ? undefined : { base } });
    }
  }
  return tasks;
}

/** One task for all of them. */
function taskFor(verb: Verb, { argument, file }: Several, check: () => Promise<void>): Promise<string> {
  const source = { argument, file, what: 'task', line: 'zwarm start' } as const;
  return withTask(verb.context, source, { check, use: async (text) => text });
}

/** What all sessions have in common, and what is each one's own. @throws ZwarmError `usage` */
function combine(
  common: Session,
  own: readonly StartOptions[],
  agents: readonly string[],
): readonly StartOptions[] {
  if (own.length === 0) throw usageError('there is no task', 'give files with --each FILE, or lines of JSON');
  const kinds: readonly (string | undefined)[] = agents.length === 0 ? [undefined] : agents;
  const all = own.flatMap((one) => kinds.map((agent) => ({ ...one, agent: one.agent ?? agent })));
  if (all.length > MOST)
    throw usageError(`${all.length} sessions are too many`, `start at most ${MOST} at once`);
  const parts = all.map(({ name, worktree, ...one }, i) => {
    const numbered = common.name === undefined || all.length === 1 ? common.name : `${common.name}-${i + 1}`;
    if (worktree !== undefined && common.worktree === undefined)
      throw usageError('"base" is of a tree of its own', 'add -W, or leave it out');
    const tree = common.worktree && { ...common.worktree, ...worktree };
    return { ...common, ...one, name: name ?? numbered, worktree: tree };
  });
  const names = parts.flatMap(({ name }) => name ?? []);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw usageError(`two of the sessions are named ${twice}`, 'give each another name');
  return parts;
}

/** Refuses what only one session can have. @throws ZwarmError `usage` */
function requireSeparable(parts: readonly StartOptions[]): void {
  if (parts.length === 1) return;
  const [first] = parts;
  if (first?.key !== undefined)
    throw usageError('--key is of one session', 'leave it out, or start one at a time');
  if (first?.worktree?.branch !== undefined)
    throw usageError('each tree needs a branch of its own', 'leave --branch out: they are named zwarm/NAME');
}

async function planAll(verb: Verb, parts: readonly StartOptions[], { json }: Report): Promise<void> {
  const plans = [];
  for (const part of parts) plans.push(await verb.manager.planStart(part));
  if (json) return verb.printJson(plans);
  const { renderStartPlan } = await import('../render/row.ts');
  for (const plan of plans) verb.print(renderStartPlan(plan));
}

/**
 * Starts several sessions with one tag, or only tells what would be started. All of them are checked before the first one
 * begins; one that cannot begin after that stops no other. @throws ZwarmError
 */
export async function startSeveral(
  verb: Verb,
  several: Several,
  session: Session,
  report: Report,
): Promise<void> {
  const { manager, context } = verb;
  const { each, count, agents } = several;
  const own =
    each === null
      ? Array<StartOptions>(count).fill({
          task: await taskFor(verb, several, () => manager.checkStart(session)),
        })
      : await tasksOf(verb, each);
  const tags = session.tags ?? [`batch-${context.newId()}`];
  const parts = combine({ ...session, tags }, own, agents);
  requireSeparable(parts);
  if (report.dryRun) return planAll(verb, parts, report);
  for (const { task: _, ...part } of parts) await manager.checkStart(part);
  const outcomes: Outcome<object>[] = [];
  for (const [i, part] of parts.entries()) {
    const ref = part.name ?? String(i + 1);
    try {
      outcomes.push({ ref, value: await begin(verb, part, report) });
    } catch (error) {
      outcomes.push({ ref, error: toZwarmError(error) });
    }
  }
  reportOutcomes(verb, outcomes, report.json);
  verb.hint(`wait for them: zwarm wait --tag ${shellWord(tags[0] ?? '')}`);
}

/** Starts one of them and tells of it; its summary where that is asked for. */
async function begin(verb: Verb, part: StartOptions, { json, quiet }: Report): Promise<object> {
  const started: StartedSession = await verb.manager.start(part);
  tellNotes(verb, started, quiet);
  if (json) return { ...(await verb.manager.summary(started.id)), started: true };
  verb.print(started.id);
  return started;
}
