import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, createShellProject, type Project } from '../helpers/project.ts';

const [A, B] = ['answeraaaa', 'answerbbbb'] as const;

/** What a line prints on each stream, and its exit code. */
async function typed(project: Project, line: string, options = {}): Promise<string> {
  const { code, stdout, stderr } = await project.zwarm(line.split(' '), options);
  const marked = (text: string, mark: string) => text.replace(/^(?=.)/gm, mark);
  return `$ zwarm ${line}\n${marked(stdout, '1 ')}${marked(stderr, '2 ')}[exit ${code}]\n`;
}

test('answer prints the answer alone, with the exit code of wait', async () => {
  const project = createShellProject();
  await project.ended(['quick', '--name', 'cart'], { newId: A });
  const transcript = [await typed(project, 'answer cart')];
  await project.zwarm(['inject', 'cart', '--wait', 'break']);
  transcript.push(await typed(project, 'answer cart'), await typed(project, 'answer cart --turn 1'));
  await project.zwarm(['rewind', 'cart', '--to', '1']);
  for (const more of ['', ' --json', ' --turn 3', ' --turn 9'])
    transcript.push(await typed(project, `answer cart${more}`));
  transcript.push(await typed(project, 'wait cart --answer'));
  await project.zwarm(['inject', 'cart', 'hang']);
  transcript.push(await typed(project, 'answer cart'), await typed(project, 'answer cart --turn 1'));
  await project.zwarm(['kill', 'cart']);
  transcript.push(await typed(project, 'answer cart'));
  for (const line of ['inject cart --wait quick', 'rewind cart --to 1', 'inject cart hang'])
    await project.zwarm(line.split(' '));
  transcript.push(await typed(project, 'answer cart'));
  expect(transcript.join('')).toMatchInlineSnapshot(`
    "$ zwarm answer cart
    1 done
    [exit 0]
    $ zwarm answer cart
    2 zwarm: answeraaaa failed
    2 it broke
    2 hint: see what it did: zwarm show answeraaaa --full; then continue with: zwarm inject answeraaaa "…"
    [exit 1]
    $ zwarm answer cart --turn 1
    1 done
    [exit 0]
    $ zwarm answer cart
    1 done
    [exit 0]
    $ zwarm answer cart --json
    1 {
    1   "id": "answeraaaa",
    1   "turn": 1,
    1   "status": "completed",
    1   "answer": "done"
    1 }
    [exit 0]
    $ zwarm answer cart --turn 3
    2 zwarm: turn 3 of cart is a mark (rewind): it has no answer
    2 hint: see: zwarm show cart
    [exit 2]
    $ zwarm answer cart --turn 9
    2 zwarm: cart has no turn 9
    2 hint: its turns go from 1 to 3
    [exit 2]
    $ zwarm wait cart --answer
    1 done
    [exit 0]
    $ zwarm answer cart
    2 zwarm: cart is still running: it has no answer yet
    2 hint: wait for it: zwarm wait cart --answer; what it answered before: zwarm answer cart --turn 1
    [exit 4]
    $ zwarm answer cart --turn 1
    1 done
    [exit 0]
    $ zwarm answer cart
    2 zwarm: answeraaaa killed
    [exit 1]
    $ zwarm answer cart
    2 zwarm: cart is still running: it has no answer yet
    2 hint: wait for it: zwarm wait cart --answer; what it answered before: zwarm answer cart --turn 1
    [exit 4]
    "
  `);
});

test('an answer is whole and raw, harmless on a terminal, and seen', async () => {
  const project = createProject();
  const said = '  \u001b[31mred\u001b[0m\r\n';
  const path = join(project.base, 'said.jsonl');
  const line = (event: object) => `${JSON.stringify(event)}\n`;
  const message = { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: said } };
  // More than is looked at from the end of a stream.
  const noise = line({ type: 'noise', text: 'x'.repeat(1 << 14) }).repeat(500);
  const usage = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 };
  writeFileSync(path, line(message) + noise + line({ type: 'turn.completed', usage }));
  await project.ok(['start', 'x'], { newId: A, env: { FAKE_AGENT_STREAM: path } });
  await project.ok(['wait', A], { env: { ZWARM_SESSION_ID: 'zzzzzzzzzz' } });
  expect(await project.ok(['ls', '-q', '--attention'])).toBe(A);
  expect(await project.$(`answer ${A}`)).toBe(said);
  expect(await project.ok(['ls', '-q', '--attention'])).toBe('');
  expect(await project.$(`answer ${A}`, { tty: true })).toBe('  \\x1b[31mred\\x1b[0m\n');
});

test('wait --answer prints the answers as they come, and says on stderr whose they are', async () => {
  const project = createShellProject();
  const gate = join(project.base, 'gate');
  await project.zwarm(['start', `gate ${gate}`], { newId: A });
  await project.zwarm(['start', 'exit 3'], { newId: B });
  const waiting = typed(project, `wait ${A} ${B} --answer`, {
    onStderr: (shown: string) => shown.includes(B) && writeFileSync(gate, ''),
  });
  expect(await waiting).toMatchInlineSnapshot(`
    "$ zwarm wait answeraaaa answerbbbb --answer
    1 done
    2 answerbbbb failed
    2 the agent ended with exit code 3
    2 hint: see what it did: zwarm show answerbbbb --full
    2 answeraaaa completed
    [exit 1]
    "
  `);
  expect(await typed(project, `wait ${A} ${A} --answer`)).toMatchInlineSnapshot(`
    "$ zwarm wait answeraaaa answeraaaa --answer
    1 done
    [exit 0]
    "
  `);
  expect(await typed(project, `wait ${A} --answer --json`)).toContain('[exit 2]');
  expect(await typed(project, `wait ${A} --answer -q`)).toContain('[exit 2]');
});
