import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, type Project } from '../../helpers/project.ts';

/* A timer that wakes what waits, with programs of the system that only write down what they are asked. */

function withProgram(project: Project, name: string, script: string): void {
  const directory = join(project.base, 'programs');
  fs.mkdirSync(directory, { recursive: true });
  fs.writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  Object.assign(project.env, {
    PATH: `${directory}:/usr/bin:/bin`,
    XDG_STATE_HOME: join(project.base, 'home/50% of $it'),
  });
}

const here = (project: Project, text: string): string =>
  text
    .replaceAll(project.base, 'BASE')
    .replaceAll(/[^" ]*\/node[^" ]*/g, 'NODE')
    .replaceAll(/[^" ]*\/zwarm\.js/g, 'ZWARM');

const read = (path: string): string => fs.readFileSync(path, 'utf8');

test('a timer of systemd is shown, written, asked for, and removed again', async () => {
  const project = createProject();
  const log = join(project.base, 'log');
  withProgram(project, 'systemctl', `echo "$*" >> '${log}'`);
  expect(here(project, await project.$('wake install --yes'))).toMatchInlineSnapshot(`
    "BASE/home/.config/systemd/user/zwarm-wake.service
    + [Unit]
    + Description=Start what waits in the queues of zwarm
    +
    + [Service]
    + Type=oneshot
    + KillMode=process
    + Environment="XDG_STATE_HOME=BASE/home/50%% of $it"
    + ExecStart="NODE" "ZWARM" "wake"
    BASE/home/.config/systemd/user/zwarm-wake.timer
    + [Unit]
    + Description=Start what waits in the queues of zwarm
    +
    + [Timer]
    + OnStartupSec=1min
    + OnUnitInactiveSec=5min
    +
    + [Install]
    + WantedBy=timers.target
    "
  `);
  const units = join(project.base, 'home/.config/systemd/user');
  expect(here(project, read(join(units, 'zwarm-wake.service')))).toContain('ExecStart=');
  expect(await project.$('wake install --yes')).toBe('already there\n');
  expect(await project.$('wake install --remove --print')).toContain('\n- [Timer]\n');
  await project.ok(['wake', 'install', '--remove', '--yes']);
  expect(fs.readdirSync(units)).toEqual([]);
  expect(await project.$('wake install --remove')).toBe('nothing to remove\n');
  expect(
    read(log)
      .split('\n')
      .filter((line) => !line.endsWith('show-environment')),
  ).toMatchInlineSnapshot(`
    [
      "--user daemon-reload",
      "--user enable --now zwarm-wake.timer",
      "--user disable --now zwarm-wake.timer",
      "--user daemon-reload",
      "",
    ]
  `);
});

test('where there is no systemd it is a line of the crontab, whose others stay as they are', async () => {
  const project = createProject();
  const table = join(project.base, 'crontab');
  withProgram(project, 'systemctl', 'exit 1');
  withProgram(project, 'crontab', `case $1 in -l) cat '${table}' ;; *) cat > '${table}' ;; esac`);
  expect(here(project, await project.$('wake install'))).toMatchInlineSnapshot(`
    "crontab
    + */5 * * * * XDG_STATE_HOME='BASE/home/50\\% of $it' NODE ZWARM wake >/dev/null 2>&1 # zwarm wake
    zwarm: there is no terminal to ask on
    hint: say yes beforehand: --yes
    [exit 2]
    "
  `);
  fs.writeFileSync(table, '# mine\n0 4 * * * backup\n');
  await project.ok(['wake', 'install', '--yes']);
  expect(here(project, read(table))).toMatchInlineSnapshot(`
    "# mine
    0 4 * * * backup
    */5 * * * * XDG_STATE_HOME='BASE/home/50\\% of $it' NODE ZWARM wake >/dev/null 2>&1 # zwarm wake
    "
  `);
  await project.ok(['wake', 'install', '--remove', '--yes']);
  expect(read(table)).toBe('# mine\n0 4 * * * backup\n');
});

test('an agent may not install one, and where there is neither that is said', async () => {
  const project = createProject();
  project.env['PATH'] = '/nowhere';
  expect(await project.$('wake install --yes')).toMatchInlineSnapshot(`
    "zwarm: neither systemd nor cron works for you here
    hint: after a restart of the machine: zwarm queue run
    [exit 1]
    "
  `);
  const env = { ZWARM_SESSION_ID: 'abcdefghjk', ZWARM_TURN: '1' };
  expect(await project.$('wake install --yes', { env })).toMatchInlineSnapshot(`
    "zwarm: only the user may do this, and not orchestrator:abcdefghjk
    hint: ask the user to do it
    [exit 5]
    "
  `);
});
