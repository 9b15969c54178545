import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../src/core/ids.ts';
import { isoTime } from '../../src/core/time.ts';
import { markOfTurn } from '../../src/core/turn-mark.ts';
import type { Session, Store } from '../../src/manager/context.ts';
import { RUNNER_SUFFIX } from '../../src/process/turn-processes.ts';
import { claimTurn } from '../../src/store/claim.ts';
import { sessionDir, turnDir } from '../../src/store/layout.ts';
import type { RequestRecord, SessionRecord } from '../../src/store/records.ts';
import { readRequest } from '../../src/store/sessions.ts';
import { live } from './marked.ts';
import { addSession, DEAD, RECORD, requestOf, runnerStat } from './store.ts';

/** One turn as its files tell it; times in ms since the epoch. */
export interface WrittenTurn {
  readonly prompt: string;
  readonly askedMs: number;
  /** What the agent has printed, each an event of its stream. */
  readonly events?: readonly object[];
  /** Its exit code and when it ended; `runs` as long as this test does, `lost` where nobody recorded an end. */
  readonly end: { readonly code: number; readonly ms: number } | 'runs' | 'lost';
}

/** A session as its files tell it. */
export interface WrittenSession {
  readonly name?: string;
  readonly record?: Partial<SessionRecord>;
  readonly turns: readonly WrittenTurn[];
  /** Its record cannot be read. */
  readonly damaged?: boolean;
}

const LAUNCH = {
  ...{ v: 1, argv: ['codex', 'exec', '--json', '-'], program: '/opt/codex', agent_version: '0.169.0' },
  ...{ thread_id: null, forks: false, how: 'fresh', confined_by: null, why: null, working_dir: null },
  ...{ account: null, time_zone: 'UTC', launcher: null },
};

const EXIT = { v: 1, why: null, detail: null, cancelled: false, uptime: null };

async function writeTurn(session: Session, number: number, { askedMs, events = [], end }: WrittenTurn) {
  const turn = { ...session, turn: number };
  const runner =
    end === 'runs' ? await live(markOfTurn(turn, readRequest(turn).nonce) + RUNNER_SUFFIX) : null;
  const write = (name: string, text: string, ms: number): void => {
    const path = join(turnDir(turn), name);
    writeFileSync(path, text, { mode: 0o600 });
    utimesSync(path, ms / 1000, ms / 1000);
  };
  const stream = events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const endMs = typeof end === 'object' ? end.ms : askedMs;
  write('launch.json', JSON.stringify({ ...LAUNCH, at: isoTime(askedMs) }), askedMs);
  write('runner.stat', runnerStat(runner?.identity ?? DEAD), askedMs);
  write('events.jsonl', stream, endMs);
  write('stderr.log', '', endMs);
  if (typeof end !== 'object') return;
  const exit = {
    ...EXIT,
    code: end.code,
    ended_at: isoTime(end.ms),
    events_bytes: Buffer.byteLength(stream),
  };
  write('exit.json', JSON.stringify(exit), end.ms);
}

/** Writes a session into a store as if agents had worked in it, all times those that are given; what runs ends with the test. */
export async function writeSession(store: Store, name: string, written: WrittenSession): Promise<void> {
  const id = name as SessionId;
  const [first, ...more] = written.turns;
  if (first === undefined) throw new TypeError('a session has a turn');
  const session = { store, id };
  const created_at = isoTime(first.askedMs);
  const record = {
    ...RECORD,
    source: 'user',
    working_dir: store.projectRoot,
    task: first.prompt,
    created_at,
  };
  const named = written.name === undefined ? {} : { name: written.name };
  const requestAt = (ms: number, word: string): RequestRecord => ({ ...requestOf(word), at: isoTime(ms) });
  addSession(store, id, { record: { ...record, ...written.record }, ...named });
  const path = join(turnDir({ ...session, turn: 1 }), 'request.json');
  rmSync(path);
  writeFileSync(path, JSON.stringify(requestAt(first.askedMs, store.id)), { mode: 0o600 });
  for (const [i, { prompt, askedMs }] of more.entries())
    claimTurn(
      { ...session, turn: i + 2 },
      { request: requestAt(askedMs, `${store.id}${i}`), prompt: Buffer.from(prompt) },
    );
  for (const [i, turn] of written.turns.entries()) await writeTurn(session, i + 1, turn);
  if (written.damaged) writeFileSync(join(sessionDir(session), 'session.json'), '{');
}
