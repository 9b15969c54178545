import { expect, test } from 'vitest';
import { createTools } from '../../helpers/tools-in-process.ts';

const says = (text: string): string =>
  `echo '{"type":"item.completed","item":{"id":"${text}","type":"agent_message","text":"${text}"}}'`;

test('get_trajectory pages through all the steps, to the last one', async () => {
  const { ok, ended } = createTools();
  const command = { id: 'c', type: 'command_execution', command: 'a\n b', exit_code: 3, status: 'failed' };
  const item = JSON.stringify({ type: 'item.completed', item: { ...command, aggregated_output: 'no' } });
  const runs = item.replace('completed', 'started').replace('"c"', '"d"').replace(':3,', ':null,');
  const session_id = await ended(`run ${says('one')}; printf '%s\\n' '${item}' '${runs}'`);
  const { steps, step_count, hint } = await ok('get_trajectory', { session_id });
  expect(hint).toBeNull();
  expect(step_count).toBe(4);
  expect(steps).toMatchObject([
    {
      step: null,
      turn: 1,
      type: 'user_message',
      by: 'mcp:test-client',
      summary: expect.stringMatching(/^run echo .*…$/),
    },
    { step: 1, turn: 1, type: 'message', summary: 'one' },
    { step: 2, type: 'command', status: 'failed', exit_code: 3, summary: '$ a b', last_lines: 'no' },
    { step: 3, type: 'command', summary: '$ a b' },
    { step: 4, summary: 'done' },
  ]);
  expect(steps[3]).not.toHaveProperty('exit_code');
  const paged: unknown[] = [];
  for (let offset = 0; offset < step_count; offset += 1) {
    const page = await ok('get_trajectory', { session_id, offset, limit: 1 });
    paged.push(...page.steps);
    const before = offset === 0 ? '' : `; before them: offset=0, limit=${offset}`;
    const after = offset === step_count - 1 ? '' : `; after them: offset=${offset + 1}`;
    expect(page.hint).toBe(`these are the steps ${offset + 1} to ${offset + 1} of 4${before}${after}`);
  }
  expect(paged).toEqual(steps);
  const beyond = await ok('get_trajectory', { session_id, offset: step_count });
  expect(beyond).toMatchObject({ steps: [], hint: null, turn: null });
  const full = await ok('get_trajectory', { session_id, turn: 1, full: true });
  expect(full).toMatchObject({
    turn: 1,
    steps: [
      { content: expect.stringMatching(/^run/) },
      { content: 'one' },
      { output: 'no', exit_code: 3 },
      {},
      {},
    ],
  });
});

/** A command that prints a text 20,000 times. */
const prints = (id: number, text = 'z') =>
  `printf '{"type":"item.completed","item":{"id":"c${id}","type":"command_execution","command":"c${id}","aggregated_output":"'; ` +
  `head -c 20000 /dev/zero | tr '\\0' z | sed 's/z/${text}/g'; printf '%s\\n' '","exit_code":0,"status":"completed"}}'`;

test('a page of get_trajectory holds as many whole steps as fit, and at least one', async () => {
  const { ok, ended } = createTools();
  const session_id = await ended(
    `run ${[1, 2, 3, 4, 5, 6, 7].map((id) => prints(id)).join('; ')}; ${prints(8, String.raw`\\u0001`)}`,
  );
  const first = await ok('get_trajectory', { session_id, full: true });
  // Of each output 8000 characters are shown, of a page 40000.
  const commands = (steps: readonly { command?: string }[]) => steps.flatMap(({ command }) => command ?? []);
  expect(commands(first.steps)).toEqual(['c1', 'c2', 'c3', 'c4']);
  expect(first.steps[1].output).toMatch(/^z+\n… 12,023 characters …\nz+$/);
  const offset = first.steps.length - 1;
  expect(first.hint).toBe(`these are the steps 1 to ${offset} of 9; after them: offset=${offset}`);
  const rest = await ok('get_trajectory', { session_id, full: true, offset });
  expect(commands(rest.steps)).toEqual(['c5', 'c6', 'c7']);
  // As JSON it is longer than a page.
  const long = await ok('get_trajectory', { session_id, full: true, offset: offset + 3 });
  expect(commands(long.steps)).toEqual(['c8']);
  expect(long.hint).toBe(
    'these are the steps 8 to 8 of 9; before them: offset=0, limit=7; after them: offset=8',
  );
});

/** Commands that print some lines and fail, one after the other. */
const fails = (from: number, to: number): string =>
  `for i in $(seq ${from} ${to}); do printf '{"type":"item.completed","item":{"id":"c%d","type":"command_execution",` +
  `"command":"/bin/bash -lc make","aggregated_output":"1\\\\n2\\\\n3\\\\n4\\\\n5\\\\nno %d\\\\n",` +
  `"exit_code":2,"status":"failed"}}\\n' $i $i; done`;

test('of a session that failed the last steps come first, and the hint leads back to what was before', async () => {
  const { ok, ended } = createTools();
  const session_id = await ended(`run ${fails(1, 120)}; exit 1`);
  const { response, why, hint } = (await ok('wait_sessions', { ids: [session_id] })).sessions[0];
  expect({ response, why, hint }).toEqual({
    response: null,
    why: '$ make [exit 2]\n2\n3\n4\n5\nno 120',
    hint: `get_trajectory(session_id="${session_id}", turn=1) shows what it did; converse continues where it stopped`,
  });
  const page = async (args: object) => {
    const { steps, hint } = await ok('get_trajectory', { session_id, ...args });
    const numbers = steps.map(({ step }: { step: number | null }) => step);
    return { told: `${numbers[0]}-${numbers.at(-1)}`, hint };
  };
  const last = {
    told: '71-120',
    hint: 'these are the steps 71 to 120 of 120; before them: offset=20, limit=50',
  };
  expect(await page({})).toEqual(last);
  expect(await page({ turn: 1, full: true })).toEqual(last);
  expect(await page({ offset: 20, limit: 50 })).toEqual({
    told: '21-70',
    hint: 'these are the steps 21 to 70 of 120; before them: offset=0, limit=20; after them: offset=70',
  });
  expect((await page({ last: 100, limit: 1 })).told).toBe('21-120');
  // What the user said comes before the first step of its turn.
  expect((await page({ offset: 0 })).told).toBe('null-50');
  expect(await page({ last: 500 })).toEqual({ told: 'null-120', hint: null });
  const [failed] = (await ok('get_trajectory', { session_id, last: 1 })).steps;
  expect(failed).toMatchObject({ summary: '$ make', exit_code: 2, last_lines: '2\n3\n4\n5\nno 120' });
  const [whole] = (await ok('get_trajectory', { session_id, last: 1, full: true })).steps;
  expect(whole).toMatchObject({ step: 120, command: 'make', output: '1\n2\n3\n4\n5\nno 120\n' });
  // What counts is the turn that is asked for, else the session.
  await ok('converse', { session_id, message: 'quick' });
  expect((await page({ turn: 1 })).told).toBe('71-120');
  expect((await page({})).told).toBe('null-50');
});

test('of what does not fit into one answer the newest come first, too', async () => {
  const { ok, ended } = createTools();
  const session_id = await ended(`run ${[1, 2, 3, 4, 5, 6].map((id) => prints(id)).join('; ')}; exit 1`);
  const { steps, hint } = await ok('get_trajectory', { session_id, full: true });
  expect(steps.map(({ command }: { command?: string }) => command)).toEqual(['c3', 'c4', 'c5', 'c6']);
  expect(hint).toBe('these are the steps 3 to 6 of 6; before them: offset=0, limit=2');
});

test('each message of the user stands before what was done for it, also where that was nothing', async () => {
  const { ok, ended, manager } = createTools();
  const session_id = await ended('quick');
  await manager.inject(session_id, 'exit 3');
  await manager.wait(session_id as never);
  const told = async (args: object) => {
    const { steps, step_count } = await ok('get_trajectory', { session_id, ...args });
    const lines = steps.map(
      ({ step, turn, summary, content }: Record<string, unknown>) => `${step} ${turn} ${summary ?? content}`,
    );
    return { lines, step_count };
  };
  const all = ['null 1 quick', '1 1 done', 'null 2 exit 3'];
  expect(await told({})).toEqual({ lines: all, step_count: 1 });
  expect(await told({ full: true, offset: 0 })).toEqual({ lines: all, step_count: 1 });
  expect(await told({ turn: 2 })).toEqual({ lines: ['null 2 exit 3'], step_count: 0 });
  expect(await told({ offset: 1 })).toEqual({ lines: ['null 2 exit 3'], step_count: 1 });
});
