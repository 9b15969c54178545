import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeStream } from '../../bench/streams.js';
import type { CliContext, PagerCommand } from '../../src/cli/context.ts';
import { pagerOf, passesLinks, showPage } from '../../src/cli/terminal/pager.ts';
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

test('links go through less, and through no pager that may show them as they are written', () => {
  const passes = (PAGER: string) => passesLinks({ PAGER });
  expect([passesLinks({}), ...['less -R', '/usr/bin/less', ''].map(passes)]).not.toContain(false);
  expect(['more', 'lesser', 'most | less'].map(passes)).toEqual([false, false, false]);
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
  const now = Date.now();
  const whole = await onScreen(project, ['show', '@last'], { tty: true, pager, now });
  const lines = whole.stdout.split('\n').length - 1;
  expect(lines).toBeGreaterThan(24);
  const show = (args: readonly string[], tty: boolean, rows: number, env = {}) =>
    onScreen(project, ['show', '@last', ...args], { tty, rows, pager, env, now });
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
  const missing = { tty: true, rows: 10, pager: () => Promise.resolve(false), now };
  expect(await onScreen(project, ['show', '@last'], missing)).toEqual(whole);
});

test('of a long conversation no more is read than a pager takes', async () => {
  const project = createProject();
  const id = await project.ended();
  const events = project.turnFile(id, 1, 'events.jsonl');
  const { bytes } = writeStream(events, { bytes: 20_000_000 });
  const exit = project.turnFile(id, 1, 'exit.json');
  writeFileSync(exit, JSON.stringify({ ...JSON.parse(readFileSync(exit, 'utf8')), events_bytes: bytes }));
  const bytesRead = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  const begun: string[] = [];
  const pager: CliContext['runPager'] = (_, pieces) => {
    for (const piece of pieces) {
      begun.push(piece);
      break;
    }
    return Promise.resolve(true);
  };
  const show = () => onScreen(project, ['show', id], { tty: true, rows: 24, pager });
  // The first time what it takes to show anything is loaded, too.
  await show();
  const before = bytesRead();
  expect(await show()).toMatchObject({ code: 0, stdout: '' });
  expect(begun.at(-1)).toContain(id);
  expect(bytesRead() - before).toBeLessThan(bytes / 10);
});

test('on a terminal that is made up a page is printed as it is read', async () => {
  const left = new AbortController();
  const send = () => Promise.resolve(left.abort());
  const rows = Number.POSITIVE_INFINITY;
  const stdout = { isTTY: true, takesEscapes: false, rows, closed: left.signal, send };
  const page = function* () {
    for (let n = 0; n < 9; n += 1) yield 'line\n'.repeat(100_000);
    throw new Error('it was read to its end');
  };
  await showPage({ stdout, env: {} } as unknown as CliContext, page, true);
  expect(left.signal.aborted).toBe(true);
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

onLinux('a terminal without UTF-8 gets ASCII, also through a pager, but JSON as it is', async () => {
  const project = createProject();
  await project.ended(['naïve …']);
  const shown = async (args: readonly string[], env: Record<string, string>): Promise<string> => {
    const terminal = onTerminal(project, args, { env: { NO_COLOR: '1', ...env } });
    expect(await terminal.code).toBe(0);
    return terminal.shown();
  };
  const utf8 = await shown(['show', '@last'], {});
  expect(utf8).toMatch(/· completed · [\s\S]*\n── turn 1 · [\s\S]*\n> naïve …\n/);
  for (const env of [{ LC_ALL: 'C' }, { LC_ALL: 'C', ZWARM_FORCE_TTY: '80' }, { LANG: '' }]) {
    const ascii = await shown(['show', '@last'], env);
    expect(ascii).toMatch(/ - completed - [\s\S]*\n-- turn 1 - [\s\S]*\n> na\?ve ~\n/);
    expect(ascii).toMatch(/^[\n\x20-\x7e]*$/);
  }
  const paged = onTerminal(project, ['show', '@last'], {
    rows: 5,
    env: { LC_ALL: 'C', PAGER: 'sed s/x/x/' },
  });
  expect(await paged.code).toBe(0);
  expect(paged.shown()).toMatch(/^[\n\x1b\x20-\x7e]*na\?ve[\n\x1b\x20-\x7e]*$/);
  expect(await shown(['show', '@last', '--json'], { LC_ALL: 'C' })).toContain('naïve …');
});
