import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../helpers/config.ts';
import { createProject, type Project } from '../helpers/project.ts';

const configure = (project: Project, text: string): void =>
  place(join(project.base, 'home/.config/zwarm/config.toml'), text);

test('a word of the user stands for the beginning of a command line', async () => {
  const project = createProject();
  const id = await project.ended();
  configure(project, `[alias]\nids = "ls -q"\ntagged = 'start --tag nightly --name="a b"'\n`);
  expect(await project.$('ids')).toBe(`${id}\n`);
  expect(await project.$('ids --status running')).toBe('');
  expect(await project.$('--color never ids')).toBe(`${id}\n`);
  expect(await project.$('tagged x')).toMatch(/^zwarm: .*"a b"/);
  expect(await project.$('ids --help')).toMatch(/^Usage: zwarm ls /);
  expect(await project.$('--project ids ids')).toMatch(/^zwarm: there is no directory ".*\/project\/ids"/);
  configure(project, '[alias]\nall = "show --json"\nls = "show"\nagain = "all"\nbad = "frobnicate"\n');
  // Its --json counts, also where the line cannot be understood.
  for (const [argv, code] of [
    [['all', 'none'], 'not_found'],
    [['all', '--bogus'], 'usage'],
  ] as const)
    expect(JSON.parse((await project.zwarm(argv)).stderr).error.code).toBe(code);
  // A command is never something else, and an alias never another alias.
  expect(await project.$('ls -q')).toBe(`${id}\n`);
  expect(await project.$('again')).toMatch(/^zwarm: unknown command "all"/);
  expect(await project.$('bad')).toMatch(/^zwarm: unknown command "frobnicate"/);
  expect(await project.$('toString')).toMatch(/^zwarm: unknown command "toString"/);
});

test('the file of a project, which an agent can write, sets no alias; a wrong one is refused by what decides', async () => {
  const project = createProject();
  place(join(project.directory, 'zwarm.toml'), '[alias]\nids = "ls -q"\n');
  expect(await project.$('ids')).toMatch(/^zwarm: unknown command "ids"/);
  expect(await project.$('config list', { tty: true })).toContain(
    'alias has no effect: only your own file decides this',
  );
  for (const line of ['["ls"]', '"start \'fix it"', '""', '\'""\'']) {
    configure(project, `[alias]\nids = ${line}\n`);
    for (const command of ['ids', 'config list'])
      expect(await project.$(command)).toMatch(
        /config\.toml: alias\."ids" must be a word for a command line, such as mine = "ls --source mine"/,
      );
    expect(await project.$('ls -q')).toBe('');
  }
  // Another entry is as good as before.
  configure(project, '[alias]\nids = 3\n"a b" = "ls"\n"--q" = "ls"\n"x\\u001b" = "ls"\nown = "ls -q"\n');
  expect(await project.$('own')).toBe('');
  expect(await project.$('idz')).toMatch(/^zwarm: unknown command "idz"/);
  for (const words of [[''], ['ids', 'own', '']]) {
    const { code, stdout, stderr } = await project.zwarm(['complete', '--', ...words]);
    expect({ code, stderr, wrong: stdout.match(/^(?:ids|a b|--q|x).*/gm) }).toEqual({
      code: 0,
      stderr: '',
      wrong: null,
    });
  }
  expect(await project.$('complete -- o')).toMatch(/^own\tls -q$/m);
});

test('where the file with aliases cannot be understood, an unknown command says so', async () => {
  const project = createProject();
  configure(project, '[alias]\nids = "ls -q\n');
  expect(await project.$('ids')).toMatch(/^zwarm: \/.*\/config\.toml: line 2/);
  expect(await project.$('complete -- l')).toMatch(/^ls\t/);
});

test('a shell completes aliases, and what follows them', async () => {
  const project = createProject();
  configure(project, '[alias]\nfailures = "ls --status failed"\nls = "show"\nhelp = "show"\n');
  expect(await project.$('complete -- f')).toBe(
    'fork\tbegin a session with a copy of a conversation\nfailures\tls --status failed\n',
  );
  expect(await project.$('complete -- failures --every')).toMatch(/^--everywhere\t/);
  expect(await project.$('complete -- --color never failures --every')).toMatch(/^--everywhere\t/);
  for (const line of ['help fail', '-- fail']) expect(await project.$(`complete -- ${line}`)).toBe('');
  expect((await project.$('complete -- l')).match(/^ls\t/gm)).toHaveLength(1);
});
