import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createProject } from '../helpers/project.ts';

test('a stream longer than any string, without a result at its end, takes no verb down', async () => {
  const project = createProject();
  const env = { FAKE_AGENT_EXIT: '3', FAKE_AGENT_STREAM: undefined };
  const { id } = JSON.parse((await project.zwarm(['start', '--wait', '--json', 'x'], { env })).stdout);
  await project.settled(id);
  const stream = openSync(project.turnFile(id, 1, 'events.jsonl'), 'w');
  // Lines of a megabyte, with holes that take no room on the disk.
  for (let line = 1; line <= 520; line += 1) writeSync(stream, '\n', line * (1 << 20) - 1);
  closeSync(stream);
  // An end whose byte count could not be recorded.
  const exit = project.turnFile(id, 1, 'exit.json');
  const record = JSON.parse(readFileSync(exit, 'utf8'));
  writeFileSync(exit, JSON.stringify({ ...record, events_bytes: null }));
  expect(await project.zwarm(['wait', id])).toMatchObject({ code: 1, stdout: `${id} failed\n` });
  expect(await project.ok(['rm', id])).toBe(id);
});
