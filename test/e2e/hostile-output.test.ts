import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ExitRecord } from '../../src/store/records.ts';
import type { Screen } from '../helpers/context.ts';
import { DRIVES, plain } from '../helpers/display.ts';
import { ATTACKS, saying } from '../helpers/hostile-output.ts';
import { createProject, eventually, type OnFinished, type Project } from '../helpers/project.ts';

/** Lets the first turn of a session have printed something else and ended otherwise, and forgets what was cached. */
function leave(
  project: Project,
  id: string,
  stream: string | Buffer,
  exit: Partial<ExitRecord> = {},
  stderr = '',
): void {
  const record: ExitRecord = {
    v: 1,
    code: 0,
    why: null,
    detail: null,
    cancelled: false,
    uptime: null,
    ended_at: null,
    events_bytes: Buffer.byteLength(stream),
    ...exit,
  };
  writeFileSync(project.turnFile(id, 1, 'events.jsonl'), stream);
  writeFileSync(project.turnFile(id, 1, 'stderr.log'), stderr);
  writeFileSync(project.turnFile(id, 1, 'exit.json'), JSON.stringify(record));
  rmSync(join(project.turnFile(id, 1, '..'), '..', 'summary.json'), { force: true });
}

/** Without our own colours, and how the live line clears itself. */
function withoutOurs(text: string): string {
  return plain(text).replaceAll('\r\x1b[2K', '');
}

/** What of a text could drive a terminal or deceive a reader; null when nothing could. */
function harmIn({ stdout, stderr }: Screen): string | null {
  const text = withoutOurs(stdout) + withoutOurs(stderr);
  // No attack holds an emoji: nothing of what emoji are made of may be there either.
  return (DRIVES.exec(text) ?? /[\u200d\ufe0f]|\p{M}{9}/u.exec(text))?.[0] ?? null;
}

const everything = Object.values(ATTACKS).join(' ');
// What a command line or a file name can hold.
const printable = everything.replaceAll('\0', '').replaceAll(/\p{Surrogate}/gu, '');

// One session, whose task is an attack too, for the tests that only look: its files are rewritten as another agent would
// have left them.
const undo: Parameters<OnFinished>[0][] = [];
let project: Project;
let id: string;
beforeAll(async () => {
  project = createProject('project', (act) => undo.push(act));
  id = await project.ended(['--', printable]);
});
afterAll(async () => {
  for (const act of undo.reverse()) await act();
});

test('whatever an agent says, wherever it says it: no command lets it through', async () => {
  for (const end of ['completed', 'failed'] as const) {
    leave(project, id, saying(everything, end), { code: end === 'completed' ? 0 : 1 });
    for (const line of ['ls', `show ${id} --full`, `wait ${id}`]) {
      for (const tty of [true, false]) {
        for (const argv of [line.split(' '), [...line.split(' '), '--json']]) {
          const shown = await project.zwarm(argv, { tty });
          expect.soft(harmIn(shown), `${argv.join(' ')}, ${end}`).toBeNull();
          // It was there to be shown: nothing was merely left out, and JSON says exactly what it was.
          if (argv[0] === 'show') expect.soft(shown.stdout, argv.join(' ')).toContain(']52;c;');
          if (argv[0] === 'show' && argv.at(-1) === '--json')
            expect.soft(JSON.parse(shown.stdout).last_message).toBe(everything);
        }
      }
    }
  }
});

const toolCall = (id: string, args: string): string =>
  `{"type":"item.completed","item":{"id":"${id}","type":"mcp_tool_call","server":"s","tool":"t","arguments":${args}}}\n`;

test('what an agent writes to stderr, into its records or without any form is as harmless', async () => {
  const raw = Buffer.concat([
    Buffer.from(`${everything}\n\x1b[2J\n{"type":"\x1b[2J"}\n`),
    // What the stack of a careless reader does not survive.
    Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}\n`),
    Buffer.from(toolCall('deep', `${'{"a":'.repeat(100_000)}0${'}'.repeat(100_000)}`)),
    Buffer.from(toolCall('wide', `[${'[],'.repeat(300_000)}0]`)),
    Buffer.from('{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"'),
    Buffer.from([0x9b, 0x32, 0x4a, 0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
    Buffer.from('"}}\n'),
  ]);
  leave(project, id, raw, { code: 1 }, `Error: ${everything}\n`);
  const launch = project.turnFile(id, 1, 'launch.json');
  const record = readFileSync(launch, 'utf8');
  onTestFinished(() => writeFileSync(launch, record));
  writeFileSync(launch, JSON.stringify({ ...JSON.parse(record), thread_id: everything }));
  for (const tty of [true, false]) {
    for (const line of ['ls', `show ${id} --full`, `show ${id} --full --json`]) {
      const shown = await project.zwarm(line.split(' '), { tty });
      expect.soft({ code: shown.code, harm: harmIn(shown) }, line).toEqual({ code: 0, harm: null });
    }
  }
  const { error, messages, turns } = await project.show(id);
  expect(error?.message).toBe(`Error: ${everything.replaceAll(/\p{Surrogate}/gu, '\ufffd')}`.slice(0, 4096));
  expect(messages.at(-1)?.content).toMatch(/^\ufffd2J\ufffd+$/);
  expect(turns[0]?.warnings).toEqual([expect.stringMatching(/^\d+ lines of its output could not be read/)]);
});

test('what a user types by mistake comes back harmless, as an error with its hint', async () => {
  for (const tty of [true, false]) {
    for (const line of 'show @|start -a @ x|start -C @ x|start -F @|start --name @ x|ls --status @|ls --since @|ls --@|@|rm @ --json'.split(
      '|',
    )) {
      const argv = line.split(' ').map((word) => word.replace('@', () => printable));
      const shown = await project.zwarm(argv, { tty });
      expect.soft(harmIn(shown), line).toBeNull();
      expect.soft(shown.code, line).not.toBe(0);
    }
  }
});

test('the answer of --wait is byte for byte what the agent said in a pipe, and harmless on a terminal', async () => {
  const project = createProject();
  const path = join(project.base, 'said.jsonl');
  writeFileSync(path, saying(everything));
  const env = { FAKE_AGENT_STREAM: path };
  const onTerminal = await project.zwarm(['start', '--wait', 'x'], { env, tty: true });
  expect(harmIn(onTerminal)).toBeNull();
  expect(onTerminal.stdout).toContain('\\x1b]52;c;');
  expect(await project.$('inject @last --wait x', { env })).toBe(`${everything}\n`);
});

test('an agent that says it is done and goes on is running, and its progress line is harmless', async () => {
  const project = createProject();
  const path = join(project.base, 'said.jsonl');
  const gate = join(project.base, 'gate');
  const last = { type: 'item.completed', item: { id: 'last', type: 'agent_message', text: everything } };
  writeFileSync(path, `${saying('done')}${JSON.stringify(last)}\n`);
  const env = { FAKE_AGENT_STREAM: path, FAKE_AGENT_GATE: gate, FAKE_AGENT_EXIT: '3' };
  const id = await project.start(['x'], { env });
  await eventually('it has said all', async () => (await project.show(id)).last_message === everything);
  let drawn = '';
  const onStderr = (shown: string): void => {
    drawn = shown;
  };
  const waiting = project.zwarm(['wait', id], { tty: true, onStderr });
  await eventually('the line is drawn', () => drawn.includes('\\x1b]52'));
  expect(await project.$('ls')).toContain('\trunning\t');
  expect(await project.$(`inject ${id} more`)).toContain('[exit 4]');
  writeFileSync(gate, '');
  const ended = await waiting;
  expect(ended).toMatchObject({ code: 1, stdout: `${id} failed\n` });
  expect(harmIn(ended)).toBeNull();
  expect(await project.show(id)).toMatchObject({ status: 'failed', exit_code: 3 });
});

const DONE = '{"type":"turn.completed"}\n';
const FAILED = '{"type":"turn.failed","error":{"message":"boom"}}\n';
const said = (text: string): string =>
  `${JSON.stringify({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text } })}\n`;

/** One for each that decides: the reader of lines, the exit code, and the length of the stream when the agent ended. */
const FORGED_ENDS: readonly [what: string, stream: string, exit: { code: number; events_bytes?: number }][] =
  [
    ['an end inside of what it says', said(`x\n${DONE}`), { code: 0 }],
    ['a good end, then the real bad one', DONE + said('x') + FAILED, { code: 1 }],
    ['a good end, then an exit code', DONE + said('x'), { code: 7 }],
    ['a good end after the real one', said('x') + DONE, { code: 0, events_bytes: said('x').length }],
  ];

test('an end that is forged decides nothing that the exit code decides', async () => {
  for (const [what, text, exit] of FORGED_ENDS) {
    leave(project, id, text, exit);
    const shown = { status: 'failed', exit_code: exit.code };
    expect.soft((await project.list())[0], what).toMatchObject(shown);
    expect.soft(await project.show(id), what).toMatchObject(shown);
    expect.soft(await project.$(`wait ${id}`), what).toBe(`${id} failed\n[exit 1]\n`);
  }
});

const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';
const OTHER = '01a1f881-ec1e-7f12-b7c6-f75110187463';
const named = (thread_id: unknown): string => `${JSON.stringify({ type: 'thread.started', thread_id })}\n`;
const BYPASS = '--dangerously-bypass-approvals-and-sandbox';
const OPTIONS = [BYPASS, '-c', '-', '../../x', '', `${OTHER} -c x`, ` ${OTHER}`];

test('a forged name of a conversation never becomes an argument of the next turn', async () => {
  const project = createProject();
  const id = await project.ended();
  const silent = { FAKE_AGENT_STREAM: undefined };
  const real = named(THREAD);
  // Each turn but the first says nothing, so that the first one's conversation goes on.
  const nextArgv = async (text: string): Promise<readonly string[] | undefined> => {
    const before = project.runs().length;
    leave(project, id, text);
    await project.$(`inject ${id} --wait x`, { env: silent });
    return project.runs()[before]?.argv;
  };
  const honest = await nextArgv(real + DONE);
  expect(honest?.slice(-3)).toEqual(['resume', THREAD, '-']);
  const forged = OPTIONS.map(named).join('');
  expect(await nextArgv(forged + real + DONE)).toEqual(honest);
  expect(await nextArgv(real + forged + named(OTHER) + DONE)).toEqual(honest);
  expect((await project.list())[0]?.thread_id).toBe(THREAD);
  expect(await nextArgv(real + said(named(OTHER)) + named([OTHER]) + named(null))).toEqual(honest);
  // The name that it gives first is its own affair; all that it can do with it is to name a conversation.
  expect(await nextArgv(named(OTHER) + real + DONE)).toEqual(
    honest?.map((word) => (word === THREAD ? OTHER : word)),
  );
});
