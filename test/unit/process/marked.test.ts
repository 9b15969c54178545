import { expect, test } from 'vitest';
import { processesOfStore } from '../../../src/process/marked.ts';
import { shellWith } from '../../helpers/marked-shell.ts';

test.runIf(process.platform === 'linux')(
  'a process is told by its mark, and only those of this state directory',
  async () => {
    const root = `/nowhere/${process.pid}/.zwarm`;
    const mark = 'abcdefghjq.1.nonce=with=equals';
    const { pid } = await shellWith({ ZWARM_DIR: root, ZWARM_MARK: mark });
    await shellWith({ ZWARM_DIR: `${root}/other`, ZWARM_MARK: mark });
    await shellWith({ ZWARM_DIR: root });
    await shellWith({ ZWARM_MARK: mark });
    expect(processesOfStore(root)).toMatchObject([{ pid, start: expect.stringMatching(/^\d+$/), mark }]);
  },
);
