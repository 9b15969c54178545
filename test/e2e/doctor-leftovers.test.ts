import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Check } from '../../src/core/check.ts';
import { onScreen } from '../helpers/context.ts';
import { createProject, eventually, type Project, processesWith } from '../helpers/project.ts';

/** A Codex that leaves a process behind: it starts one, waits for the gate to open, answers and ends. */
const LEAVING = `case $1 in --version) echo codex-cli 0.169.0; exit ;; login | sandbox) exit ;; esac
cat > /dev/null
sleep 1000 < /dev/null > /dev/null 2>&1 &
echo $! > "$LEFT"
while ! [ -e "$GATE" ]; do sleep 0.02; done
cat "$FAKE_AGENT_STREAM"`;

async function processes(project: Project, now?: number): Promise<Check | undefined> {
  const { stdout } = await onScreen(project, ['doctor', '--json'], now === undefined ? {} : { now });
  return JSON.parse(stdout).checks.find(({ name }: Check) => name === 'leftover-processes');
}

test.runIf(process.platform === 'linux')(
  'what an agent leaves running is told of once its turn is over, with its session and without it',
  async () => {
    const project = createProject();
    onTestFinished(() => {
      for (const left of processesWith(`HOME=${project.base}/`)) process.kill(left, 'SIGKILL');
    });
    const codex = join(project.base, 'codex');
    const left = join(project.base, 'left');
    const gate = join(project.base, 'gate');
    writeFileSync(codex, `#!/bin/sh\n${LEAVING}\n`, { mode: 0o755 });
    Object.assign(project.env, { ZWARM_CODEX_BIN: codex, LEFT: left, GATE: gate });
    const id = 'drft2abcde';
    expect(await onScreen(project, ['start', 'x'], { newId: id })).toMatchObject({ code: 0 });
    const pid = await eventually(
      'it has left a process',
      () => existsSync(left) && Number(readFileSync(left, 'utf8')),
    );
    const later = Date.now() + 3_600_000;
    expect(await processes(project, later)).toMatchObject({ status: 'ok' });

    writeFileSync(gate, '');
    expect(await onScreen(project, ['wait', id])).toMatchObject({ code: 0 });
    const found = { status: 'warning', hint: expect.stringMatching(new RegExp(`kill ${pid}$`)) };
    expect(await processes(project, later)).toMatchObject(found);
    await project.settled(id);
    expect(await onScreen(project, ['rm', id])).toMatchObject({ code: 0 });
    // What has settled the turn may take a moment more to end.
    await eventually('it alone is left', async () =>
      (await processes(project))?.hint?.endsWith(`kill ${pid}`),
    );
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', async () => (await processes(project))?.status === 'ok');
  },
);
