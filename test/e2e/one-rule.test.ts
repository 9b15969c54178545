import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject } from '../helpers/shell-project.ts';

test('an older turn whose record was edited changes neither what lists say nor what verbs decide', async () => {
  const project = createShellProject();
  const id = await project
    .ok(['start', '-q', '--wait', '--json', 'quick'])
    .then((text) => JSON.parse(text).id);
  await project.ok(['inject', id, '--wait', 'quick']);
  await project.settled(id, 2);
  // Attack A8: it began on another machine, and never ended.
  for (const name of ['request.json', 'runner.stat']) {
    const path = project.turnFile(id, 1, name);
    const text = readFileSync(path, 'utf8');
    rmSync(path);
    writeFileSync(
      path,
      text.replace(/"host":"[^"]*"/, '"host":"other"').replace(/"boot_id":"[^"]*"/, '"boot_id":"other"'),
    );
  }
  rmSync(project.turnFile(id, 1, 'exit.json'));
  rmSync(join(project.store(), 'sessions', id, 'summary.json'));
  expect((await project.list()).map(({ status }) => status)).toEqual(['completed']);
  expect(await project.show(id)).toMatchObject({ status: 'completed', turn: 2 });
  expect(await project.run(['wait', id])).toMatchObject({ code: 0, stdout: `${id} completed\n` });
  expect(await project.run(['inject', id, '--wait', 'quick'])).toMatchObject({ code: 0 });
});
