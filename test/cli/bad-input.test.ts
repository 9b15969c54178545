import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VERBS } from '../../src/cli/command-tree.ts';
import { EXIT_CODES, type ZwarmError } from '../../src/core/errors.ts';
import { onScreen, type Screen, type ScreenOptions } from '../helpers/context.ts';
import { createProject, eventually, type Project } from '../helpers/project.ts';
import { snapshot } from '../helpers/tree.ts';

/** What is typed, the exit code, what is said, and what to type instead; `more` for stdin and environment. */
type Row = readonly [argv: string[], code: number, said: RegExp, hint: RegExp | null, more?: ScreenOptions];

const LATIN_1 = Uint8Array.of(0x66, 0xfc, 0x72);
const codex = (path?: string): ScreenOptions => ({ env: { ZWARM_CODEX_BIN: path, PATH: '/nowhere' } });

const ROWS: readonly Row[] = [
  [['start'], 2, /no task was given/, /zwarm start "…"/, { input: ' \n' }],
  [['start', ' \n\t'], 2, /the task is empty/, /zwarm start "…"/],
  [['start', 'a', '-F', 'task.md'], 2, /given twice/, /leave one/],
  [['start', 'fix', 'it'], 2, /too many arguments/, /quotes/],
  [['start', '-F', 'nowhere.md'], 2, /nowhere\.md/, /-F FILE/],
  [['start', '-'], 2, /not valid UTF-8/, /iconv/, { input: LATIN_1 }],
  [['start', '-a', 'codx', 'x'], 2, /unknown agent "codx"/, /mean codex/],
  [['start', '-s', 'readonly', 'x'], 2, /unknown sandbox/, /mean read-only/],
  [['start', '-m', '--evil', 'x'], 2, /not a model name/, /-m /],
  [['start', '-m', '', 'x'], 2, /not a model name/, /-m /],
  [['start', '--name', 'My Docs', 'x'], 2, /not a valid name/, /lower-case/],
  [['start', '-C', 'nowhere', 'x'], 2, /nowhere/, /-C/],
  [['start', '-C', '', 'x'], 2, /directory is empty/, /-C/],
  [['start', '-C', '/dev/null', 'x'], 2, /\/dev\/null is not a directory/, /-C DIR/],
  [['start', '--timeout', '5s', 'x'], 2, /needs --wait/, /add --wait/],
  [['start', '--sandbx', 'read-only', 'x'], 2, /unknown option/, /--sandbox/],
  [['start', '-x is broken'], 2, /unknown option/, /after --/],
  [['start', '-C'], 2, /argument missing/, /zwarm start --help/],
  [['strat', 'x'], 2, /unknown command "strat"/, /mean: zwarm start$/],
  [['top'], 2, /unknown command "top"/, /zwarm calls it: zwarm ls --watch$/],
  [['Send', 'done', 'go on'], 2, /unknown command "Send"/, /zwarm calls it: zwarm inject$/],
  [['fix the tests'], 2, /unknown command "fix the tests"/, /zwarm start "…"$/],
  [['frobnicate'], 2, /unknown command "frobnicate"/, /see zwarm --help$/],
  [['help', 'shwo'], 2, /unknown command "shwo"/, /mean: zwarm show$/],
  [['--state-dir', '', 'start', 'x'], 2, /--state-dir is empty/, /leave it out/],
  [['--state-dir', 'x'], 2, /which command/, /zwarm --help/],
  [['ls', '--status', 'runing'], 2, /unknown status/, /mean running/],
  [['ls', '--sort', 'name'], 2, /unknown order/, /created, updated/],
  [['ls', '-n', '0'], 2, /-n: "0"/, /-n \d/],
  [['ls', '--since', 'yesterday'], 2, /not a duration/, /10m/],
  [['events', '--since', '2026-01-31'], 2, /neither a duration nor a time/, /10m.*Z/],
  [['digest', '--since', '.'], 2, /not a duration/, /10m/],
  [['digest', '--md', '--json'], 2, /cannot be used with/, /digest --help/],
  [['ls', 'x'], 2, /too many arguments/, /zwarm ls --help/],
  [['clean', '--days', '-1'], 2, /not a number of days/, /--days 7/],
  [['clean', '--days', 'x7'], 2, /not a number of days/, /--days 7/],
  [['clean', '--days', '7x'], 2, /not a number of days/, /--days 7/],
  [['clean', '--older-than', 'long'], 2, /not a duration/, /10m/],
  [['clean', '--older-than', '1h', '--days', '1'], 2, /cannot be used with/, /clean --help/],
  [['clean', '--gone', '--older-than', '1h'], 2, /cannot be used with/, /clean --help/],
  [['wait', 'done', '--any', '--fail-fast'], 2, /cannot be used with/, /wait --help/],
  [['diff', 'done', '--patch', '--name-only'], 2, /cannot be used with/, /diff --help/],
  [['inject', 'done', 'x', '--queue', '--history-chars', '9'], 2, /cannot be used with/, /inject --help/],
  [['start', 'x', '--resume', 'a', '--with-changes'], 2, /cannot be used with/, /start --help/],
  [['show', 'done', '--turn', '0'], 2, /--turn: "0"/, /--turn \d/],
  [['show', 'done', '--turn', '9'], 2, /has no turn 9/, /1/],
  [['show', ''], 2, /the id is empty/, /zwarm ls/],
  [['show', 'nosuch'], 3, /no session nosuch/, /zwarm ls/],
  [['show', '@last~9'], 3, /3 sessions/, /zwarm ls/],
  [['show', 'abc'], 3, /abc is the beginning of 2/, /abcdefgh22.*abcdefgh33|abcdefgh33.*abcdefgh22/],
  [['trajectory', 'done', '--turn', '9'], 2, /has no turn 9/, /1/],
  [['inject', 'done'], 2, /no message/, /zwarm inject done "…"$/],
  [['inject', 'done', ''], 2, /message is empty/, /zwarm inject done "…"$/],
  [['inject', 'done', 'go', 'on'], 2, /too many arguments/, /quotes/],
  [['kill'], 2, /which session/, /zwarm kill @last/],
  [['show'], 2, /which session\?$/, /such as: zwarm show @last$/],
  [['exec'], 2, /which session\?$/, /such as: zwarm exec fix-login -- npm test$/],
  [['queue', 'rm'], 2, /which session\?$/, /such as: zwarm queue rm @last$/],
  [['unpack'], 2, /missing required argument 'file'/, /unpack --help/],
  [['kill', '--all', 'done'], 2, /either/, /kill/],
  [['kill', 'done', '--grace', 'x'], 2, /not a duration/, /10m/],
  [['wait', 'done', '--timeout', 'x'], 2, /not a duration/, /10m/],
  [['settle'], 2, /turn runner/, null],
  [
    ['mcp', 'install'],
    2,
    /which host/,
    /--host one of: codex, claude, cursor, opencode, gemini, qwen, vscode$/,
  ],
  [['mcp', 'install', '--host', 'claud'], 2, /unknown host "claud"/, /mean claude/],
  [['mcp', 'install', '--print', '--remove'], 2, /cannot be used with/, /mcp install --help/],
  [['mcp', 'install', '--unattended', '--remove'], 2, /cannot be used with/, /mcp install --help/],
  [['config'], 2, /which command/, /zwarm config --help/],
  [['config', 'lst'], 2, /unknown command "lst"/, /mean: zwarm config list$/],
  [['config', 'remove'], 2, /unknown command "remove"/, /see zwarm config --help$/],
  [['config', 'set'], 2, /missing.*'key'/, /config set --help/],
  [['config', 'set', 'max_dpth', '1'], 2, /unknown key "max_dpth"/, /mean max_depth/],
  [['config', 'get', 'colour'], 2, /unknown key/, /choose one of: agent, /],
  [['config', 'set', 'max_depth', '10'], 2, /whole number from 0 to 9, not 10/, /config set --help/],
  [['config', 'set', 'max_depth', '1', '2'], 2, /takes one value/, /config set --help/],
  [['config', 'set', 'max_depth'], 2, /no value was given/, /config set --help/],
  [['config', 'set', 'max_depth', '1', '--unset'], 2, /exclude each other/, /config set --help/],
  [['config', 'trust', '--yes'], 2, /there is no .*zwarm\.toml/, /chooses its agent/],
  [['start', 'x'], 127, /no agent was found on your PATH: codex, claude/, /npm .*codex.*-a demo/, codex()],
  [['start', '-a', 'codex', 'x'], 127, /codex was not found on your PATH/, /npm .*codex/, codex()],
  [['start', 'x'], 127, /\/nowhere\/codex/, /ZWARM_CODEX_BIN/, codex('/nowhere/codex')],
  [
    ['start', 'x'],
    126,
    /\/etc\/passwd may not be executed/,
    /chmod \+x \/etc\/passwd$/,
    codex('/etc/passwd'),
  ],
  [['start', 'x'], 127, /not an absolute path/, /full path/, codex('./codex')],
  [['logs', 'done', '-n', '-1'], 2, /-n: "-1"/, /-n \d/],
  [['logs', 'done', '--raw', '--json'], 2, /cannot be used with/, /zwarm logs --help/],
  [['logs', 'done', '--stderr', '--json'], 2, /cannot be used with/, /zwarm logs --help/],
  [
    ['logs', 'done', '--raw', '-n', '1'],
    2,
    /'--raw' cannot be used with option '-n, --last/,
    /zwarm logs --help/,
  ],
  [
    ['logs', 'done', '--stderr', '-n', '1'],
    2,
    /'--stderr' cannot be used with option '-n, --last/,
    /zwarm logs --help/,
  ],
  [['logs', 'done', 'done', '--raw'], 2, /one session at a time/, /zwarm logs --raw done$/],
  [['logs', 'done', '--raw'], 2, /not for a terminal/, /> FILE/, { tty: true }],
  [['rewind', 'done', '--to', '7'], 2, /has no turn 7/, /1/],
  [['rewind', 'done', '--to', '1'], 2, /turn 1 is where/, /./],
  [['rewind', 'done'], 2, /--to is missing/, /zwarm rewind done --to 0$/],
  [['rewind', 'done', '--to=-1'], 2, /not a whole number of at least 0/, /--to \d/],
  [['fork', 'done', '--turn', '2'], 2, /has no turn 2/, /1/],
  [['fork', 'done', ''], 2, /message is empty/, /./],
  [['fork', 'done', 'x', '--timeout', '5'], 2, /needs --wait/, /add --wait/],
  [['compact', 'done', '--if-over', '80'], 2, /not a share/, /--if-over 0\.8/],
  [['compact', 'done', '--if-over', '0'], 2, /not a share/, /--if-over 0\.8/],
  [['compact', 'done', '--if-over', 'x.8'], 2, /not a share/, /--if-over 0\.8/],
  [['compact', 'done', '--if-over', '.8x'], 2, /not a share/, /--if-over 0\.8/],
  [['compact', 'done', '--timeout', '5s'], 2, /needs --wait/, /add --wait/],
  [['inject', 'done', 'x', '--history-chars', '-5'], 2, /not a whole number/, /--history-chars \d/],
  [['inject', 'done', 'x'], 127, /not found on your PATH/, /npm .*codex/, codex()],

  // Of one argument among several: the verb goes on with the others, and reports each in its place.
  [['kill', 'done'], 4, /not running: it ended \d+[sm] ago: completed/, /zwarm show/],
  [['rm', 'qqq'], 3, /too short/, /4 characters/],
  [['rm', 'abcd'], 3, /abcd/, /abcdefgh22/],
  [['wait', 'nosuch'], 3, /no session nosuch/, /zwarm ls/],
  [['logs', 'nosuch'], 3, /no session nosuch/, /zwarm ls/],
  [['logs', 'done', '--turn', '9'], 2, /has no turn 9/, /from 1 to 1/],
  [['logs', '-f', 'done', '--turn', '2'], 2, /has no turn 2/, /from 1 to 1/],
];

/** Whether a verb can report the same error as JSON: with `--raw` and `--stderr`, `logs` cannot. */
function hasJson([verb, ...words]: readonly string[]): boolean {
  const options = VERBS.find(({ name }) => name === verb)?.options ?? {};
  return 'json' in options && !['--raw', '--stderr', '--json'].some((word) => words.includes(word));
}

/** The error of a verb as JSON: its own, or that of its only argument, in an array or on a line. */
function errorIn({ stdout, stderr }: Screen): { error: ZwarmError; id?: string } {
  const printed = JSON.parse(stdout + stderr);
  return Array.isArray(printed) ? printed[0] : printed;
}

function linesOf({ message, hint }: ZwarmError): string[] {
  return [`zwarm: ${message}`, ...(hint === null ? [] : [`hint: ${hint}`])];
}

/** Lines without how long ago something was: it may be a second more when it is said again. */
const ageless = (lines: readonly string[]) => lines.map((line) => line.replace(/\d+s ago/g, 'Ns ago'));

/** A project with three ended sessions, two of them with ids that begin alike. */
async function projectWithSessions(): Promise<Project> {
  const project = createProject();
  writeFileSync(join(project.directory, 'task.md'), 'a task');
  for (const newId of ['abcdefgh22', 'abcdefgh33']) await project.ended(['say hello'], { newId });
  await project.ended(['say hello', '--name', 'done'], { newId: 'qqqqqqqqqq' });
  return project;
}

test('bad input ends with its exit code and what to type, and changes nothing on disk', async () => {
  const project = await projectWithSessions();
  const before = snapshot(project.base);
  for (const [argv, code, message, hint, options] of ROWS) {
    const name = JSON.stringify(argv);
    const plain = await onScreen(project, argv, options);
    expect.soft(plain, name).toMatchObject({ code, stdout: '' });
    const isJson = argv.includes('--json');
    const lines = isJson ? linesOf(errorIn(plain).error) : plain.stderr.trimEnd().split('\n');
    const [first = '', advice, ...more] = lines;
    expect.soft(first, name).toMatch(/^zwarm: /);
    expect.soft(first, name).toMatch(message);
    if (hint === null) expect.soft(advice, name).toBeUndefined();
    else expect.soft(advice, name).toMatch(hint);
    expect.soft(more, name).toEqual([]);

    if (hasJson(argv)) {
      const [verb = '', ...rest] = argv;
      const json = await onScreen(project, [verb, '--json', ...rest], options);
      expect.soft(json.code, name).toBe(code);
      const { error, id } = errorIn(json);
      expect.soft(EXIT_CODES[error.code], name).toBe(code);
      expect.soft(ageless(linesOf(error)), name).toEqual(ageless(lines));
      if (json.stdout !== '') expect.soft(argv, name).toContain(id);
    }
    expect.soft(snapshot(project.base), name).toEqual(before);
  }
});

test('a running session cannot be continued or removed, and nothing changes on disk', async () => {
  const project = createProject();
  const id = await project.start(['wait for me'], { env: { FAKE_AGENT_HANG: '1' } });
  await eventually('it has said all', async () => (await project.show(id)).last_message !== null);
  const before = snapshot(project.base);
  for (const words of ['inject ID more', 'rm ID', 'rewind ID --to 0', 'fork ID', 'compact ID']) {
    const line = words.replace('ID', id);
    const wait = `wait for it first: zwarm wait ${id}`;
    const hint = line.startsWith('rm')
      ? `end it first: zwarm kill ${id}`
      : line.startsWith('inject')
        ? `${wait}; or queue the message: zwarm inject ${id} --queue "…"; or stop it: zwarm inject ${id} --interrupt "…"`
        : wait;
    const shown = await project.$(line);
    expect(shown).toMatch(new RegExp(`^zwarm: .*\\S+ is still running\nhint: ${hint}\n\\[exit 4\\]\n$`));
    expect(await project.$(`${line} --json`)).toMatch(/\[exit 4\]\n$/);
  }
  const skipped = [{ id, reason: 'running', old_enough: true }];
  const cleaned = JSON.parse(await project.$('clean --days 0 --json'));
  expect(cleaned).toMatchObject({ removed: [], sessions: [], skipped, worktrees: [], bytes: 0 });
  expect(snapshot(project.base)).toEqual(before);
});

test('reading verbs in a directory without sessions create nothing', async () => {
  const project = createProject();
  const lines = ['ls', 'ls --json', 'kill --all', 'clean', 'show @last', 'trajectory @last', 'logs @last'];
  const codes = [];
  for (const line of [...lines, 'logs -f abc', 'wait abc', 'kill abcd', 'rm abcd', 'inject abc x'])
    codes.push((await onScreen(project, line.split(' '))).code);
  expect(codes).toEqual([0, 0, 0, 0, 3, 3, 3, 3, 3, 3, 3, 3]);
  expect(Object.keys(snapshot(project.directory))).toEqual([project.directory]);
});

test('an error comes with its stack trace where that was asked for', async () => {
  const project = createProject();
  const plain = await project.$('show none');
  expect(plain).not.toMatch(/^ {4}at /m);
  for (const set of ['', '1']) {
    const said = await project.$('show none', { env: { ZWARM_DEBUG: set } });
    expect(said.startsWith(plain.replace(/\[exit.*/s, ''))).toBe(true);
    expect(/^ {4}at /m.test(said)).toBe(set !== '');
  }
});
