import { expect, test } from 'vitest';
import { CODEX_VERSION, CODEX_WRAPPER, createCodexProject, endless, nativeCodex } from '../helpers/codex.ts';
import { eventually, processesNaming, processesWith } from '../helpers/project.ts';

/** A time for sleep that no other process sleeps for. */
const uniqueSeconds = (): string => `300.${process.pid}${String(Math.random()).slice(2)}`;

const CASES = ['workspace-write', 'danger-full-access'].flatMap((sandbox) =>
  ['native', 'wrapper'].flatMap((program) =>
    // More time than the test has, as Codex obeys at once; or none: what it leaves behind then must be ended too.
    ['1h', '0s'].map((grace) => ({ program, sandbox, grace })),
  ),
);

test.concurrent.for(CASES)(
  'kill during a command leaves no process: $sandbox, $program, grace $grace; then the session goes on',
  async ({ program, sandbox, grace }, t) => {
    const [waited, left] = [uniqueSeconds(), uniqueSeconds()];
    // The first is nobody's child any more when kill comes: only its mark tells whose it is.
    const command = `(setsid nohup sleep ${left} > /dev/null 2>&1 &); sleep ${waited}`;
    const script = {
      scenarios: { long: [{ message: 'on it', ...endless(command) }] },
      steps: [{ message: 'I am back' }],
    };
    const project = await createCodexProject(t.onTestFinished, { script });
    if (program === 'wrapper') project.env['ZWARM_CODEX_BIN'] = CODEX_WRAPPER;
    const id = await project.start(['-s', sandbox, '[[long]] build']);
    for (const seconds of [waited, left]) {
      await eventually('the command runs', () => processesNaming(seconds, 'cmdline').length > 0);
    }
    await eventually('all of it runs', () => processesWith(`ZWARM_SESSION_ID=${id}`).length > 2);

    // What Codex leaves behind when it has obeyed is told to end without another wait.
    expect(await project.$(`kill --grace ${grace} ${id}`)).toBe(`${id} killed\n`);
    // With no waiting: it has said that they are gone.
    expect([waited, left].flatMap((seconds) => processesNaming(seconds, 'cmdline'))).toEqual([]);
    const session = await project.show(id);
    expect(session).toMatchObject({ status: 'killed', error: null, last_message: 'on it' });
    expect(await project.$(`wait ${id}`)).toBe(`${id} killed\n[exit 1]\n`);
    expect(await project.$(`kill ${id}`)).toContain('[exit 4]');

    expect(await project.ok(['inject', id, '--wait', 'are you there?'])).toBe('I am back');
    const again = await project.show(id);
    expect(again).toMatchObject({ status: 'completed', thread_id: session.thread_id });
    const launched = {
      program: program === 'wrapper' ? CODEX_WRAPPER : nativeCodex(),
      agent_version: CODEX_VERSION,
    };
    expect(project.launch(id, 2)).toMatchObject(launched);
    const told = await project.told(id);
    expect(told[0]).toBe('user: [[long]] build');
    expect(told.at(-1)).toBe('user: are you there?');
    // The agent, its runner and what settles the turn have all ended.
    await eventually('all ended', () => processesWith(`ZWARM_SESSION_ID=${id}`).length === 0);
  },
);
