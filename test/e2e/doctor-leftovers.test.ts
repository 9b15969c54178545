import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Check } from '../../src/core/check.ts';
import { eventually, processesWith } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';

test.runIf(process.platform === 'linux')(
  'what an agent leaves running is reported once its turn is over, with its session and without it',
  async () => {
    const project = createShellProject();
    onTestFinished(() => {
      for (const left of processesWith(`HOME=${project.base}/`)) process.kill(left, 'SIGKILL');
    });
    const leave =
      'sleep 1000 < /dev/null > /dev/null 2>&1 & echo $! > left; until [ -e go ]; do sleep 0.02; done';
    const id = await project.begin(`run ${leave}`);
    const pid = Number(await project.written('left'));
    const leftovers = async (now = Date.now()): Promise<Check | undefined> => {
      const { stdout } = await project.zwarm(['doctor', '--json'], { now });
      return JSON.parse(stdout).checks.find(({ name }: Check) => name === 'leftover-processes');
    };
    const later = Date.now() + 3_600_000;
    expect(await leftovers(later)).toMatchObject({ status: 'ok' });
    writeFileSync(join(project.directory, 'go'), '');
    await project.settled(id);
    const hint = expect.stringMatching(new RegExp(`kill ${pid}$`));
    expect(await leftovers(later)).toMatchObject({ status: 'warning', hint });
    await project.ok(['rm', id]);
    expect(await leftovers()).toMatchObject({ status: 'warning', hint });
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', async () => (await leftovers())?.status === 'ok');
  },
);
