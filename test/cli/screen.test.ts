import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen, type ScreenOptions } from '../helpers/context.ts';
import { columnsOf } from '../helpers/display.ts';
import { createProject, type Project } from '../helpers/project.ts';

/** Titles of windows, clipboards, cursor movements, C1, bidi, separators and a bell. */
const NASTY =
  '\u001b]0;owned\u0007\u001b]52;c;aGk=\u001b\\\u001b[2J\u001b[31mred\u009b1m\u202eevil\u2066\u2028x\u0000\r!\u0007';
/** What must never reach a terminal or a pipe from a task, an answer or an error. */
const DRIVES = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
/** Our own colours, and how the live line clears itself. */
const OURS = /\u001b\[[0-9;]*m|\r\u001b\[2K/g;

/** An agent that says, does and fails with what it is given. */
function saying(project: Project, text: string, failure: string | null = null): Record<string, string> {
  const path = join(project.base, 'said.jsonl');
  const item = (id: string, more: object) => ({ type: 'item.completed', item: { id, ...more } });
  const command = { command: text, aggregated_output: text, exit_code: 0, status: 'completed' };
  const usage = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 };
  const events = [
    { type: 'thread.started', thread_id: '01a1f880-c978-76c0-be58-213b143ff767' },
    { type: 'turn.started' },
    item('item_0', { type: 'agent_message', text }),
    item('item_1', { type: 'command_execution', ...command }),
    item('item_2', { type: 'agent_message', text }),
    failure === null
      ? { type: 'turn.completed', usage }
      : { type: 'turn.failed', error: { message: failure } },
  ];
  writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return { FAKE_AGENT_STREAM: path, FAKE_AGENT_STDERR: `${text.replace('\0', '')}\n` };
}

test('nothing that a task, an agent or an error says can drive a terminal or what reads a pipe', async () => {
  const project = createProject();
  const env = saying(project, NASTY, NASTY);
  const id = 'screen2abc';
  const task = NASTY.replace('\0', '');
  for (const tty of [true, false]) {
    const screens = [
      await onScreen(project, ['start', '--wait', '--', task], { tty, env, newId: tty ? id : 'screen2abd' }),
      await onScreen(project, ['ls'], { tty }),
      await onScreen(project, ['show', id], { tty }),
      await onScreen(project, ['show', id, '--full'], { tty }),
      await onScreen(project, ['show', id, '--full', '--json'], { tty }),
      await onScreen(project, ['ls', '--json'], { tty }),
      await onScreen(project, ['show', task], { tty }),
      await onScreen(project, ['start', '-C', task, 'x'], { tty }),
      await onScreen(project, ['start', '-a', task, 'x'], { tty }),
      await onScreen(project, [task], { tty }),
      await onScreen(project, ['ls', `--${task}`], { tty }),
    ];
    for (const [i, { stdout, stderr }] of screens.entries()) {
      // The answer of --wait is for programs, byte for byte, but on a terminal.
      if (i > 0 || tty) expect.soft(stdout.replace(OURS, ''), `stdout ${i}`).not.toMatch(DRIVES);
      else expect.soft(stdout).toBe(`${NASTY}\n`);
      expect.soft(stderr.replace(OURS, ''), `stderr ${i}`).not.toMatch(DRIVES);
    }
    const shown = screens[2]?.stdout ?? '';
    expect(shown).toContain('\\x1b]0;owned\\x07');
    expect(JSON.parse(screens[4]?.stdout ?? '').last_message).toBe(NASTY);
  }
});

test('colours come and go with the terminal and the environment', async () => {
  const project = createProject();
  await onScreen(project, ['start', '--wait', 'x']);
  for (const [options, coloured] of [
    [{ tty: true }, true],
    [{ tty: true, env: { NO_COLOR: '1' } }, false],
    [{}, false],
    [{ env: { FORCE_COLOR: '1' } }, true],
  ] as const) {
    const { stdout } = await onScreen(project, ['show', '@last'], options);
    expect(stdout.includes('\u001b[')).toBe(coloured);
    const rows = (await onScreen(project, ['ls'], options)).stdout;
    expect(rows.includes('\u001b[')).toBe(coloured && 'tty' in options);
  }
});

test('hints and the live line are for terminals, tables too; pipes get plain rows', async () => {
  const project = createProject();
  const terminal = await onScreen(project, ['start', 'first task'], { tty: true, newId: 'screen2abc' });
  expect(terminal).toEqual({
    code: 0,
    stdout: 'screen2abc\n',
    stderr: 'started; see: zwarm show screen2abc\n',
  });
  expect(await onScreen(project, ['wait', 'screen2abc'])).toMatchObject({ stderr: '' });
  expect(await onScreen(project, ['start', '-q', 'x'], { tty: true })).toMatchObject({ stderr: '' });
  expect(await onScreen(project, ['start', 'x'])).toMatchObject({ stderr: '' });

  const live = await onScreen(project, ['inject', 'screen2abc', '--wait', 'x'], { tty: true });
  expect(live.stderr).toMatch(/^\r\u001b\[2K/);
  expect(live.stderr).toMatch(/\r\u001b\[2K$/);
  expect(await onScreen(project, ['inject', 'screen2abc', '--wait', 'x'])).toMatchObject({ stderr: '' });

  const { stdout } = await onScreen(project, ['ls']);
  const row = stdout.split('\n').find((line) => line.startsWith('screen2abc'));
  expect(row?.split('\t')).toEqual([
    'screen2abc',
    'completed',
    '3',
    'codex',
    expect.stringMatching(/Z$/),
    'first task',
  ]);
  expect(stdout).not.toMatch(/STATUS/);
  expect((await onScreen(project, ['ls'], { tty: true })).stdout).toMatch(/^\S*ID/);
  expect(await onScreen(project, ['ls', '--status', 'lost'])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await onScreen(project, ['ls', '--status', 'lost', '--json'])).toMatchObject({ stdout: '[]\n' });
});

test('a page renders what the agent wrote for a terminal, and keeps it for a pipe', async () => {
  const project = createProject();
  await onScreen(project, ['start', '--wait', 'x'], { env: saying(project, '**bold** [a](b)') });
  const env = { NO_COLOR: '1' };
  expect((await onScreen(project, ['show', '@last'], { tty: true, env })).stdout).toContain(
    '\n  bold a (b)\n',
  );
  expect((await onScreen(project, ['show', '@last'], { env })).stdout).toContain('\n  **bold** [a](b)\n');
});

test.each([40, 80, 200])('on a terminal of %i columns every line of what is shown fits', async (columns) => {
  const project = createProject();
  const options: ScreenOptions = { tty: true, columns };
  const wide = '日本語のドキュメントを書く 🎉 '.repeat(20);
  const env = saying(project, wide);
  for (const [i, task] of [wide, 'word '.repeat(60), 'x'.repeat(300)].entries())
    await onScreen(project, ['start', '--wait', task, '--name', `a-name-that-is-rather-long-${i}`], { env });
  for (const argv of [['ls'], ['show', '@last'], ['show', '@last', '--full']]) {
    const { stdout } = await onScreen(project, argv, options);
    for (const line of stdout.split('\n')) expect.soft(columnsOf(line), line).toBeLessThanOrEqual(columns);
  }
  const { stderr } = await onScreen(project, ['inject', '@last', '--wait', 'x'], { ...options, env });
  for (const line of stderr.replaceAll('\u001b[2K', '').split('\r'))
    expect.soft(columnsOf(line), line).toBeLessThan(columns);
});
