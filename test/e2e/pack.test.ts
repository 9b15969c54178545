import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOrdinaryProject } from '../helpers/ordinary-project.ts';
import { createShellProject, eventually, processesBelow, runProgram, ZWARM } from '../helpers/project.ts';

test('a pipe in the place of a file is refused at once, and taken as stdin', async () => {
  const project = createShellProject();
  const id = await project.ended();
  const [file, pipe] = [join(project.base, 'one.tgz'), join(project.base, 'pipe')];
  await project.ok(['pack', id, '-o', file]);
  await project.ok(['rm', id]);
  execFileSync('mkfifo', [pipe]);
  const sh = (line: string) =>
    runProgram('timeout', ['60', 'sh', '-c', line], {
      cwd: project.directory,
      env: { ...project.env, NODE: process.execPath, ZWARM },
    });
  for (const path of [pipe, '/dev/tty', '/dev/zero', project.directory])
    expect(await sh(`"$NODE" "$ZWARM" unpack ${path} < /dev/null`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`cannot read ${path}: .*\n.*zwarm unpack - <`)),
    });
  expect(await project.list()).toEqual([]);
  for (const line of [
    `cat ${file} > ${pipe} & "$NODE" "$ZWARM" unpack - < ${pipe}`,
    `"$NODE" "$ZWARM" unpack - < ${file}`,
    `cat ${file} | "$NODE" "$ZWARM" unpack -`,
    `ln -sf ${file} link; "$NODE" "$ZWARM" unpack link`,
  ]) {
    expect(await sh(line)).toMatchObject({ code: 0, stdout: `${id}\n` });
    await project.ok(['rm', id]);
  }
});

test('another user takes a session in, and goes on with it', async () => {
  const [here, there] = [createShellProject(), createOrdinaryProject()];
  const id = await here.ended(['echo one > one', '--name', 'fix']);
  const file = join(there.base, 'fix.tgz');
  await here.ok(['pack', 'fix', '-o', join(here.base, 'fix.tgz')]);
  copyFileSync(join(here.base, 'fix.tgz'), file);
  chmodSync(file, 0o644);
  expect(await there.ordinary(['unpack', file])).toMatchObject({ code: 0, stdout: `${id}\n`, stderr: '' });
  const page = async (...line: string[]) => (await there.ordinary(line)).stdout;
  expect(await page('show', '--time', 'fix')).toBe(await here.$('show --time fix'));
  await page('inject', 'fix', '--wait', 'go on');
  const { turns } = JSON.parse(await page('show', 'fix', '--json'));
  expect(turns[1]).toMatchObject({ how: 'replay', exit_code: 0 });
  // What it writes until then comes and goes.
  await eventually('its runner has ended', () => processesBelow(there.base).length === 0);
  const { uid } = lstatSync(there.directory);
  const sessions = join(there.store(), 'sessions');
  const files = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(sessions, name),
  );
  expect(files.filter((path) => lstatSync(path).uid !== uid || (lstatSync(path).mode & 0o077) !== 0)).toEqual(
    [],
  );
});
