import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Project, SHELL_AGENT } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';

/** Puts a program where an agent may write, and that first on the PATH. */
function plant(project: Project, script = '#!/bin/sh\necho yes > pwned\n'): string {
  const bin = join(project.directory, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'codex'), script, { mode: 0o755 });
  Object.assign(project.env, { PATH: `${bin}:${project.env['PATH']}`, ZWARM_CODEX_BIN: undefined });
  return join(bin, 'codex');
}

test('an agent cannot put the program of the next turn in its place', async () => {
  const project = createShellProject();
  const bin = join(project.base, 'bin');
  mkdirSync(bin);
  copyFileSync(SHELL_AGENT, join(bin, 'codex'));
  Object.assign(project.env, { PATH: `${bin}:${project.env['PATH']}`, ZWARM_CODEX_BIN: undefined });
  const id = await project.ok(['start', 'quick', '--wait', '--json']).then((json) => JSON.parse(json).id);
  const planted = plant(project);
  for (const args of [
    ['inject', id, 'more'],
    ['start', 'other'],
  ]) {
    const refused = await project.run(args);
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toMatch(
      /an agent could put another program in its place: nothing was run\nhint: /,
    );
    expect(refused.stderr).toContain(`ZWARM_CODEX_BIN=${planted}`);
  }
  expect((await project.show(id)).turn).toBe(1);
  expect(existsSync(join(project.directory, 'pwned'))).toBe(false);
});

test('a program in the project is run for whoever names it, or works in all of a home directory', async () => {
  const project = createShellProject();
  const path = plant(project, '#!/bin/sh\necho 1.2.3\n');
  expect(await project.run(['start', 'x'], { env: { ZWARM_CODEX_BIN: path } })).toMatchObject({ code: 0 });
  const home = { HOME: project.directory, XDG_STATE_HOME: join(project.base, 'state') };
  expect(await project.run(['start', 'x'], { env: home })).toMatchObject({ code: 0 });
});
