import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLAUDE, createClaudeProject } from '../helpers/claude.ts';
import { createCodexProject } from '../helpers/codex.ts';
import { isInstalled } from '../helpers/installed.ts';

const SCHEMA = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
};

test.concurrent('Codex sends the schema to its model, also on a follow-up and in a fork', async (t) => {
  const answer = [{ message: '{"ok":true}' }];
  const script = { scenarios: { first: answer, second: answer, third: answer } };
  const project = await createCodexProject(t.onTestFinished, { script });
  writeFileSync(join(project.directory, 's.json'), JSON.stringify(SCHEMA));
  const id = await project.ended(['--schema', 's.json', '[[first]]']);
  expect(await project.ok(['inject', id, '--wait', '[[second]]'])).toBe('{"ok":true}');
  await project.ok(['fork', id, '--wait', '[[third]]']);
  const requests = await project.model.requests();
  const format = { type: 'json_schema', strict: true, schema: SCHEMA };
  expect(requests.map(({ body }) => body.text?.format)).toEqual(
    Array(3).fill(expect.objectContaining(format)),
  );
});

test
  .runIf(isInstalled(CLAUDE))
  .concurrent('Claude Code has its model answer by a tool of the schema', async (t) => {
    const answers = (ok: boolean) => ({ text: 'so:', tools: [['StructuredOutput', { ok }]] as const });
    const { model, ...project } = await createClaudeProject(t.onTestFinished, [
      answers(true),
      answers(false),
    ]);
    writeFileSync(join(project.directory, 's.json'), JSON.stringify(SCHEMA));
    const id = await project.ended(['--schema', 's.json', 'first']);
    expect(await project.ok(['inject', id, '--wait', 'second'])).toBe('{"ok":false}');
    expect((await project.show(id)).turns.map(({ answer, how }) => [answer, how])).toEqual([
      ['{"ok":true}', 'fresh'],
      ['{"ok":false}', 'native'],
    ]);
    for (const { tools } of model.requests)
      expect(tools).toContainEqual(
        expect.objectContaining({ name: 'StructuredOutput', input_schema: expect.objectContaining(SCHEMA) }),
      );
  });
