import { chmodSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLAUDE, createClaudeProject } from '../helpers/claude.ts';
import { createCodexProject, pathOfBwrap } from '../helpers/codex.ts';
import { isInstalled } from '../helpers/installed.ts';
import { createOrdinaryProject } from '../helpers/ordinary-project.ts';

const script = {
  scenarios: {
    first: [{ message: 'let me look', shell: 'echo forty-two' }, { message: 'it says forty-two' }],
    second: [{ message: 'still forty-two' }],
  },
};

const SAID = [
  'user: [[first]] what does it say?',
  'assistant: let me look',
  expect.stringMatching(/^call: .*echo forty-two/),
  expect.stringMatching(/^output: .*forty-two/),
  'assistant: it says forty-two',
];

test.concurrent('another Codex goes on with a conversation that was packed, in its own thread or from a transcript', async (t) => {
  const [here, there, bare] = [
    await createCodexProject(t.onTestFinished, { script }),
    await createCodexProject(t.onTestFinished, { script }),
    await createCodexProject(t.onTestFinished, { script }),
  ];
  const id = await here.ended(['[[first]] what does it say?']);
  const [whole, records] = [join(here.base, 'whole.tgz'), join(here.base, 'records.tgz')];
  await here.ok(['pack', id, '--with-thread', '-o', whole]);
  await here.ok(['pack', id, '-o', records]);

  expect(await there.$(`unpack ${whole}`)).toBe(`${id}\n`);
  expect(await there.ok(['inject', id, '--wait', '[[second]] and now?'])).toBe('still forty-two');
  const { turns, thread_id, working_dir } = await there.show(id);
  expect(turns.map(({ how }) => how)).toEqual(['fresh', 'native']);
  expect({ thread_id, working_dir }).toEqual({
    thread_id: (await here.show(id)).thread_id,
    working_dir: there.directory,
  });
  expect(await there.told(id)).toEqual([...SAID, 'user: [[second]] and now?']);
  // It works where it is now.
  expect(await there.launch(id, 2)).toMatchObject({ argv: expect.arrayContaining(['-C', there.directory]) });

  // This Codex has never run: it has no thread of anybody.
  await bare.ok(['unpack', records]);
  await bare.ok(['inject', id, '--wait', 'and now?']);
  expect((await bare.show(id)).turns.map(({ how }) => how)).toEqual(['fresh', 'replay']);
  expect((await bare.told(id)).join('\n')).toMatch(
    /what does it say\?[\s\S]*it says forty-two[\s\S]*and now/,
  );
});

test.concurrent('another user, elsewhere, is shown the same of it, byte for byte', async (t) => {
  const patch = '*** Begin Patch\n*** Add File: a.txt\n+one\n*** Add File: src/b.txt\n+two\n*** End Patch';
  const steps = [{ message: 'let me look', shell: 'ls' }, { message: 'I write', patch }, { message: 'done' }];
  const here = await createCodexProject(t.onTestFinished, { script: { steps, after: 'restart' } });
  const there = createOrdinaryProject(t.onTestFinished);
  const codex = await here.ended(['change it', '--name', 'fix']);
  await here.ok(['inject', codex, '--wait', 'again']);
  await here.settled(codex, 2);
  const demo = await here.ended(['-a', 'demo', 'try it [[seconds=0]]']);
  // Times and model are told by the agent's own file alone, which does not come along.
  const [, said] = (await here.show(codex)).messages;
  expect(said).toMatchObject({ role: 'assistant', timestamp: expect.any(String) });
  const sessions = join(here.env['CODEX_HOME'] ?? '', 'sessions');
  renameSync(sessions, `${sessions}.away`);
  const neutral = (text: string): string =>
    [here, there]
      .reduce((all, { base, directory }) => all.replaceAll(directory, 'DIR').replaceAll(base, 'BASE'), text)
      .replaceAll(/(?<=projects\/)[\w-]+-[0-9a-f]{16}/g, 'KEY');
  const options = [['--json'], ['--json', '--full'], ['--time'], ['--time', '--full']];
  for (const id of [codex, demo]) {
    const file = join(there.base, `${id}.tgz`);
    await here.ok(['pack', id, '-o', file]);
    chmodSync(file, 0o644);
    const pages: string[] = [];
    for (const more of options) pages.push(neutral(`${await here.ok(['show', id, ...more])}\n`));
    expect(pages[2]).toMatch(/changed .* files?: [\s\S]* turn 1 /);
    expect(await there.ordinary(['unpack', file])).toMatchObject({ code: 0, stdout: `${id}\n` });
    const told: string[] = [];
    for (const more of options) told.push(neutral((await there.ordinary(['show', id, ...more])).stdout));
    expect(told).toEqual(pages);
  }
});

test
  .runIf(isInstalled(CLAUDE))
  .concurrent('another Claude Code likewise goes on in its own thread', async (t) => {
    const here = await createClaudeProject(t.onTestFinished, [{ text: 'it says forty-two' }]);
    const there = await createClaudeProject(t.onTestFinished, [{ text: 'still forty-two' }]);
    // What came out of an archive runs within its sandbox, or not at all.
    Object.assign(there.env, { PATH: `${pathOfBwrap()}:${there.env['PATH']}` });
    const id = await here.ended(['what does it say?']);
    const archive = join(here.base, 'whole.tgz');
    await here.ok(['pack', id, '--with-thread', '-o', archive]);
    expect(await there.$(`unpack ${archive}`)).toBe(`${id}\n`);
    expect(await there.ok(['inject', id, '--wait', 'and now?'])).toBe('still forty-two');
    expect((await there.show(id)).turns.map(({ how }) => how)).toEqual(['fresh', 'native']);
    expect(there.model.told().join('\n')).toMatch(
      /user: what does it say\?[\s\S]*it says forty-two[\s\S]*user: and now\?$/,
    );
  });
