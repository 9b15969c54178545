import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyDirectory } from '../helpers/directory.ts';
import { repositoryFile, runProgram } from '../helpers/project.ts';

const FILE = /^`([^`\n]+)`\n\n```(\w+)\n([\s\S]*?)^```$/gm;
const READINGS = 'fixtures/streams/toy-1.0/readings.txt';

/** A copy of this checkout, its git repository not included. */
function copyCheckout(): string {
  const copy = join(emptyDirectory(), 'zwarm');
  const parts = ['bin', 'docs', 'fixtures', 'src', 'test'];
  const files = 'build.js bundle.js man-pages.js package.json package-lock.json vitest.config.ts'.split(' ');
  for (const part of [...parts, ...files, 'tsconfig.json', 'tsconfig.types.json'])
    cpSync(repositoryFile(part), join(copy, part), { recursive: true });
  symlinkSync(repositoryFile('node_modules'), join(copy, 'node_modules'));
  return copy;
}

test('who follows docs/adding-an-agent.md has an agent that zwarm can start, and that passes the tests', async () => {
  const copy = copyCheckout();
  const page = readFileSync(repositoryFile('docs/adding-an-agent.md'), 'utf8');
  const files = [...page.matchAll(FILE)].map(([, path = '', kind, text = '']) => ({ path, kind, text }));
  for (const { path, kind, text } of files) {
    if (path === READINGS) continue;
    const at = join(copy, path);
    mkdirSync(dirname(at), { recursive: true });
    const written = kind === 'diff' ? patched(readFileSync(at, 'utf8'), text) : text;
    writeFileSync(at, written, { mode: 0o755 });
  }

  const home = join(copy, '..', 'home');
  mkdirSync(join(home, '.config/zwarm'), { recursive: true });
  writeFileSync(
    join(home, '.config/zwarm/config.toml'),
    'unconfined = true\nreachable_state = true\nreachable_installation = true\n',
  );
  const { PATH, TMPDIR } = process.env;
  const env = { PATH, TMPDIR, HOME: home, LANG: 'C.UTF-8', ZWARM_TOY_BIN: join(copy, 'toy.mjs') };
  const node = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram(process.execPath, args, { cwd: copy, env });
    expect(code, `${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  };
  const vitest = (project: string, ...args: string[]) =>
    node('node_modules/vitest/vitest.mjs', 'run', '--project', project, '--maxWorkers=2', ...args);

  await node('build.js');
  await vitest('fast', 'test/unit/agents/streams.test.ts', '-u');
  expect(readFileSync(join(copy, READINGS), 'utf8')).toBe(files.find(({ path }) => path === READINGS)?.text);
  await vitest('fast', 'test/unit/agents');
  await vitest('e2e', 'test/e2e/every-agent.test.ts', '-t', 'toy');

  const id = (await node('bin/zwarm.js', 'start', '-a', 'toy', 'hello')).trim();
  expect(await node('bin/zwarm.js', 'wait', id, '--answer')).toBe('You said: hello\n');
  expect(await node('bin/zwarm.js', 'inject', id, '--wait', 'again')).toBe('You said: again\n');
  const { turns } = JSON.parse(await node('bin/zwarm.js', 'show', id, '--json'));
  expect(turns.map(({ how }: { how: string }) => how)).toEqual(['fresh', 'native']);
});

/** A text in which the lines of a diff that begin with `-` have become those that begin with `+`. */
function patched(text: string, diff: string): string {
  const side = (others: string) =>
    diff
      .split('\n')
      .filter((line) => !line.startsWith(others))
      .map((line) => line.slice(1))
      .join('\n');
  expect(text).toContain(side('+'));
  return text.replace(side('+'), () => side('-'));
}
