import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createProject,
  type Ended,
  eventually,
  type Project,
  repositoryFile,
} from '../../helpers/project.ts';

// Far longer than any machine needs: what fails here is memory, not time.
const PATIENCE_S = 150;
const LONG = { timeout: 4 * PATIENCE_S * 1000 };

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
  const script = `[ "$1" = --version ] && { echo codex-cli 0.169.0; exit; }
echo '{"type":"thread.started","thread_id":"01a1f880-c978-76c0-be58-213b143ff767"}'
${body}
echo '{"type":"turn.completed","usage":{"input_tokens":5,"cached_input_tokens":0,"output_tokens":2}}'`;
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  project.env['ZWARM_CODEX_BIN'] = path;
}

const SHOW_PEAK = `data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))`;

/** Runs zwarm with room for 24 MB of its own objects, which must succeed; the most memory that it held, in kB. */
async function inLittleMemory(project: Project, ...args: string[]): Promise<Ended & { peak: number }> {
  const env = { NODE_OPTIONS: `--max-old-space-size=24 --import=${SHOW_PEAK}` };
  const ended = await project.asProcess(args, { env });
  expect({ args, ...ended, stdout: '' }).toMatchObject({ code: 0 });
  return { ...ended, peak: Number(/^peak (\d+)$/m.exec(ended.stderr)?.[1]) };
}

/** A session that has ended and was settled, also with little memory; lists look at the session itself. */
async function endedSession(project: Project): Promise<string> {
  const { stdout } = await inLittleMemory(project, 'start', 'x');
  const id = stdout.trim();
  await eventually('it is settled', () => existsSync(project.turnFile(id, 1, 'notified.json')), PATIENCE_S);
  rmSync(join(project.turnFile(id, 1, '..'), '..', 'summary.json'));
  return id;
}

test('40 MB of commands and messages are told step by step in the memory of a few', LONG, async () => {
  const project = createProject();
  const command = `{\\"type\\":\\"item.completed\\",\\"item\\":{\\"id\\":\\"i" i "\\",\\"type\\":\\"command_execution\\",\\"command\\":\\"run " i "\\",\\"aggregated_output\\":\\"" o "\\",\\"exit_code\\":0,\\"status\\":\\"completed\\"}}`;
  const said = `{\\"type\\":\\"item.completed\\",\\"item\\":{\\"id\\":\\"m" i "\\",\\"type\\":\\"agent_message\\",\\"text\\":\\"message " i "\\"}}`;
  // The first one never ends: whoever waited for it would have to hold all the others.
  const open = `echo '{"type":"item.started","item":{"id":"open","type":"command_execution","command":"open","status":"in_progress"}}'`;
  agentOf(
    project,
    `${open}
awk 'BEGIN { for (o = "x"; length(o) < 4000; ) o = o o; for (i = 1; i <= 10000; i++) print "${command}\\n${said}" }'`,
  );
  const id = await endedSession(project);
  const [row] = JSON.parse((await inLittleMemory(project, 'ls', '--json')).stdout);
  expect(row).toMatchObject({ status: 'completed', last_message: 'message 10000' });
  const last = await inLittleMemory(project, 'logs', '-f', '-n', '2', '--json', id);
  const steps = last.stdout.trimEnd().split('\n');
  expect(steps.map((line) => JSON.parse(line).step)).toEqual([20_000, 20_001]);
  for (const verb of ['logs', 'show']) {
    const { stdout } = await inLittleMemory(project, verb, id);
    expect(stdout.match(/^ {2}\$ run \d+ \[exit 0\]$/gm)).toHaveLength(10_000);
    expect(stdout.match(/^ {2}message \d+$/gm), verb).toHaveLength(10_000);
    // Once more, now that it is known; not by `toMatch`, which would print all of it.
    if (verb === 'logs') expect(stdout.slice(-20_000).includes('$ open [interrupted]\n')).toBe(true);
  }
  const { stdout } = await inLittleMemory(project, 'show', id, '--json', '--full');
  const contents: string[] = JSON.parse(stdout).messages.map(({ content }: { content: string }) => content);
  const messages = contents.filter((content) => content.startsWith('message '));
  expect(messages.findIndex((content, i) => content !== `message ${i + 1}`)).toBe(-1);
  expect(messages).toHaveLength(10_000);
});

test('70 MB on one line take no memory, hide nothing that follows, and are reported', LONG, async () => {
  const project = createProject();
  agentOf(project, `echo '${message('before')}'`);
  await endedSession(project);
  const usual = await inLittleMemory(project, 'ls', '--json');
  agentOf(project, `${longMessage(70_000_000)}\necho '${message('after')}'`);
  const id = await endedSession(project);
  for (const line of ['ls --json', `show ${id} --json`, `wait ${id}`]) {
    const { peak } = await inLittleMemory(project, ...line.split(' '));
    expect.soft(peak - usual.peak, `kB more for ${line}`).toBeLessThan(40_000);
  }
  const { status, last_message, token_usage, turns } = await project.show(id);
  expect({ status, last_message, total: token_usage?.total_tokens, warnings: turns[0]?.warnings }).toEqual({
    status: 'completed',
    last_message: 'after',
    total: 7,
    warnings: ['1 line of its output could not be read; it is kept in the log file'],
  });
});

test(
  'long messages by the dozens are no reason for ls and kill --all to run out of memory',
  LONG,
  async () => {
    const project = createProject();
    const ready = join(project.base, 'ready');
    agentOf(project, `${Array(20).fill(longMessage(2_000_000)).join('\n')}\n: > '${ready}'\nexec sleep 1000`);
    const id = await project.start(['x']);
    await eventually('it has said all', () => existsSync(ready), PATIENCE_S);
    const { stdout } = await inLittleMemory(project, 'ls', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'running', last_message: `${'x'.repeat(499)}…` }]);
    expect((await inLittleMemory(project, 'kill', '--all')).stdout).toBe(`${id} killed\n`);
  },
);

test('a stream longer than any string, without a result at its end, takes no verb down', async () => {
  const project = createProject();
  const env = { FAKE_AGENT_EXIT: '3', FAKE_AGENT_STREAM: undefined };
  const { id } = JSON.parse((await project.zwarm(['start', '--wait', '--json', 'x'], { env })).stdout);
  await project.settled(id);
  const stream = openSync(project.turnFile(id, 1, 'events.jsonl'), 'w');
  // Lines of a megabyte, with holes that take no room on the disk.
  for (let line = 1; line <= 520; line += 1) writeSync(stream, '\n', line * (1 << 20) - 1);
  closeSync(stream);
  // An end whose byte count could not be recorded.
  const exit = project.turnFile(id, 1, 'exit.json');
  const record = JSON.parse(readFileSync(exit, 'utf8'));
  writeFileSync(exit, JSON.stringify({ ...record, events_bytes: null }));
  expect(await project.zwarm(['wait', id])).toMatchObject({ code: 1, stdout: `${id} failed\n` });
  expect(await project.ok(['rm', id])).toBe(id);
});

test('a thread of 60 MB in one turn is imported in the memory of a few', LONG, async () => {
  const project = createProject();
  const fixture = repositoryFile('fixtures/session-files/codex-0.58.jsonl');
  const payload = { type: 'agent_message', message: 'x'.repeat(20_000) };
  const said = JSON.stringify({ timestamp: '2026-11-20T10:30:26.616Z', type: 'event_msg', payload });
  const path = join(project.base, 'rollout.jsonl');
  const file = openSync(path, 'w');
  writeSync(file, readFileSync(fixture, 'utf8').replaceAll('/workspace', project.directory));
  for (let line = 0; line < 3000; line += 1) writeSync(file, `${said}\n`);
  closeSync(file);
  const { stdout } = await inLittleMemory(project, 'import', path);
  expect(statSync(project.turnFile(stdout.trim(), 1, 'events.jsonl')).size).toBeGreaterThan(60_000_000);
});
