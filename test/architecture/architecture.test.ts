import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/registry.ts';
import { VERBS } from '../../src/cli/command-tree.ts';
import { repositoryFile } from '../helpers/project.ts';
import { violationsOf } from './house.ts';

const SRC = repositoryFile('src');

test('src/ keeps the rules of the house', () => {
  const entries = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const paths = entries.filter((path) => path.endsWith('.ts'));
  expect(paths.length).toBeGreaterThan(50);
  const files = paths.map((path) => [path, readFileSync(`${SRC}/${path}`, 'utf8')]);
  expect(violationsOf(Object.fromEntries(files))).toEqual([]);
});

/** Where agents are called by their names: their folders with the registry, their tables as hosts, what people are told. */
const NAMES_AGENTS = /^(agents|hosts|cli)\//;
/** Names that are not those of agents: of their directories, of hosts of models, of the agent of another tool. */
const OTHER_NAMES: Readonly<Record<string, RegExp>> = {
  'core/rules/policy.ts': /'\.codex'|'\.claude'/g,
  'config/keys.ts': /such as "codex"/g,
  'manager/access/served-place.ts': /CLAUDE_PROJECT_DIR/g,
  'manager/doctor/installation.ts': /restart the program that started it: Codex, Claude Code, an editor/g,
  'mcp/client.ts': /\bClaude Code\b|CLAUDE_CODE_SEC|claude-code/g,
  'store/python-store.ts': /_default\(string, 'codex'\)/g,
};

test('nothing but its own folder knows what an agent is called', () => {
  const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const names = new RegExp(
    AGENTS.map(({ name }) => name)
      .filter((name) => name !== 'demo')
      .join('|'),
    'i',
  );
  const naming = paths.filter((path) => {
    const text = readFileSync(`${SRC}/${path}`, 'utf8');
    return !NAMES_AGENTS.test(path) && names.test(text.replaceAll(OTHER_NAMES[path] ?? /(?!)/g, ''));
  });
  expect(naming).toEqual([]);
  const unused = Object.entries(OTHER_NAMES).filter(
    ([path, name]) => !readFileSync(`${SRC}/${path}`, 'utf8').match(name),
  );
  expect(unused).toEqual([]);
});

/** What breaks a rule: how it is called, and the line of a file that breaks it; `⏎` ends a file and begins another. */
const PLANTED = `
core may not import store          core/a.ts  import { b } from '../store/b.ts';
core may not import nanoid         core/a.ts  import { nanoid } from 'nanoid';
core may not import node:path      core/a.ts  import { join } from 'node:path';
core may not import zod            core/a.ts  import { z } from 'zod';
core may not import cli            core/a.ts  export type A = import('../cli/a.ts').A;
reads Date.now                     core/a.ts  export const a = Date.now();
reads new Date()                   core/a.ts  export const a = new Date();
uses setTimeout                    core/a.ts  setTimeout(() => 1, 1);
agents may not import node:path    agents/a.ts  import { join } from 'node:path';
agents may not import nanoid       agents/a.ts  import { nanoid } from 'nanoid';
store may not import process       store/a.ts  import { b } from '../process/b.ts';
render may not import store        render/a.ts  export * from '../store/b.ts';
manager may not import render      manager/a.ts  const a = () => import('../render/b.ts');
manager may not import cli         manager/a.ts  import type { A } from '../cli/a.ts';
turn may not import session        manager/turn/a.ts  import { b } from '../session/b.ts';
in the manager a may not import turn  manager/a.ts  import { b } from './turn/b.ts';
cli may not import store           cli/a.ts  import { b } from '../store/b.ts';
cli may not import installation    cli/a.ts  import { b } from '../installation.ts';
index may not import cli           index.ts  import { run } from './cli/run.ts';
imports something computed         cli/a.ts  const a = (b: string) => import(b);
uses process.env                   manager/a.ts  export const a = process.env;
uses process.env                   process/a.ts  export const a = process.env['A'];
uses process.exit                  cli/a.ts  process.exit(1);
imports node:process               cli/a.ts  import p from 'node:process';
uses globalThis                    cli/a.ts  globalThis.process.exit(1);
uses process.                      process/a.ts  const { env } = process; export { env };
uses console                       cli/a.ts  console.error('a');
has a default export               cli/a.ts  export default 1;
has a default export               cli/a.ts  const a = 1; export { a as default };
uses require                       cli/a.ts  const a = require('fs');
only git/git.ts runs git           cli/a.ts  capture('git', ['status'], {});
only process/ starts processes     manager/a.ts  import { spawn } from 'node:child_process';
disk with writeFileSync            store/files.ts  import { writeFileSync } from 'node:fs';
only store/files.ts, process/launch.ts, process/stop.ts may change  process/identity.ts  import { killProcess } from '../syscalls.ts';
disk with rmSync                   store/a.ts  import { rmSync as readSync } from 'node:fs';
disk with *                        manager/a.ts  import * as fs from 'node:fs';
disk with rename                   manager/a.ts  import { rename } from 'node:fs/promises';
disk with *                        manager/a.ts  const a = () => import('node:fs');
disk with openSync                 store/a.ts  import { openSync } from 'node:fs';
cycle: core/a.ts → core/b.ts → core/a.ts  core/a.ts  import './b.ts'; ⏎ core/b.ts  import type { A } from './a.ts';
cycle: cli/a.ts → cli/b.ts         cli/a.ts  import './b.ts'; ⏎ cli/b.ts  const a = () => import('./a.ts');
must load render/markdown/markdown.ts lazily  cli/a.ts  import { renderMarkdown } from '../render/markdown/markdown.ts';
must load marked lazily            render/a.ts  import { Lexer } from 'marked';
in no room                         utils/a.ts  ;
a test                             core/a.test.ts  ;
`;

test.each(PLANTED.trim().split('\n'))('%s', (line) => {
  const [, violation = '', files = ''] = /^(.+?) {2,}(.*)$/.exec(line) ?? [];
  const sources = files.split(' ⏎ ').map((file) => file.split(/ {2}(.*)/));
  expect(violationsOf(Object.fromEntries(sources)).join('\n')).toContain(violation);
});

test('what the rules allow passes', () => {
  const files = {
    'main.ts': "import { run } from './cli/run.ts'; process.exitCode = run(process.argv);",
    'cli/run.ts':
      "import './commands/demo.ts'; export const run = () => ({ process: 1, console: 2 }).console;",
    'cli/commands/demo.ts': "const a = () => import('../demo/play.ts');",
    'cli/demo/play.ts': "import { run } from '../run.ts';",
    'cli/demo/project.ts': "import { rmSync } from 'node:fs';",
    'process/kill.ts': "import { spawn } from 'node:child_process'; process.kill(process.pid, 0);",
    'syscalls.ts': "import { renameSync } from 'node:fs'; import { spawn } from 'node:child_process';",
    'store/files.ts': "import { rename } from '../syscalls.ts';",
    'agents/codex/translate.ts': "import type { Line } from '../../core/events.ts';",
    'config/keys.ts': "import { object } from 'zod/mini';",
    'core/time.ts': 'export const a = (ms: number) => new Date(ms);',
  };
  expect(violationsOf(files)).toEqual([]);
});

test('a verb, and the work of it, is a file of its name', () => {
  const [ofManager = [], ofCli = []] = ['manager', 'cli'].map((room) =>
    readdirSync(`${SRC}/${room}/commands`).map((path) => basename(path, '.ts')),
  );
  const verbs = VERBS.map(({ name }) => name);
  // What a verb has below it may have a file of its own: mcp-install.
  const own = ofCli.filter((file) => !verbs.some((verb) => file.startsWith(`${verb}-`)));
  expect(own.sort()).toEqual(verbs.sort());
  expect(ofManager.length).toBeGreaterThan(10);
  expect(ofManager.filter((file) => !ofCli.includes(file))).toEqual([]);
});
