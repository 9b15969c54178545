import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject, type Project } from '../helpers/project.ts';
import { connectFirstSdk, connectTools } from '../helpers/tools-client.ts';

const NOBODY = { session_id: 'nosuchone2' };

/** A call of each tool that is refused; null where nothing but its arguments can be wrong. */
const REFUSED: Readonly<Record<string, object | null>> = {
  delegate: { task: 'quick', working_dir: '/' },
  converse: { ...NOBODY, message: 'x' },
  check_session: NOBODY,
  peek_session: NOBODY,
  get_trajectory: NOBODY,
  get_changes: NOBODY,
  list_sessions: null,
  end_session: NOBODY,
  wait_sessions: { ids: ['nosuchone2'] },
};

/** Arguments that do not fit, by their field. */
const UNFIT: readonly (readonly [tool: string, args: object, field: string])[] = [
  ['delegate', {}, 'task'],
  ['delegate', { task: 'x', mode: 'later' }, 'mode'],
  ['delegate', { task: 'x', tags: ['A B'] }, 'tags'],
  ['converse', { session_id: 'x', message: '' }, 'message'],
  ['get_trajectory', { session_id: 'x', limit: 0 }, 'limit'],
  ['list_sessions', { status: 'done' }, 'status'],
  ['list_sessions', { source: 'me' }, 'source'],
  ['wait_sessions', { ids: 'x' }, 'ids'],
];

/** The official libraries, as hosts use them, by their generation. */
const LIBRARIES = {
  first: connectFirstSdk,
  second: async (project: Project) => (await connectTools(project)).client,
};

test.each(Object.entries(LIBRARIES))(
  'with the %s library answers and refusals arrive',
  async (_, connect) => {
    const project = createShellProject();
    writeFileSync(join(project.directory, 'zwarm.toml'), 'max_sessions = 2\n');
    const client = await connect(project);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(REFUSED).toSorted());
    const ok = async (name: string, args: object) => {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: { ...args } });
      expect(isError, `${name}: ${JSON.stringify(content)}`).toBeFalsy();
      expect(structuredContent).toMatchObject({ success: true });
      return structuredContent as { session_id: string };
    };
    const { session_id } = await ok('delegate', { task: 'quick' });
    const refusal = async (name: string, args: object) => {
      const answer = await client.callTool({ name, arguments: { ...args } });
      const [content] = answer.content;
      const text = content !== undefined && 'text' in content ? content.text : '';
      expect({ name, ...answer }).toMatchObject({ isError: true, content: [{ type: 'text' }] });
      expect(answer.structuredContent).toBeUndefined();
      return JSON.parse(text ?? '');
    };
    const words = expect.stringMatching(/./);
    for (const { name } of tools) {
      const said = { success: false, error: words, hint: words };
      const args = REFUSED[name];
      if (args) expect(await refusal(name, args)).toEqual(said);
      const unfit = await refusal(name, { ...args, nonsense: 1 });
      expect(unfit).toEqual({ ...said, field: 'nonsense', value: 1, allowed: expect.any(Array) });
    }
    for (const [name, args, field] of UNFIT)
      expect(await refusal(name, args)).toMatchObject({ success: false, field, allowed: expect.anything() });
    expect(await project.list()).toHaveLength(1);
    await ok('converse', { session_id, message: 'quick' });
    for (const name of ['check_session', 'peek_session', 'get_trajectory', 'get_changes'])
      await ok(name, { session_id });
    await ok('list_sessions', {});
    await ok('wait_sessions', { ids: [session_id] });
    await ok('end_session', { session_id, delete: true });
    // Busy, taken, not its own, and too many.
    const theirs = await project.start(['quick']);
    const busy = await ok('delegate', { task: 'hang', mode: 'async', name: 'busy', key: 'one' });
    for (const [name, args, error] of [
      ['converse', { session_id: busy.session_id, message: 'x' }, /still running/],
      ['delegate', { task: 'x', name: 'busy' }, /busy/],
      ['delegate', { task: 'x', key: 'one' }, /the key "one"/],
      ['end_session', { session_id: theirs }, /not started by you/],
      ['end_session', { session_id: 'busy', delete: true }, /whole id/],
    ] as const)
      expect(await refusal(name, args)).toMatchObject({ error: expect.stringMatching(error), hint: words });
    await ok('delegate', { task: 'hang', mode: 'async' });
    expect(await refusal('delegate', { task: 'quick' })).toMatchObject({
      error: expect.stringMatching(/no more than 2 may/),
    });
  },
);
