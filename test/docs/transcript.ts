import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Screen } from '../helpers/context.ts';
import { createProject, eventually, installedFile, type Project } from '../helpers/project.ts';

/*
 * A transcript is a text file: what is typed (`$ …`), below it what the screen shows, lines of stderr behind `2> `, and
 * `[exit N]` unless that is 0. It is its own script: the same lines are typed again, and must lead to the same text.
 */

/** The ids of the sessions that a transcript begins, in their order. */
const IDS = [
  'xdmzngsyr4',
  'pq7nwsn2q4',
  'b7kkknqavd',
  'm4tz8wkc2h',
  'h9vr5gxwpd',
  'd2yjc7nqsk',
  'w6zp3xmtrb',
];

/** From one command to the next, and before the first: ages are told by this clock alone, the same on every machine. */
const MINUTE_MS = 60_000;

/** A line of progress that is drawn again and again: what stands before this on the line is gone. */
const CLEARED = /[^\n]*\r\x1b\[2K/g;

/** Collects what is written to both streams as whole lines, in their order. */
function createScreen(mark: string) {
  const lines: string[] = [];
  const rest = { stdout: '', stderr: '' };
  const seen = { stdout: 0, stderr: 0 };
  const add = (name: keyof typeof rest, shown: string): void => {
    rest[name] = (rest[name] + shown.slice(seen[name])).replace(CLEARED, '');
    seen[name] = shown.length;
    const whole = rest[name].split('\n');
    rest[name] = whole.pop() ?? '';
    for (const line of whole) lines.push(`${name === 'stderr' ? mark : ''}${line}`.trimEnd());
  };
  return {
    lines,
    onStdout: (shown: string) => add('stdout', shown),
    onStderr: (shown: string) => add('stderr', shown),
  };
}

/** Waits until every agent has done what it does: it has ended, or its command of no end has begun. */
async function allAtRest(project: Project): Promise<void> {
  const sessions = join(project.store(), 'sessions');
  for (const id of existsSync(sessions) ? readdirSync(sessions) : []) {
    if (id.startsWith('.')) continue;
    const turn = Math.max(
      ...readdirSync(join(sessions, id, 'turns'))
        .filter((name) => /^\d+$/.test(name))
        .map(Number),
    );
    const file = (name: string): string => project.turnFile(id, turn, name);
    const ended = await eventually(`${id} is at rest`, () => {
      if (!existsSync(file('runner.stat')) || existsSync(file('exit.json'))) return 'yes';
      return readFileSync(file('events.jsonl'), 'utf8').endsWith('"status":"in_progress"}}\n') && 'no';
    });
    if (ended === 'yes' && existsSync(file('runner.stat'))) await project.settled(id, turn);
  }
}

/** The words of a line, some in quotes. */
function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
}

/** One time and one size for all that differ from run to run. */
function settledLine(line: string): string {
  const settled = line.replace(/(?<![\d.])\d?\d\.\d( ?s)\b/g, '2.9$1');
  // A rule is the longer, the shorter its words are.
  const times = line.endsWith('─') ? settled.padEnd(line.length, '─') : settled;
  return times.replace(/(\d?)\d\.\d kB/g, (_, tens) => (tens === '' ? '4.2 kB' : '12.6 kB'));
}

/** A project of its own for a transcript: a small shop whose codex plays back a recorded day. */
function createShop(): Project {
  const project = createProject('shop');
  project.env['ZWARM_CODEX_BIN'] = installedFile('fixtures/day-agent');
  return project;
}

/** Types the lines of a transcript on a terminal of so many columns; the transcript that this makes. */
export async function record(
  transcript: string,
  {
    columns = 80,
    mark = '2> ',
    env = {},
  }: { columns?: number; mark?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const project = createShop();
  const began = Date.now();
  const ids = [...IDS];
  const blocks: string[] = [];
  for (const [i, line] of transcript
    .split('\n')
    .filter((one) => one.startsWith('$ '))
    .entries()) {
    await allAtRest(project);
    const [, piped, command = ''] = /^\$ (?:echo "(.*)" \| )?zwarm ?(.*)$/.exec(line) ?? [];
    const words = wordsOf(command);
    const begins = ['start', 'fork', 'orchestrate'].includes(words[0] ?? '');
    const screen = createScreen(mark);
    const { code }: Screen = await project.zwarm(words, {
      ...screen,
      tty: true,
      columns,
      env: { TERM: 'xterm-256color', NO_COLOR: '1', ...env },
      answer: true,
      now: began + (i + 1) * MINUTE_MS,
      ...(begins ? { newId: ids[0] ?? '' } : {}),
      ...(piped === undefined ? {} : { input: piped }),
    });
    if (begins && code !== 2) ids.shift();
    const end = code === 0 ? [] : [`[exit ${code}]`];
    blocks.push([line, ...screen.lines.map(settledLine), ...end].join('\n'));
  }
  return `${blocks.join('\n\n')}\n`;
}
