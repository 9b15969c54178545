import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plain } from '../helpers/display.ts';
import { createProject, FAKE_AGENT, repositoryFile, withoutConfiner } from '../helpers/project.ts';

const HOUR = 3_600_000;
const [A, B, C] = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc'] as const;

const item = (fields: object) =>
  `${JSON.stringify({ type: 'item.completed', item: { id: 'i', ...fields } })}\n`;
const END = `${JSON.stringify({ type: 'turn.completed' })}\n`;

/** Three sessions, the oldest first: of Codex with two turns, of Claude Code, and of Codex with tools. */
async function createSearched() {
  const project = createProject();
  project.env['ZWARM_CLAUDE_BIN'] = FAKE_AGENT;
  withoutConfiner(project);
  const file = join(project.base, 'stream');
  const printing = (name: string) => ({
    FAKE_AGENT_STREAM: repositoryFile(`fixtures/streams/${name}.jsonl`),
  });
  const at = (hours: number, env = {}) => ({ now: Date.now() - hours * HOUR, env });
  const streamed = { FAKE_AGENT_STREAM: file };
  writeFileSync(
    file,
    item({
      type: 'command_execution',
      command: `/bin/bash -lc 'cargo test'`,
      aggregated_output: 'ok\nFAILED: login "quoted"\n\u001b[31mred\u001b[0m é',
      exit_code: 1,
      status: 'failed',
    }) +
      item({ type: 'agent_message', text: 'The login fails.\nIt is the cookie.' }) +
      END,
  );
  await project.ended(['why does the login fail?'], { ...at(3, streamed), newId: A });
  await project.ended(['-a', 'claude', 'edit'], {
    ...at(2, printing('claude-2.1.328/write-edit')),
    newId: B,
  });
  const tool = {
    server: 's',
    tool: 't',
    arguments: { q: 'LOGIN page' },
    result: { content: [{ text: 'cookies' }] },
  };
  writeFileSync(file, item({ type: 'mcp_tool_call', ...tool, status: 'completed' }) + END);
  await project.ended(['look it up'], { ...at(1, streamed), newId: C });
  await project.zwarm(['inject', A, '--wait', 'and the cookie?'], { env: streamed });
  await project.settled(A, 2);
  return project;
}

test('search finds lines of prompts, answers, commands, outputs and files, the newest first', async () => {
  const { $, zwarm } = await createSearched();
  expect(await $('search login')).toMatchInlineSnapshot(`
    "aaaaaaaaaa	2	command	LOGIN page
    aaaaaaaaaa	1	prompt	why does the login fail?
    aaaaaaaaaa	1	output	FAILED: login "quoted"
    aaaaaaaaaa	1	answer	The login fails.
    cccccccccc	1	command	LOGIN page
    "
  `);
  expect(await $('search cookie')).toMatchInlineSnapshot(`
    "aaaaaaaaaa	2	prompt	and the cookie?
    aaaaaaaaaa	2	output	cookies
    aaaaaaaaaa	1	answer	It is the cookie.
    cccccccccc	1	output	cookies
    "
  `);
  for (const [line, found] of [
    ['LOGIN', 2],
    ['--in answer,output cookie', 3],
    ['login fails', 1],
    [`'login fail'`, 2],
    [`'"quoted"'`, 1],
    ['cargo', 1],
    ['bash', 0],
    ['\u00c9', 0],
    ['red \u00e9', 1],
    ['-e ^it.is', 1],
    ['-e t$ --in command', 1],
    ['-n 2 login', 2],
    ['nothing', 0],
  ] as const)
    expect.soft((await $(`search ${line}`)).split('\n').length - 1, line).toBe(found);
  expect(await $('search --in file a')).toMatchInlineSnapshot(`
    "bbbbbbbbbb	1	file	/workspace/notes.txt
    bbbbbbbbbb	1	file	/workspace/notes.txt
    "
  `);
  const { stdout } = await zwarm(['search', 'login'], { tty: true, columns: 45 });
  expect(plain(stdout)).toMatchInlineSnapshot(`
    "aaaaaaaaaa  command  LOGIN page
    aaaaaaaaaa  prompt   why does the login fail?
    aaaaaaaaaa  output   FAILED: login "quoted"
    aaaaaaaaaa  answer   The login fails.
    cccccccccc  command  LOGIN page
    "
  `);
  expect(await zwarm(['search', 'nothing'], { tty: true })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'nothing matches\n',
  });
  expect(await $('search nothing --json')).toBe('[]\n');
  expect(await $('search --since 1h login', { now: Date.now() + 2 * HOUR })).toBe('');
});

test('what cannot be searched for is refused; what cannot be searched is named', async () => {
  const { $, store, turnFile } = await createSearched();
  expect(await $('search')).toMatchInlineSnapshot(`
    "zwarm: what to search for?
    hint: zwarm search WORD, or -e REGEX
    [exit 2]
    "
  `);
  expect(await $('search -e (')).toMatchInlineSnapshot(`
    "zwarm: Invalid regular expression: /(/iu: Unterminated group
    hint: to search for it as it is, leave out -e
    [exit 2]
    "
  `);
  expect(await $('search --in answers x')).toMatchInlineSnapshot(`
    "zwarm: unknown place "answers"
    hint: did you mean answer?
    [exit 2]
    "
  `);
  rmSync(turnFile(C, 1, 'request.json'));
  rmSync(join(store(), 'sessions', B, 'session.json'));
  rmSync(join(store(), 'sessions', B, 'summary.json'), { force: true });
  expect(await $('search cookie')).toMatchInlineSnapshot(`
    "aaaaaaaaaa	2	prompt	and the cookie?
    aaaaaaaaaa	2	output	cookies
    aaaaaaaaaa	1	answer	It is the cookie.
    zwarm: bbbbbbbbbb: its records cannot be read: session.json is missing
    zwarm: the records of cccccccccc cannot be read: request.json of turn 1 is missing
    "
  `);
});

test('ls --grep finds what search finds in messages and answers', async () => {
  const { $, ok } = await createSearched();
  const ids = async (text: string) => (await ok(['ls', '-q', '--grep', text])).split('\n');
  expect(await ids('the login fails')).toEqual([A]);
  expect(await ids('and the cookie')).toEqual([A]);
  expect(await ids('LOGIN')).toEqual(['']);
  expect(await ids('')).toEqual([A, C, B]);
  expect(await $('ls -q --grep quoted')).toBe('');
});

test('--everywhere searches all projects', async () => {
  const { $, directory, base } = await createSearched();
  expect(await $('search --everywhere cargo', { cwd: join(base, 'home') })).toBe(
    `${A}\t1\tcommand\tcargo test\t${directory}\n`,
  );
});
