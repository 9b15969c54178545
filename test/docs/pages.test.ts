import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { GLOBAL_OPTIONS, VERBS } from '../../src/cli/command-tree.ts';
import type { Options, VerbDefinition } from '../../src/cli/define-verb.ts';
import { TURN_STATUSES } from '../../src/core/status.ts';
import { codeWords, readPage, tableOf } from '../helpers/document.ts';
import { createProject, repositoryFile, runProgram } from '../helpers/project.ts';

const DOCS = ['architecture', 'configuration', 'formats', 'guide', 'orchestration', 'release', 'reliability'];
const PAGES = [
  ...['README', 'CONTRIBUTING', 'SECURITY', 'CHANGELOG'].map((name) => `${name}.md`),
  ...DOCS.map((name) => `docs/${name}.md`),
];

/** The verbs that `zwarm --help` lists, each by its first name. */
const VERBS_OF_HELP = VERBS.filter(({ hidden }) => !hidden).map(({ name }) => name);

function namesIn(options: Options = {}): string[] {
  return Object.values(options).flatMap(({ term }) => term.match(/(?<![\w<-])--?[a-z][a-z-]*/gi) ?? []);
}

function namesOf({ options, subcommands = [] }: VerbDefinition): string[] {
  return [...namesIn(options), ...subcommands.flatMap(namesOf)];
}

/** Every option that a verb knows, long and short, with those of what is below it; for the empty verb those of zwarm. */
const OPTIONS_OF_HELP: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['', [...namesIn(GLOBAL_OPTIONS), '-V', '--version']],
  ...VERBS.map((verb): [string, string[]] => [verb.name, [...namesOf(verb), '-h', '--help']]),
]);

/** Options of other programs that the pages mention. */
const FOREIGN = `--skip-git-repo-check --ephemeral --shortstat --project --silent --quick --tags-filter
  --no-git-tag-version --follow-tags`.split(/\s+/);

/** What a page tells to type after `zwarm`: the verb and its options. */
function typed(page: string): { verb: string; options: string[] }[] {
  return [...page.matchAll(/\bzwarm ([a-z]+)\b([^\n`|&;()>]*)/g)].map(([, verb = '', rest = '']) => ({
    verb,
    // What stands in quotes is a task.
    options: rest.replace(/"[^"]*"/g, '').match(/(?<=\s)--?[a-z][a-z-]*/gi) ?? [],
  }));
}

/** The commands of a page's shell blocks and code spans. */
function codeOf(page: string): string {
  return [...page.matchAll(/```(?:sh|console)\n(.*?)```|`([^`\n]+)`/gs)].map(([, a, b]) => a ?? b).join('\n');
}

test('every verb and option in the pages is in the help of the program', () => {
  const known = OPTIONS_OF_HELP;
  const anywhere = new Set([...known.values()].flat().concat(FOREIGN));
  let looked = 0;
  for (const path of PAGES) {
    const code = codeOf(readPage(path));
    for (const { verb, options } of typed(code)) {
      expect(known.has(verb), `${path}: zwarm ${verb}`).toBe(true);
      const allowed = [...(known.get(verb) ?? []), ...(known.get('') ?? [])];
      expect(allowed, `${path}: zwarm ${verb}`).toEqual(expect.arrayContaining(options));
      looked += options.length;
    }
    const long = code.match(/(?<![\w-])--[a-z][a-z-]+/g) ?? [];
    const unknown = long.filter((name) => !anywhere.has(name));
    expect(unknown, path).toEqual([]);
  }
  expect(looked).toBeGreaterThan(10);
});

test('the README has a row for every verb, with options that the verb has', () => {
  const rows = tableOf(readPage('README.md'), 'Commands').map(([command = '', what = '']) => ({
    verb: /zwarm ([a-z]+)/.exec(command)?.[1] ?? '',
    options: codeWords(`${command} ${what}`).flatMap(
      (word) => word.match(/(?<![\w-])--?[a-zA-Z][a-z-]*/g) ?? [],
    ),
  }));
  expect(rows.map(({ verb }) => verb)).toEqual(VERBS_OF_HELP);
  for (const { verb, options } of rows)
    expect(OPTIONS_OF_HELP.get(verb), verb).toEqual(expect.arrayContaining(options));
});

test('the npm scripts in the pages exist; “Set up” shows the main job and passes the tests', () => {
  const { scripts } = JSON.parse(readPage('package.json'));
  const pages = PAGES.map(readPage).join('\n');
  const named = [...pages.matchAll(/npm (?:run )?(demo|test(?::\w+)?|build|\w+check|lint|format)\b/g)];
  expect(named.map(([, name = '']) => name).filter((name) => !(name in scripts))).toEqual([]);
  expect(named.length).toBeGreaterThan(5);
  const section = /^## Set up\n(.*?)^## /ms.exec(readPage('README.md'))?.[1] ?? '';
  const commands = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, command]) => command);
  expect(commands).toEqual(['npm ci && npm run demo\n', 'npm test\n']);
});

test('the files and links that the pages name exist', () => {
  for (const path of PAGES) {
    const page = readPage(path);
    const words = codeWords(page);
    const files = words.filter((word) => /^(src|bin|test|docs|fixtures|\.ci)\/[\w./-]*$/.test(word));
    const rooms = /^(cli|config|manager|store|process|agents|core|render)\/[\w./-]+\.ts$/;
    const short = words.filter((word) => rooms.test(word)).map((word) => `src/${word}`);
    const links = [...page.matchAll(/\]\((?!http|#)([^)#]+)/g)].map(([, link = '']) =>
      join(dirname(path), link),
    );
    const missing = [...files, ...short, ...links].filter((file) => !existsSync(repositoryFile(file)));
    expect(missing, path).toEqual([]);
  }
});

test('the status table names every status of a turn', () => {
  const rows = tableOf(readPage('docs/architecture.md'), 'How a status is found');
  const named = rows.map((row) => codeWords(row.at(-1) ?? '')[0]);
  expect(new Set(named)).toEqual(new Set(TURN_STATUSES));
});

test('no page tells of the machine that it was written on', () => {
  for (const path of PAGES) {
    const absolute = readPage(path).match(/(?<=[\s`"'(])\/[a-z][\w.-]*\/[\w.-]*/g) ?? [];
    expect(absolute.join('\n'), path).not.toMatch(/^(?!\/(home\/ann|proc\/))./m);
  }
});

test('the program of the guide does what it says', async () => {
  const [, program = ''] = /```js\n(.*?)```/s.exec(readPage('docs/guide.md')) ?? [];
  const project = createProject();
  const modules = join(project.directory, 'node_modules');
  mkdirSync(modules);
  symlinkSync(repositoryFile('.'), join(modules, 'zwarm'));
  writeFileSync(join(project.directory, 'program.mjs'), program);
  const { directory: cwd, env } = project;
  const { code, stdout, stderr } = await runProgram(process.execPath, ['program.mjs'], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const said = stdout.replaceAll(' [[seconds=0]]', '').replaceAll(/^ {2}assistant: .*\n/gm, '');
  expect(said).toMatchInlineSnapshot(`
    "first completed
      user: Suggest a name
      user: And why that one?
    other completed
      user: Suggest a name
      user: Another one, please
    8 steps, the last one a message
    true
    user, assistant
    0 left
    "
  `);
});
