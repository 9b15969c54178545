import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, type Ended, eventually, type Project } from '../helpers/project.ts';

const PATIENCE_S = 150;
const TIMEOUT_MS = 4 * PATIENCE_S * 1000;

const message = (text: string): string =>
  `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"${text}"}}`;

/** A line of shell that prints one message of so many bytes. */
function longMessage(bytes: number): string {
  const [before = '', after = ''] = message('@').split('@');
  return `printf '%s' '${before}'; head -c ${bytes} /dev/zero | tr '\\0' x; echo '${after}'`;
}

/** Makes a shell script the project's codex; `body` is what it does between naming its conversation and its end. */
function agentOf(project: Project, body: string): void {
  const path = join(project.base, 'agent.sh');
  const first = '{"type":"thread.started","thread_id":"01a1f880-c978-76c0-be58-213b143ff767"}';
  const last =
    '{"type":"turn.completed","usage":{"input_tokens":5,"cached_input_tokens":0,"output_tokens":2}}';
  writeFileSync(
    path,
    `#!/bin/sh
[ "$1" = --version ] && { echo codex-cli 0.169.0; exit; }
echo '${first}'
${body}
echo '${last}'
`,
  );
  chmodSync(path, 0o755);
  project.env['ZWARM_CODEX_BIN'] = path;
}

const SHOW_PEAK = `data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))`;

/** Runs zwarm with room for 24 MB of its own objects; what it says, and the most memory that it held, in kB. */
async function inLittleMemory(project: Project, args: readonly string[]): Promise<Ended & { peak: number }> {
  const env = { NODE_OPTIONS: `--max-old-space-size=24 --import=${SHOW_PEAK}` };
  const ended = await project.asProcess(args, { env });
  return { ...ended, peak: Number(/^peak (\d+)$/m.exec(ended.stderr)?.[1]) };
}

/** A session that has ended and was settled, also with little memory. */
async function endedSession(project: Project): Promise<string> {
  const id = await project.start(['x'], { env: { NODE_OPTIONS: '--max-old-space-size=24' } });
  // Far longer than any machine needs: what fails here is memory, not time.
  await eventually('it is settled', () => existsSync(project.turnFile(id, 1, 'notified.json')), PATIENCE_S);
  return id;
}

/** Makes lists look at a session itself. */
function forgetSummary(project: Project, id: string): void {
  rmSync(join(project.turnFile(id, 1, '..'), '..', 'summary.json'));
}

test('60,000 lines at once are all there, and take no memory of who settles and lists them', {
  timeout: TIMEOUT_MS,
}, async () => {
  const project = createProject();
  const said = (i: number): string => `message ${i} of a talkative agent ${'x'.repeat(256)}`;
  agentOf(
    project,
    `awk 'BEGIN { for (o = "x"; length(o) < 250; ) o = o o; for (i = 1; i <= 60000; i++) print "{\\"type\\":\\"item.completed\\",\\"item\\":{\\"id\\":\\"i" i "\\",\\"type\\":\\"agent_message\\",\\"text\\":\\"message " i " of a talkative agent " o "\\"}}" }'`,
  );
  const id = await endedSession(project);
  forgetSummary(project, id);
  expect(await inLittleMemory(project, ['ls', '--json'])).toMatchObject({ code: 0 });
  const { messages, turns, ...session } = await project.show(id);
  // By now it has been looked at.
  expect(await project.list()).toEqual([{ ...session, needs_attention: false }]);
  expect(session).toMatchObject({
    status: 'completed',
    last_message: said(60_000),
    token_usage: { total_tokens: 7 },
  });
  expect(messages).toHaveLength(60_001);
  const wrong = messages.findIndex(({ content }, i) => i > 0 && content !== said(i));
  expect(wrong).toBe(-1);
  expect(turns[0]?.warnings).toEqual([]);
});

test('40 MB of commands are told step by step in the memory of a few', { timeout: TIMEOUT_MS }, async () => {
  const project = createProject();
  const command = `{\\"type\\":\\"item.completed\\",\\"item\\":{\\"id\\":\\"i" i "\\",\\"type\\":\\"command_execution\\",\\"command\\":\\"run " i "\\",\\"aggregated_output\\":\\"" o "\\",\\"exit_code\\":0,\\"status\\":\\"completed\\"}}`;
  // The first one never ends: whoever waited for it would have to hold all the others.
  const open = `echo '{"type":"item.started","item":{"id":"open","type":"command_execution","command":"open","status":"in_progress"}}'`;
  agentOf(
    project,
    `${open}
awk 'BEGIN { for (o = "x"; length(o) < 4000; ) o = o o; for (i = 1; i <= 10000; i++) print "${command}" }'`,
  );
  const id = await endedSession(project);
  const last = await inLittleMemory(project, ['logs', '-f', '-n', '2', '--json', id]);
  expect(last, last.stderr).toMatchObject({ code: 0 });
  const lines = last.stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).step)).toEqual([10_000, 10_001]);
  const all = await inLittleMemory(project, ['logs', id]);
  expect({ ...all, stdout: '' }, all.stderr).toMatchObject({ code: 0 });
  expect(all.stdout.match(/^ {2}\$ run \d+ \[exit 0\]$/gm)).toHaveLength(10_000);
  // Once more, now that it is known; not by `toMatch`, which would print all of it.
  expect(all.stdout.slice(-20_000).includes('$ open [interrupted]\n')).toBe(true);
  const page = await inLittleMemory(project, ['show', id]);
  expect({ ...page, stdout: '' }, page.stderr).toMatchObject({ code: 0 });
  expect(page.stdout.match(/^ {2}\$ run \d+ \[exit 0\]$/gm)).toHaveLength(10_000);
  const document = await inLittleMemory(project, ['show', id, '--json', '--full']);
  expect({ ...document, stdout: '' }, document.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(document.stdout).messages.length).toBeGreaterThan(10_000);
});

test('70 MB on one line take no memory, hide nothing that follows, and are told of', {
  timeout: TIMEOUT_MS,
}, async () => {
  const project = createProject();
  agentOf(project, `echo '${message('before')}'`);
  forgetSummary(project, await endedSession(project));
  const usual = await inLittleMemory(project, ['ls', '--json']);
  agentOf(project, `${longMessage(70_000_000)}\necho '${message('after')}'`);
  const id = await endedSession(project);
  forgetSummary(project, id);
  for (const args of [
    ['ls', '--json'],
    ['show', id, '--json'],
    ['wait', id],
  ]) {
    const ended = await inLittleMemory(project, args);
    expect.soft({ args, ...ended, stdout: '' }).toMatchObject({ code: 0 });
    expect.soft(ended.peak - usual.peak, `kB more for ${args.join(' ')}`).toBeLessThan(40_000);
  }
  const session = await project.show(id);
  expect(session).toMatchObject({
    status: 'completed',
    last_message: 'after',
    token_usage: { total_tokens: 7 },
  });
  expect(session.turns[0]?.warnings).toEqual([
    '1 line of its output could not be read; it is kept in the log file',
  ]);
});

test('long messages by the dozens are no reason for ls and kill --all to run out of memory', {
  timeout: TIMEOUT_MS,
}, async () => {
  const project = createProject();
  const ready = join(project.base, 'ready');
  agentOf(project, `${Array(20).fill(longMessage(2_000_000)).join('\n')}\n: > '${ready}'\nexec sleep 1000`);
  const id = await project.start(['x']);
  await eventually('it has said all', () => existsSync(ready), PATIENCE_S);
  const listed = await inLittleMemory(project, ['ls', '--json']);
  expect(listed, listed.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { status: 'running', last_message: `${'x'.repeat(499)}…` },
  ]);
  expect(await inLittleMemory(project, ['kill', '--all'])).toMatchObject({
    code: 0,
    stdout: `${id} killed\n`,
  });
});
