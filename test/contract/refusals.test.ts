import { expect, test } from 'vitest';
import { createShellProject, type Project } from '../helpers/project.ts';
import { connectFirstSdk, connectTools } from '../helpers/tools-client.ts';

const NOBODY = { session_id: 'nosuchone2' };

/** A call of each tool that is refused. */
const REFUSED: Readonly<Record<string, object>> = {
  delegate: { task: 'quick', working_dir: '/' },
  converse: { ...NOBODY, message: 'x' },
  check_session: NOBODY,
  peek_session: NOBODY,
  get_trajectory: NOBODY,
  get_changes: NOBODY,
  list_sessions: { source: '!' },
  end_session: NOBODY,
  wait_sessions: { ids: ['nosuchone2'] },
};

/** The official libraries, as hosts use them, by their generation. */
const LIBRARIES = {
  first: connectFirstSdk,
  second: async (project: Project) => (await connectTools(project)).client,
};

test.each(Object.entries(LIBRARIES))(
  'with the %s library answers and refusals arrive',
  async (_, connect) => {
    const project = createShellProject();
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
      expect(await refusal(name, REFUSED[name] ?? {})).toEqual(said);
      const unfit = await refusal(name, { ...REFUSED[name], nonsense: 1 });
      expect(unfit).toEqual({ ...said, field: 'nonsense', value: 1, allowed: expect.any(Array) });
    }
    expect(await project.list()).toHaveLength(1);
    await ok('converse', { session_id, message: 'quick' });
    for (const name of ['check_session', 'peek_session', 'get_trajectory']) await ok(name, { session_id });
    await ok('list_sessions', {});
    await ok('wait_sessions', { ids: [session_id] });
    await ok('end_session', { session_id, delete: true });
  },
);
