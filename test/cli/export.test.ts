import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digest } from '../../src/core/digest.ts';
import { createProject, SHELL_AGENT } from '../helpers/project.ts';

/** A session that was imported from the lines of a session file of Codex. */
async function createHeld(lines: readonly object[]) {
  const project = createProject();
  const { directory, base } = project;
  const head = { id: '01a1f881-ec1e-7f12-b7c6-f75110187499', cwd: directory, cli_version: '0.169.0' };
  const all = [{ type: 'session_meta', payload: head }, ...lines];
  const text = all.map((line) => JSON.stringify({ timestamp: '2026-11-23T20:00:00.000Z', ...line }));
  writeFileSync(join(base, 'thread.jsonl'), `${text.join('\n')}\n`);
  const id = await project.ok(['import', join(base, 'thread.jsonl'), '-q']);
  return { ...project, id };
}

const item = (one: object) => ({ type: 'event_msg', payload: { type: 'item_completed', item: one } });
const said = (text: string) => item({ type: 'AgentMessage', content: [{ text }] });
const asked = (text: string) => item({ type: 'UserMessage', content: [{ text }] });
const ran = (command: string, aggregated_output: string) =>
  item({
    type: 'CommandExecution',
    id: command,
    command: ['bash', '-lc', command],
    aggregated_output,
    exit_code: 0,
  });
const complete = { type: 'event_msg', payload: { type: 'task_complete' } };

const CONVERSATION = [
  asked('Mend the *total*.'),
  ran('npm test', '1 failed\n```\nnot a fence\n'),
  item({
    type: 'FileChange',
    id: 'f',
    changes: { 'cart.js': { type: 'update', unified_diff: '@@ -1 +1 @@\n-a\n+b\n' } },
  }),
  said('# Done\n\nThe **total** is right.'),
  complete,
];

test('a session as Markdown: fences hold whatever they hold', async () => {
  const { $, id, directory } = await createHeld(CONVERSATION);
  const text = await $(`export ${id}`);
  expect(
    text
      .replaceAll(directory, '<project>')
      .replaceAll(id, '<id>')
      .replace(/created: .*/, 'created: …'),
  ).toMatchInlineSnapshot(`
    "# Mend the *total*.

    - session: <id>
    - status: completed, 1 turn
    - agent: codex
    - directory: <project>
    - time: 0.0s
    - created: …
    - ended: 2026-11-23 20:00 UTC

    ## Turn 1 · imported · completed · 0.0s · 2026-11-23 20:00 UTC

    > Mend the *total*.

    \`\`\`\`
    $ npm test
    1 failed
    \`\`\`
    not a fence
    [exit 0]
    \`\`\`\`

    \`\`\`
    update cart.js [completed]
    \`\`\`

    \`\`\`diff
    @@ -1 +1 @@
    -a
    +b
    \`\`\`

    # Done

    The **total** is right.

    "
  `);
  expect(await $(`history ${id} --full --max-messages 3`)).toMatchInlineSnapshot(`
    "zwarm: nothing fits: your newest message with what followed it is more than that
    "
  `);
  expect(JSON.parse(await $(`history ${id} --json`))).toMatchObject([
    { role: 'user', content: 'Mend the *total*.', turn: 1 },
    { role: 'assistant', content: '# Done\n\nThe **total** is right.' },
  ]);
  expect(JSON.parse(await $(`export ${id} --format json`))).toEqual(
    JSON.parse(await $(`show ${id} --json --full`)),
  );
});

test('a file is for its user alone, tells the format by its name, and is not replaced', async () => {
  const { zwarm, id, directory } = await createHeld(CONVERSATION);
  for (const [name, begins] of [
    ['a.html', '<!doctype html>'],
    ['a.htm', '<!doctype html>'],
    ['a.md', '# Mend'],
    ['a.json', '{'],
  ] as const) {
    expect(await zwarm(['export', id, '-o', name])).toMatchObject({
      code: 0,
      stdout: `${join(directory, name)}\n`,
    });
    expect(readFileSync(join(directory, name), 'utf8').startsWith(begins)).toBe(true);
  }
  expect(statSync(join(directory, 'a.md')).mode & 0o777).toBe(0o600);
  const again = await zwarm(['export', id, '-o', 'a.md']);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('there is a file') });
  expect((await zwarm(['export', id, '-o', 'a.md', '--force'])).code).toBe(0);
  expect(await zwarm(['export', id, '-o', 'a.txt'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('add --format'),
  });
});

const HOSTILE = [
  '<script>x()</script><img src=x onerror=x()>',
  '</title></style></pre></summary><iframe src="http://127.0.0.1:9"></iframe>',
  '[a](javascript:x()) ![b](http://127.0.0.1:9/b.png) <a href="javascript:x()" onclick=x()>c</a>',
  '[d](https://example.org/"onmouseover="x()) [e](data:text/html,x) \u001b]0;x\u0007 \u202e',
  '`` <b> `` &lt;script&gt; &#60;script&#62;',
];

/** The tags of a page with their attributes. */
const tagsOf = (page: string): string[] => page.match(/<[a-z!/][^>]*>/gi) ?? [];
const KNOWN =
  /^<\/?(?:html|head|body|title|style|h[1-6]|dl|dt|dd|section|div|p|pre|code|span|details|summary|strong|em|del|br|ul|ol|li|table|tr|td|th|blockquote|hr|a|!doctype html)(?: (?:lang|class|start)="[\w -]*")*(?: href="(?:https?:|mailto:)[^"\s]*" rel="noopener noreferrer nofollow")?>$/;

test('nothing that a page holds is markup, runs, or is loaded, wherever it stands', async () => {
  const text = HOSTILE.join('\n\n');
  const { $, id } = await createHeld([
    asked(text),
    item({ type: 'Reasoning', summary_text: HOSTILE }),
    ran(text, text),
    item({ type: 'FileChange', id: 'f', changes: { [text]: { type: 'add', content: text } } }),
    item({
      type: 'McpToolCall',
      id: 'm',
      server: text,
      tool: text,
      arguments: { [text]: text },
      result: text,
    }),
    said(text),
    said(`# ${text}\n\n| ${HOSTILE[0]} |\n| --- |\n| ${HOSTILE[2]} |\n\n- ${text}\n\n> ${text}`),
    { type: 'event_msg', payload: { type: 'error', message: text } },
  ]);
  const page = await $(`export ${id} --format html`);
  const metas = tagsOf(page).filter((tag) => tag.startsWith('<meta '));
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
  const hash = Buffer.from(digest(style), 'hex').toString('base64');
  expect(metas[1]).toBe(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">`,
  );
  expect(tagsOf(page).filter((tag) => !tag.startsWith('<meta ') && !KNOWN.test(tag))).toEqual([]);
  expect(page).not.toMatch(/[\u001b\u0007\u202e]/);
  expect(page.match(/href="[^"]*"/g)?.every((href) => /^href="https?:/.test(href))).toBe(true);
  // Every word of them is there, as text.
  expect(page.split('&lt;script&gt;').length).toBeGreaterThan(12);
});

test('what a budget leaves out of a conversation is told', async () => {
  const { $, ended, settled, env } = createProject();
  env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  const id = await ended(['one']);
  await $(`compact ${id} --wait`);
  await $(`inject ${id} --wait two`);
  await settled(id);
  const words = async (line: string) => (await $(`history ${id} ${line}`)).replace(/[#\s]+/g, ' ');
  const summary =
    'User This is a summary of our conversation so far: done Assistant I have read the summary. ';
  const said = 'User two Assistant done ';
  expect(await words('')).toBe(` ${summary}${said}`);
  expect(await words('--max-messages 3')).toBe(` ${summary}zwarm: 2 older messages left out `);
  expect(await words('--max-chars 10')).toBe(
    ` ${said}zwarm: 2 older messages left out, with the summary of what was before `,
  );
  expect(await words('--max-messages 1')).toBe(
    'zwarm: nothing fits: your newest message with what followed it is more than that ',
  );
});
