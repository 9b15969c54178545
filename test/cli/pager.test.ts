import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeStream } from '../../bench/streams.js';
import type { CliContext, PagerCommand } from '../../src/cli/context.ts';
import { pagerOf } from '../../src/cli/pager.ts';
import { onScreen } from '../helpers/context.ts';
import { createProject, eventually, type Project } from '../helpers/project.ts';
import { onTerminal } from '../helpers/pseudo-terminal.ts';

const shell = (command: string): PagerCommand => ['/bin/sh', '-c', command];

test("the user's own pager comes before ours, and may be none", () => {
  const pagers: readonly [Record<string, string>, PagerCommand | null][] = [
    [{}, ['less']],
    [{ TERM: 'dumb' }, null],
    [{ PAGER: 'more -d', TERM: 'dumb' }, shell('more -d')],
    [{ PAGER: 'more', ZWARM_PAGER: 'most' }, shell('most')],
    [{ PAGER: 'more', ZWARM_PAGER: '' }, null],
    [{ PAGER: ' cat ' }, null],
  ];
  for (const [env, pager] of pagers) expect([env, pagerOf(env)]).toEqual([env, pager]);
});

/** A session whose page has some thirty lines. */
async function longSession(project: Project, lines = 20): Promise<void> {
  const input = Array.from({ length: lines }, (_, i) => `line ${i + 1}`).join('\n');
  await project.ok(['start', '--wait', '-F', '-'], { input });
}

test('a pager gets a page that is longer than the terminal, and nothing else does', async () => {
  const project = createProject();
  await longSession(project);
  const calls: [PagerCommand, string, object][] = [];
  const pager: CliContext['runPager'] = (command, pieces, env) => {
    calls.push([command, [...pieces].join(''), env]);
    return Promise.resolve(true);
  };
  const whole = await onScreen(project, ['show', '@last'], { tty: true, pager });
  const lines = whole.stdout.split('\n').length - 1;
  expect(lines).toBeGreaterThan(24);
  const show = (args: readonly string[], tty: boolean, rows: number, env = {}) =>
    onScreen(project, ['show', '@last', ...args], { tty, rows, pager, env });
  // One line is for what is typed next.
  expect(await show([], true, lines + 1)).toEqual(whole);
  expect(await show(['--no-pager'], true, 10)).toEqual(whole);
  expect(await show([], true, 10, { PAGER: 'cat' })).toEqual(whole);
  expect((await show(['--json'], true, 10)).stdout).toMatch(/^\{/);
  expect((await show([], false, 10)).stdout).toContain('line 20');
  expect(calls).toEqual([]);
  expect(await show([], true, lines)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await show([], true, 10, { PAGER: 'p', LESS: '', LV: 'x' })).toMatchObject({ stdout: '' });
  expect(calls).toEqual([
    [['less'], whole.stdout, { LESS: 'FRX', LESSCHARSET: 'utf-8', LV: '-c' }],
    [shell('p'), whole.stdout, { LESSCHARSET: 'utf-8' }],
  ]);
  const missing = { tty: true, rows: 10, pager: () => Promise.resolve(false) };
  expect(await onScreen(project, ['show', '@last'], missing)).toEqual(whole);
});

test('however long a conversation, its first screen is with the pager before the rest of it is read', async () => {
  const project = createProject();
  const id = await project.ended();
  const events = project.turnFile(id, 1, 'events.jsonl');
  const { bytes } = writeStream(events, { bytes: 20_000_000 });
  const exit = project.turnFile(id, 1, 'exit.json');
  writeFileSync(exit, JSON.stringify({ ...JSON.parse(readFileSync(exit, 'utf8')), events_bytes: bytes }));
  const bytesRead = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  const begun: [begin: string, bytes: number][] = [];
  const pager: CliContext['runPager'] = (_, pieces) => {
    for (const piece of pieces) {
      begun.push([piece, bytesRead()]);
      break;
    }
    return Promise.resolve(true);
  };
  const show = () => onScreen(project, ['show', id], { tty: true, rows: 24, pager });
  // The first time what it takes to show anything is loaded, too.
  await show();
  const before = bytesRead();
  expect(await show()).toMatchObject({ code: 0, stdout: '' });
  const [page, bytesThen] = begun.at(-1) ?? ['', 0];
  expect(page).toContain(id);
  expect(bytesThen - before).toBeLessThan(bytes / 2);
});

// On a terminal of the kernel's, as only Linux has them for script(1).
const onLinux = test.runIf(process.platform === 'linux');

onLinux("the user's own pager reads the page from its stdin, with its shell's words", async () => {
  const project = createProject();
  await longSession(project);
  const PAGER = `cat > "$HOME/seen" && echo "paged with $LESS" && exit 3`;
  const terminal = onTerminal(project, ['show', '@last'], { rows: 10, env: { PAGER } });
  expect(await terminal.code).toBe(0);
  expect(terminal.shown()).toBe('paged with FRX\n');
  expect(readFileSync(join(project.base, 'home', 'seen'), 'utf8')).toMatch(/\u001b\[[\s\S]*line 20/);
});

onLinux('a reader may leave in the middle, and a pager that is missing is done without', async () => {
  const project = createProject();
  // More than a pipe holds.
  await longSession(project, 30_000);
  const paged = async (PAGER: string): Promise<string> => {
    const terminal = onTerminal(project, ['show', '@last'], { env: { PAGER } });
    expect(await terminal.code).toBe(0);
    return terminal.shown();
  };
  expect(await paged('head -n 1')).toMatch(/^.*completed.*\n$/);
  expect(await paged('no-such-pager-anywhere')).toContain('line 30000');
});

onLinux('Ctrl-C is for the pager', async () => {
  const project = createProject();
  await longSession(project);
  const seen = join(project.base, 'home', 'seen');
  const waits = `trap 'echo asked; exit 0' INT; cat > "$HOME/seen.new"; mv "$HOME/seen.new" "$HOME/seen"; while :; do sleep 0.1; done`;
  const terminal = onTerminal(project, ['show', '@last'], { rows: 10, env: { ZWARM_PAGER: waits } });
  await eventually('the pager has read', () => existsSync(seen));
  terminal.type('\u0003');
  expect(await terminal.code).toBe(0);
  expect(terminal.shown()).toContain('asked');
});
