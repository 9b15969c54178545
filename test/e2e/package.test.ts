import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, repositoryFile, runProgram } from '../helpers/project.ts';

// What a user gets: the tarball is packed, installed into an empty directory without a network, and used there.

let base: string;
let consumer: string;
let env: Record<string, string | undefined>;
let packed: string[];

async function succeed(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  const ended = await runProgram(program, args, { cwd, env });
  expect(ended, `${program} ${args.join(' ')}`).toMatchObject({ code: 0 });
  return ended;
}

beforeAll(async () => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'zwarm-package-')));
  consumer = join(base, 'consumer');
  for (const name of ['home', 'consumer']) fs.mkdirSync(join(base, name));
  // Nothing of npm's own environment: these commands may run below `npm test`.
  const { PATH, TMPDIR } = process.env;
  env = { PATH, HOME: join(base, 'home'), LANG: 'C.UTF-8', TMPDIR };
  // Without scripts: building again would take dist/ away from under the other tests.
  const pack = ['pack', '--ignore-scripts', '--offline', '--json', '--pack-destination', base];
  const [tarball] = JSON.parse((await succeed('npm', pack, repositoryFile('.'))).stdout);
  packed = tarball.files.map((file: { path: string }) => file.path);
  fs.writeFileSync(join(consumer, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  await succeed('npm', ['install', '--offline', '--no-audit', join(base, tarball.filename)], consumer);
});

afterAll(() => fs.rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** A file of what is installed. */
const read = (path: string): string => fs.readFileSync(join(consumer, 'node_modules', 'zwarm', path), 'utf8');

test('the tarball holds what a user needs and nothing else', () => {
  const wanted =
    /^(bin\/((zwarm|load|compiled)\.js|package\.json|(turn-(runner|watcher)|waker|make-window)\.sh|demo-(agent|work)\.mjs|completion\/(bash|zsh|fish))|dist\/(index|parts)\.js|dist\/THIRD-PARTY-LICENSES\.txt|dist\/man\/zwarm[\w-]*\.1|dist\/types\/[\w/-]+\.d\.ts|docs\/[\w-]+\.(md|svg)|README\.md|LICENSE|CHANGELOG\.md|package\.json)$/;
  expect(packed.filter((path) => !wanted.test(path))).toEqual([]);
  const needed = `CHANGELOG.md LICENSE README.md bin/demo-agent.mjs bin/demo-work.mjs bin/load.js bin/make-window.sh bin/package.json
    bin/turn-runner.sh bin/turn-watcher.sh bin/waker.sh bin/zwarm.js dist/THIRD-PARTY-LICENSES.txt dist/index.js dist/parts.js dist/types/index.d.ts
    docs/architecture.md docs/formats.md package.json bin/completion/bash`;
  expect(packed).toEqual(expect.arrayContaining(needed.split(/\s+/)));
  expect(packed).not.toContain('docs/release.md');
});

test('npm installs every manual page', () => {
  const pages = packed.filter((path) => path.startsWith('dist/man/')).map((path) => `./${path}`);
  expect(JSON.parse(read('package.json')).man.sort()).toEqual(pages.sort());
  expect(pages.length).toBeGreaterThan(20);
});

test('it brings no dependency, and the licences of what it bundles', () => {
  const installed = fs.readdirSync(join(consumer, 'node_modules'));
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['zwarm']);
  const notices = read('dist/THIRD-PARTY-LICENSES.txt').split(`\n${'-'.repeat(80)}\n\n`);
  for (const name of ['commander', 'chalk', 'cli-table3', 'execa', 'marked', 'nanoid', 'zod']) {
    const notice = notices.find((text) => text.startsWith(`${name} `));
    expect(notice, name).toContain('Permission is hereby granted');
  }
});

test('it holds nothing of the machine that built it nor of the tests, and obeys no fault of theirs', () => {
  const foreign = [repositoryFile('.'), 'ZWARM_FAULT'];
  expect(packed.filter((path) => foreign.some((text) => read(path).includes(text)))).toEqual([]);
});

test('the installed command runs, starts an agent and waits for its answer', async () => {
  const zwarm = async (...args: string[]) =>
    (await succeed(join(consumer, 'node_modules', '.bin', 'zwarm'), args, consumer)).stdout;
  expect(await zwarm('--version')).toBe(`zwarm ${JSON.parse(read('package.json')).version}\n`);
  const answer = await zwarm('start', '-a', 'demo', '--wait', 'say hello [[seconds=0]]');
  expect(answer).toBe('Done: say hello (6 words noted).\n');
  const [row] = JSON.parse(await zwarm('ls', '--json'));
  expect(row).toMatchObject({ status: 'completed', exit_code: 0, agent: 'demo' });
});

const PROGRAM = `
import { openSessions } from 'zwarm';
const sessions = openSessions({ stateDir: 'library-state' });
const { id } = await sessions.start({ task: 'by the library [[seconds=0]]', agent: 'demo' });
const status = await sessions.wait(id);
const detail = await sessions.get(id);
console.log(status, detail.last_message, (await sessions.list()).length);
`;

test('the library starts a session, waits for it and reads it', async () => {
  fs.writeFileSync(join(consumer, 'use.mjs'), PROGRAM);
  const { stdout } = await succeed(process.execPath, ['use.mjs'], consumer);
  expect(stdout).toBe('completed Done: by the library (8 words noted). 1\n');
});

test('an error that nobody catches says what to do, without a page of our code', async () => {
  const program =
    "import { openSessions } from 'zwarm';\nawait openSessions().start({ agent: 'demo', task: '' });";
  fs.writeFileSync(join(consumer, 'careless.mjs'), program);
  const { code, stderr } = await runProgram(process.execPath, ['careless.mjs'], { cwd: consumer, env });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^ZwarmError: the task is empty$/m);
  expect(stderr).toMatch(/code: 'usage',\n\s*hint: 'say what to do: zwarm start/);
  expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThan(300);
});

test.each([[['node']], [[]]])(
  'the shipped types are whole and strict, with the types of %j',
  async (types) => {
    const settings = {
      strict: true,
      module: 'NodeNext',
      target: 'ES2023',
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      typeRoots: [repositoryFile('node_modules/@types')],
      types,
    };
    const project = { compilerOptions: settings, files: ['use.ts'] };
    fs.writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(project));
    fs.writeFileSync(
      join(consumer, 'use.ts'),
      `${PROGRAM}
import { EXIT_CODES, type SessionDetail, type SessionSummary, ZwarmError } from 'zwarm';
export const rows: readonly SessionSummary[] = await sessions.list({ all: true, statuses: ['running'] });
export const tokens: number | undefined = rows[0]?.token_usage?.total_tokens;
export const said: string | undefined = (detail satisfies SessionDetail).messages.at(-1)?.content;
export const code: 4 = EXIT_CODES.busy;
export const whatToDo = (error: unknown): string | null => (error instanceof ZwarmError ? error.hint : null);
// @ts-expect-error there is no such field
export const none = detail.no_such_field;
// @ts-expect-error a task is needed
void sessions.start({ agent: 'demo' });
`,
    );
    const { stdout } = await succeed(repositoryFile('node_modules/.bin/tsc'), ['-p', '.'], consumer);
    expect(stdout).toBe('');
  },
);
