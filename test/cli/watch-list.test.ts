import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { onScreen, type ScreenOptions } from '../helpers/context.ts';
import { unfit } from '../helpers/display.ts';
import { ATTACKS, toSay } from '../helpers/hostile-output.ts';
import {
  createProject,
  createShellProject,
  eventually,
  hasEnded,
  type Project,
  processesNaming,
} from '../helpers/project.ts';
import { onTerminal } from '../helpers/pseudo-terminal.ts';
import { HAS_TMUX, openTerminal } from '../helpers/tmux.ts';

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** The frames that a terminal was told to show, each as its lines; what is no part of one of them fails. */
function framesOf(shown: string): readonly (readonly string[])[] {
  return [...shown.matchAll(/\x1b\[\?2026h\x1b\[H([\s\S]*?)\x1b\[\?2026l/g)].map(([, frame = '']) => {
    const lines = frame.split(/\r?\n/);
    return lines.map((line, i) => {
      // A line is erased before it is written, and all below it with the last one.
      const erased = i < lines.length - 1 ? '\u001b[K' : '\u001b[J';
      expect(line.slice(0, 3)).toBe(erased);
      return line.slice(3);
    });
  });
}

/** Watches until it shows something, then types Ctrl-C. */
async function watchUntil(
  project: Project,
  wanted: RegExp,
  args: string[] = [],
  options: ScreenOptions = {},
) {
  const interrupt = new AbortController();
  return onScreen(project, ['ls', '-w', ...args], {
    tty: true,
    interrupt: interrupt.signal,
    onStdout: (shown) => {
      if (wanted.test(shown)) interrupt.abort(130);
    },
    ...options,
  });
}

test('on a terminal the list is redrawn in place until Ctrl-C, and its last state is left', async () => {
  const project = createShellProject();
  await project.ended(['quick', '--name', 'first']);
  const env = { NO_COLOR: '1' };
  const { shown, type, code } = onTerminal(project, ['ls', '-w'], { env });
  await eventually('it shows the list', () => shown().includes('first'));
  await project.start(['hang', '--name', 'second']);
  await eventually('it shows the new one', () => /second {2}running/.test(shown()));
  await project.ok(['kill', 'second']);
  await eventually('it shows its end', () => /second {2}killed/.test(shown()));
  type('\u0003');
  expect(await code).toBe(130);
  expect(shown().startsWith(ENTER)).toBe(true);
  const [last = [], ...others] = framesOf(shown()).toReversed();
  expect(others.length).toBeGreaterThan(1);
  expect(shown().endsWith(`${LEAVE}${last.join('\n')}\n`)).toBe(true);
  expect(last.join('\n')).toMatch(/^ID .*\n\w{10} {2}second {2}killed .*\n\w{10} {2}first {3}completed /);
});

/** Runs `ls -w` on a terminal until it shows the list; `pid` is that of zwarm itself. */
async function watching(project: Project) {
  const id = await project.ended();
  const terminal = onTerminal(project, ['ls', '-w', '--project', project.directory], {
    env: { NO_COLOR: '1' },
  });
  await eventually('it shows the list', () => terminal.shown().includes(id));
  const [pid = 0] = processesNaming(`-w\0--project\0${project.directory}\0`, 'cmdline');
  return { ...terminal, pid, id };
}

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGQUIT', 131],
] as const)('%s leaves the terminal as it was', async (signal, expected) => {
  const { pid, id, code, shown } = await watching(createShellProject());
  process.kill(pid, signal);
  expect(await code).toBe(expected);
  expect(shown().split(LEAVE)[1]).toMatch(new RegExp(`^.*ID .*\n${id} .*\n$`));
});

test.runIf(HAS_TMUX)(
  'Ctrl-Z leaves the terminal as it was, and what goes on after it draws anew',
  async () => {
    const project = createShellProject();
    const id = await project.ended();
    const { shows, isPlain } = openTerminal(
      project,
      ['ls', '-w', '--project', project.directory],
      onTestFinished,
    );
    await eventually('it draws', () => !isPlain());
    const [pid = 0] = processesNaming(`-w\0--project\0${project.directory}\0`, 'cmdline');
    process.kill(pid, 'SIGTSTP');
    await eventually('it has left', isPlain);
    await shows(id);
    process.kill(pid, 'SIGCONT');
    await eventually('it draws anew', () => !isPlain());
    process.kill(pid, 'SIGTERM');
    await shows('[ended with 143]');
    expect(isPlain()).toBe(true);
  },
);

test.runIf(HAS_TMUX)('however often it is resized while it draws, the whole list is there', async () => {
  const project = createShellProject();
  const ids = [await project.ended(), await project.ended(), await project.ended()];
  const args = ['ls', '-w', '--project', project.directory];
  const { resize, shows, isPlain } = openTerminal(project, args, onTestFinished);
  for (const id of ids) await shows(id);
  const [pid = 0] = processesNaming(`-w\0--project\0${project.directory}\0`, 'cmdline');
  for (let round = 0; round < 30; round += 1) {
    resize(20 + ((round * 37) % 180), 2 + ((round * 7) % 40));
    // There is something to draw at the same time.
    if (round % 3 === 0) await project.ok(['name', ids[0] ?? '', `round-${round}`]);
  }
  resize(72, 12);
  const [first, second, third] = ids;
  const rows = [`${third} .*`, `${second} .*`, `${first}  round-27 .*`];
  await shows(new RegExp(`^ID  .*\\n${rows.join('\\n')}\\n*$`));
  process.kill(pid, 'SIGTERM');
  await shows('[ended with 143]');
  expect(isPlain()).toBe(true);
});

test('where the terminal is closed, it ends', async () => {
  const { pid, hangUp } = await watching(createShellProject());
  hangUp();
  await eventually('it ends', () => hasEnded(pid));
});

test.each([
  [40, 10],
  [25, 4],
  [80, 2],
  [200, 1],
])('no session breaks a frame on %d columns and %d rows', async (columns, rows) => {
  const project = createProject();
  const text = Object.values(ATTACKS).join(' ');
  const env = toSay(project, text, 'failed');
  for (const task of [text, '漢字の仕事 🎉 '.repeat(40), `${'x'.repeat(11)}漢${'字'.repeat(60)}`])
    for (const name of ['first', 'second'])
      await project.zwarm(['start', '--wait', `${task} of ${name}`], { env });
  const size = { columns, rows, env: { NO_COLOR: '1' } };
  const { code, stdout } = await watchUntil(project, /\[\?2026l/, ['--all'], size);
  expect(code).toBe(130);
  const frames = framesOf(stdout);
  expect(frames.length).toBeGreaterThan(0);
  for (const lines of frames) {
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(unfit(lines, columns)).toEqual([]);
  }
});

test('what does not fit the screen is counted; a list that is empty says why', async () => {
  const project = createProject();
  const watch = async (args: string[] = [], rows = 4) => {
    const options = { columns: 60, rows, env: { NO_COLOR: '1' } };
    const { stdout } = await watchUntil(project, /\[\?2026l/, args, options);
    return stdout.split(LEAVE)[1]?.replace(/ +\d+s +/g, '   0s     ');
  };
  expect(await watch()).toBe('no sessions; start one: zwarm start "task"\n');
  for (const id of ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc', 'dddddddddd'])
    await project.ok(['start', '--wait', '-q', `task ${id}`], { newId: id });
  expect(await watch()).toMatchInlineSnapshot(`
    "ID          STATUS     AGO  NOW              TASK
    dddddddddd  completed   0s     The project pr…  task dddddddddd
    cccccccccc  completed   0s     The project pr…  task cccccccccc
    … 2 more below
    "
  `);
  rmSync(join(project.store(), 'sessions/aaaaaaaaaa/session.json'));
  expect(await watch()).toContain('\n… 2 more below, 1 damaged\n');
  await project.ok(['rm', 'aaaaaaaaaa']);
  expect(await watch(['-n', '2'])).toMatchInlineSnapshot(`
    "ID          STATUS     AGO  NOW              TASK
    dddddddddd  completed   0s     The project pr…  task dddddddddd
    cccccccccc  completed   0s     The project pr…  task cccccccccc
    2 of 3 · --all shows all
    "
  `);
  expect(await watch(['--status', 'lost'])).toBe('none of 3 match\n');
});

test('where there is nothing to draw on it says what to do instead', async () => {
  const project = createProject();
  const said = {
    code: 2,
    stdout: '',
    stderr: `zwarm: -w draws on a terminal, and this is none that can be drawn on
hint: in a pipe: watch 'ZWARM_FORCE_TTY=$COLUMNS zwarm ls'; for programs: zwarm ls --json
`,
  };
  expect(await onScreen(project, ['ls', '-w'])).toEqual(said);
  expect(await onScreen(project, ['ls', '-w'], { tty: true, env: { TERM: 'dumb' } })).toEqual(said);
  for (const option of ['--json', '-q'])
    expect(await project.$(`ls -w ${option}`)).toMatch(/cannot be used with option[\s\S]*\[exit 2\]/);
});
