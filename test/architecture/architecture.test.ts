import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { VERBS } from '../../src/cli/verbs.ts';
import { repositoryFile } from '../helpers/project.ts';
import { type Sources, violationsOf } from './house.ts';

const SRC = repositoryFile('src');

function sources(): Sources {
  const entries = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const paths = entries.filter((path) => path.endsWith('.ts'));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(`${SRC}/${path}`, 'utf8')]));
}

test('src/ keeps the rules of the house', () => {
  const files = sources();
  expect(Object.keys(files).length).toBeGreaterThan(50);
  expect(violationsOf(files)).toEqual([]);
});

const planted: readonly [rule: string, files: Sources, violation: RegExp][] = [
  ['core knows nobody', { 'core/a.ts': "import { b } from '../store/b.ts';" }, /core may not import store/],
  [
    'core decodes, and uses no other package',
    { 'core/a.ts': "import { nanoid } from 'nanoid';" },
    /core may not import nanoid/,
  ],
  [
    'core uses nothing of Node',
    { 'core/a.ts': "import { join } from 'node:path';" },
    /may not import node:path/,
  ],
  ['core has no clock', { 'core/a.ts': 'export const a = Date.now();' }, /reads Date\.now/],
  ['core has no clock by another name', { 'core/a.ts': 'export const a = new Date();' }, /reads new Date/],
  ['core has no timers', { 'core/a.ts': 'setTimeout(() => 1, 1);' }, /uses setTimeout/],
  [
    'agents use nothing of Node',
    { 'agents/a.ts': "import { join } from 'node:path';" },
    /may not import node:path/,
  ],
  [
    'agents decode, and use no other package',
    { 'agents/a.ts': "import { nanoid } from 'nanoid';" },
    /agents may not import nanoid/,
  ],
  [
    'only the tools of mcp load the whole of zod',
    { 'core/a.ts': "import { z } from 'zod';" },
    /core may not import zod$/,
  ],
  [
    'leaves do not know one another',
    { 'store/a.ts': "import { b } from '../process/b.ts';" },
    /store may not import process/,
  ],
  [
    'render does not read the store',
    { 'render/a.ts': "export * from '../store/b.ts';" },
    /render may not import store/,
  ],
  [
    'the manager does not render',
    { 'manager/a.ts': "const a = () => import('../render/b.ts');" },
    /manager may not import render/,
  ],
  [
    'in the manager a room knows only those below it',
    { 'manager/turn/a.ts': "import { b } from '../session/b.ts';" },
    /in the manager turn may not import session/,
  ],
  [
    'the manager has no other rooms',
    { 'manager/a.ts': "import { b } from './turn/b.ts';" },
    /in the manager a may not import turn/,
  ],
  [
    'nobody below knows the command line',
    { 'manager/a.ts': "import type { A } from '../cli/a.ts';" },
    /manager may not import cli/,
  ],
  [
    'a type in passing counts too',
    { 'core/a.ts': "export type A = import('../cli/a.ts').A;" },
    /core may not import cli/,
  ],
  [
    'the command line goes through the manager',
    { 'cli/a.ts': "import { b } from '../store/b.ts';" },
    /cli may not import store/,
  ],
  [
    'the command line does not know the installation',
    { 'cli/a.ts': "import { b } from '../installation.ts';" },
    /cli may not import installation/,
  ],
  [
    'the library is no command line',
    { 'index.ts': "import { run } from './cli/run.ts';" },
    /index may not import cli/,
  ],
  [
    'an import says what it imports',
    { 'cli/a.ts': 'const a = (b: string) => import(b);' },
    /imports something computed/,
  ],
  [
    'process.env is read at the top',
    { 'manager/a.ts': 'export const a = process.env;' },
    /uses process\.env/,
  ],
  [
    'process/ reads no environment',
    { 'process/a.ts': "export const a = process.env['A'];" },
    /uses process\.env/,
  ],
  ['process.exit is for the top', { 'cli/a.ts': 'process.exit(1);' }, /uses process\.exit/],
  ['process by another name', { 'cli/a.ts': "import p from 'node:process';" }, /imports node:process/],
  ['process through the global object', { 'cli/a.ts': 'globalThis.process.exit(1);' }, /uses globalThis/],
  ['process as a whole', { 'process/a.ts': 'const { env } = process; export { env };' }, /uses process\./],
  ['no console', { 'cli/a.ts': "console.error('a');" }, /uses console/],
  ['no default export', { 'cli/a.ts': 'export default 1;' }, /default export/],
  [
    'no default export by renaming',
    { 'cli/a.ts': 'const a = 1; export { a as default };' },
    /default export/,
  ],
  ['no require', { 'cli/a.ts': "const a = require('fs');" }, /uses require/],
  [
    'only process/ starts processes',
    { 'manager/a.ts': "import { spawn } from 'node:child_process';" },
    /only process\/ starts/,
  ],
  [
    'only syscalls changes the disk',
    { 'store/files.ts': "import { writeFileSync } from 'node:fs';" },
    /disk with writeFileSync/,
  ],
  [
    'only three files make calls that change the machine',
    { 'process/identity.ts': "import { killProcess } from '../syscalls.ts';" },
    /only store\/files\.ts, process\/launch\.ts, process\/stop\.ts may change/,
  ],
  ['… by any name', { 'store/a.ts': "import { rmSync as readSync } from 'node:fs';" }, /disk with rmSync/],
  ['… or as a whole', { 'manager/a.ts': "import * as fs from 'node:fs';" }, /disk with \*/],
  ['… or by promises', { 'manager/a.ts': "import { rename } from 'node:fs/promises';" }, /disk with rename/],
  ['… or lazily', { 'manager/a.ts': "const a = () => import('node:fs');" }, /disk with \*/],
  [
    'only store/read-file opens files',
    { 'store/a.ts': "import { openSync } from 'node:fs';" },
    /disk with openSync/,
  ],
  [
    'no cycles',
    { 'core/a.ts': "import './b.ts';", 'core/b.ts': "import type { A } from './a.ts';" },
    /cycle: core\/a\.ts → core\/b\.ts → core\/a\.ts/,
  ],
  [
    'no lazy cycles but the demo',
    { 'cli/a.ts': "import './b.ts';", 'cli/b.ts': "const a = () => import('./a.ts');" },
    /cycle/,
  ],
  [
    'what costs a start is loaded where it is needed',
    { 'cli/a.ts': "import { renderMarkdown } from '../render/markdown.ts';" },
    /must load render\/markdown\.ts lazily/,
  ],
  ['… a package too', { 'render/a.ts': "import { Lexer } from 'marked';" }, /must load marked lazily/],
  ['the tree has no other rooms', { 'utils/a.ts': '' }, /in no room/],
  ['no tests beside the sources', { 'core/a.test.ts': '' }, /a test/],
];

test.each(planted)('%s', (_rule, files, violation) => {
  expect(violationsOf(files).join('\n')).toMatch(violation);
});

test('what the rules allow passes', () => {
  const files = {
    'main.ts': "import { run } from './cli/run.ts'; process.exitCode = run(process.argv);",
    'cli/run.ts':
      "import './commands/demo.ts'; export const run = () => ({ process: 1, console: 2 }).console;",
    'cli/commands/demo.ts': "import { rmSync } from 'node:fs'; const a = () => import('../run.ts');",
    'process/kill.ts': "import { spawn } from 'node:child_process'; process.kill(process.pid, 0);",
    'syscalls.ts': "import { renameSync } from 'node:fs'; import { spawn } from 'node:child_process';",
    'store/files.ts': "import { rename } from '../syscalls.ts';",
    'agents/codex/translate.ts': "import type { Line } from '../../core/events.ts';",
    'config/keys.ts': "import { object } from 'zod/mini';",
    'core/time.ts': 'export const a = (ms: number) => new Date(ms);',
  };
  expect(violationsOf(files)).toEqual([]);
});

test('a verb is a file of its name', () => {
  const verbs = VERBS.map(({ name }) => name);
  const files = readdirSync(`${SRC}/cli/commands`).map((path) => basename(path, '.ts'));
  // What a verb has below it may have a file of its own: mcp-install.
  const own = files.filter((file) => !verbs.some((verb) => file.startsWith(`${verb}-`)));
  expect(verbs.sort()).toEqual(own.sort());
});

test('the work of a verb is a file of the same name', () => {
  const [ofManager = [], ofCli = []] = ['manager', 'cli'].map((room) =>
    readdirSync(`${SRC}/${room}/commands`),
  );
  expect(ofManager.length).toBeGreaterThan(10);
  expect(ofManager.filter((file) => !ofCli.includes(file))).toEqual([]);
});
