import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProgramQuery } from '../../../src/core/program.ts';
import { findProgram, programFiles } from '../../../src/process/find-program.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

const QUERY: ProgramQuery = {
  binary: 'agent',
  variable: 'AGENT_BIN',
  packageName: '@vendor/agent',
  native: (platform, arch) => [`vendor/${platform}-${arch}/agent`, 'vendor/any/agent'],
  install: 'npm install -g @vendor/agent',
};

function program(path: string, says = 'agent-cli 1.2.3', mode = 0o755): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(path, mode);
  return path;
}

/** An npm package with a script, as npm installs it: linked into a directory of programs. */
function npmPackage(base: string, name = '@vendor/agent'): { home: string; bin: string; link: string } {
  const home = join(base, 'lib', 'node_modules', '@vendor', 'agent');
  const script = program(join(home, 'bin', 'agent.js'), 'the script');
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name, version: '7.8.9' }));
  const bin = join(base, 'bin');
  mkdirSync(bin);
  symlinkSync(script, join(bin, 'agent'));
  return { home, bin, link: join(bin, 'agent') };
}

const found = (env: Record<string, string>): ReturnType<typeof findProgram> =>
  findProgram(QUERY, env, emptyDirectory());

test('the first on the PATH that may be executed is taken, and asked for its version', async () => {
  const base = emptyDirectory();
  program(join(base, 'a', 'agent'), 'x', 0o644);
  mkdirSync(join(base, 'b', 'agent'), { recursive: true });
  const good = program(join(base, 'c', 'agent'));
  program(join(base, 'd', 'agent'), 'agent-cli 9.9.9');
  const PATH = ['a', 'b', 'none', 'c', 'd'].map((name) => join(base, name)).join(':');
  expect(await found({ PATH })).toEqual({ path: good, version: '1.2.3' });
});

test.each<[string, string | null]>([
  ['codex-cli 0.169.0', '0.169.0'],
  ['v1.2.3-alpha.4 (build 5)', '1.2.3-alpha.4'],
  ['no number here', null],
  ['', null],
  ["1.2.3'; exit 3; '", null],
])('a program that answers %j has the version %j', async (says, version) => {
  const base = emptyDirectory();
  const path = program(join(base, 'agent'), says);
  expect(await found({ PATH: base })).toEqual({ path, version });
});

test('relative entries of the PATH are ignored: the directory that one is in chooses no program', async () => {
  const base = emptyDirectory();
  program(join(base, 'agent'));
  const before = process.cwd();
  process.chdir(base);
  try {
    for (const PATH of ['.', '', ':', '::/nowhere', './', '../' + base.split('/').at(-1), 'bin']) {
      await expect(found({ PATH })).rejects.toMatchObject({ code: 'agent_not_found' });
    }
    await expect(found({})).rejects.toMatchObject({ code: 'agent_not_found' });
  } finally {
    process.chdir(before);
  }
});

test('a missing program is exit 127 and says how to get it', async () => {
  const base = emptyDirectory();
  writeFileSync(join(base, 'file'), '');
  for (const PATH of ['/nowhere', join(base, 'file')])
    await expect(found({ PATH })).rejects.toMatchObject({
      code: 'agent_not_found',
      exitCode: 127,
      hint: expect.stringMatching(/npm install -g @vendor\/agent.*AGENT_BIN.*-a demo/),
    });
});

test('one that may not be executed is exit 126 and says what to do', async () => {
  const directory = join(emptyDirectory(), "it's");
  const path = program(join(directory, 'agent'), 'x', 0o644);
  const hint = `chmod +x '${dirname(directory)}/it'\\''s/agent'`;
  const refused = { code: 'agent_not_executable', exitCode: 126, hint };
  await expect(found({ PATH: directory })).rejects.toMatchObject(refused);
  await expect(found({ PATH: '', AGENT_BIN: path })).rejects.toMatchObject(refused);
});

test('the variable outweighs the PATH, and must name a file by its absolute path', async () => {
  const base = emptyDirectory();
  program(join(base, 'bin', 'agent'));
  const other = program(join(base, 'other'), '4.5.6');
  const env = { PATH: join(base, 'bin') };
  expect(await found({ ...env, AGENT_BIN: other })).toEqual({ path: other, version: '4.5.6' });
  expect((await found({ ...env, AGENT_BIN: '' })).path).toBe(join(base, 'bin', 'agent'));
  for (const bad of ['other', './other', base, join(base, 'none')]) {
    await expect(found({ ...env, AGENT_BIN: bad })).rejects.toMatchObject({
      code: 'agent_not_found',
      message: expect.stringContaining('AGENT_BIN'),
    });
  }
});

test('beside the script of its npm package the native program is taken, in the order of the layouts', async () => {
  const base = emptyDirectory();
  const { home, bin, link } = npmPackage(base);
  expect(await found({ PATH: bin })).toEqual({ path: link, version: '7.8.9' });
  const any = program(join(home, 'vendor', 'any', 'agent'));
  expect(await found({ PATH: bin })).toEqual({ path: any, version: '7.8.9' });
  const exact = program(join(home, 'vendor', `${process.platform}-${process.arch}`, 'agent'));
  expect(await found({ PATH: bin })).toEqual({ path: exact, version: '7.8.9' });
  chmodSync(exact, 0o644);
  expect((await found({ PATH: bin })).path).toBe(any);
  // Who names the script gets the script.
  expect(await found({ PATH: '', AGENT_BIN: link })).toEqual({ path: link, version: '7.8.9' });
});

test('a package of another name lends neither its version nor its programs', async () => {
  const base = emptyDirectory();
  const { home, bin, link } = npmPackage(base, 'somebody-elses');
  program(join(home, 'vendor', 'any', 'agent'));
  expect(await found({ PATH: bin })).toEqual({ path: link, version: null });
  for (const text of ['{', 'null', '[]', '{"name":5}']) {
    writeFileSync(join(home, 'package.json'), text);
    expect((await found({ PATH: bin })).path).toBe(link);
  }
});

test.each<[string, string[]]>([
  ['#!/usr/bin/env helper', ['before/helper', 'bin/helper']],
  ['#! /usr/bin/env -S helper --flag', ['before/helper', 'bin/helper']],
  ['#!/usr/bin/env -S -u HOME A=1 -- helper', ['before/helper', 'bin/helper']],
  ['#!/usr/bin/env -Shelper', ['before/helper', 'bin/helper']],
  ['#!/usr/bin/env -vS "helper" -x', ['before/helper', 'bin/helper']],
  ['#!/usr/bin/env --split-string=/usr/bin/env helper', ['before/helper', 'bin/helper']],
  ['#!/usr/bin/env none', ['before/none', 'bin/none', 'after/none']],
  ['#!/opt/helper -x', ['/opt/helper']],
  ['no script', []],
])(
  'what runs as a program is decided by what runs its script, and by what would come before it: %j',
  (line, others) => {
    const base = emptyDirectory();
    program(join(base, 'bin', 'helper'));
    const path = program(join(base, 'agent'));
    writeFileSync(path, `${line}\nhelper\n`);
    const env = { PATH: `${base}/before:${base}/bin:${base}/after`, AGENT_BIN: path };
    expect(programFiles(QUERY, env, emptyDirectory()).map((one) => one.replace(`${base}/`, ''))).toEqual([
      ...['agent', 'agent'],
      ...others,
    ]);
  },
);

test('a script is not run by a program of the project, wherever itself may be', async () => {
  const project = emptyDirectory();
  const path = program(join(emptyDirectory(), 'agent'));
  writeFileSync(path, '#!/usr/bin/env helper\n');
  program(join(project, 'bin', 'helper'));
  const env = { PATH: join(project, 'bin'), AGENT_BIN: path };
  await expect(findProgram(QUERY, env, project)).rejects.toMatchObject({
    code: 'program_unsafe',
    hint: 'take its directory out of your PATH',
  });
});

test('a pipe in the place of a package is no package', async () => {
  const base = emptyDirectory();
  const path = program(join(base, 'agent'));
  execFileSync('mkfifo', [join(base, 'package.json')]);
  expect(await found({ PATH: base })).toEqual({ path, version: '1.2.3' });
});
