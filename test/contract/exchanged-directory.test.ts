import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createCodexProject, requireSandbox } from '../helpers/codex.ts';
import { connectTools } from '../helpers/tools-client.ts';

beforeAll(requireSandbox);

test('an agent that exchanges a directory for a link opens no other one to a delegated agent (attack B1)', async (t) => {
  const project = await createCodexProject(t.onTestFinished, {
    script: {
      scenarios: {
        swap: [
          {
            // In the moment in which the other agent's runner has checked its directory.
            shell:
              'until ls .zwarm/sessions/*/turns/1/runner.stat | grep -qv "/$ZWARM_SESSION_ID/"; do sleep 0.01; done; ' +
              'mv sub moved && ln -s "$FOREIGN" sub && echo swapped && touch swapped',
          },
          { message: 'swapped' },
        ],
        work: [
          { shell: 'until [ -e "$PROJECT/swapped" ]; do sleep 0.05; done' },
          { shell: 'echo x > "$PROJECT/sub/stolen"; echo x > "$PROJECT/here"; echo tried' },
          { message: 'tried' },
        ],
      },
    },
  });
  const foreign = join(project.base, 'foreign');
  for (const path of [foreign, join(project.directory, 'sub')]) mkdirSync(path);
  Object.assign(project.env, { FOREIGN: foreign, PROJECT: project.directory });
  const swapper = await project.start(['[[swap]]']);
  const { ok } = await connectTools(project);
  const { session_id } = await ok('delegate', {
    task: '[[work]]',
    working_dir: join(project.directory, 'sub'),
    sandbox: 'workspace-write',
  });
  await project.ok(['wait', swapper]);
  expect(existsSync(join(project.directory, 'swapped'))).toBe(true);
  // It did run: in the project, where it was allowed to.
  expect(await project.show(session_id)).toMatchObject({ status: 'completed', last_message: 'tried' });
  expect(existsSync(join(foreign, 'stolen'))).toBe(false);
  expect(existsSync(join(project.directory, 'here'))).toBe(true);
});
