import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ownIdentity } from '../../../src/process/identity.ts';
import { DamagedRecord } from '../../../src/store/read-file.ts';
import {
  encode,
  encodeSession,
  parse,
  parseRunnerStat,
  parseSessionRecord,
} from '../../../src/store/records.ts';

const identity = { host: 'h', boot_id: 'b', pid_ns: 'pid:[1]', pid: 12, start: '345', uid: 0 };
const at = '2026-11-20T10:00:00.000Z';
const git = { root: '/r', head: 'a'.repeat(40), branch: 'main' };

const created = { source: 'cli', tags: [], executor: 'local', created_at: at };
const session = {
  agent: 'codex',
  task: 't',
  working_dir: '/w',
  sandbox: 'read-only',
  agent_args: ['a'],
  ...created,
};
const origin = {
  work_in: 'd',
  model: 'm',
  parent: 'p',
  key: 'k',
  schema: '{}',
  forked_from: { id: 'f', turn: 1, history_bytes: 5 },
  git,
  worktree: {
    path: '/t',
    git_dir: '/r/.git/worktrees/t',
    branch: 'b',
    base: 'c',
    base_branch: 'main',
    checkout: '/r',
    port_base: 20000,
    with_changes: true,
  },
  unpacked: { at, turn: 2, history_bytes: 5 },
  imported_at: at,
  run_limits: { max_time_s: 60, max_silence_s: null, max_log_bytes: null },
  budget: { unit: 'usd', most: 5 },
};
const prompt = { kind: 'prompt', claimer: identity, nonce: 'x', at };
const started = { argv: ['a', ''], program: '/p', how: 'native', at };
const end = { code: 3, why: 'no_agent', detail: 'd', uptime: 1.25, ended_at: at, events_bytes: 9 };
const project = { store_id: 's', path: '/p', host: 'h', inode: '1', birth_time: at, created_at: at };
const parseSession = (text: string): object => parseSessionRecord(text, '/project');

/** The fields of each record that must be there, those that may be null or absent, and what the reader adds. */
const RECORDS: readonly [string, (text: string) => object, object, object, object][] = [
  ['session.json', parseSession, session, origin, { orchestrates: false, unconfined: false, metadata: {} }],
  [
    'request.json',
    parse.request,
    prompt,
    { by: 'user', run_limits: origin.run_limits, retry: { number: 1, most: 3 } },
    {
      ...{ queued: false, after: [], even_if_failed: false, to: null, covers: [], runs: null },
      ...{ adopted: null, opened: null },
    },
  ],
  ['deferral.json', parse.deferral, { reason: 'retry', detail: 'd', not_before: at }, {}, {}],
  [
    'launch.json',
    parse.launch,
    started,
    { agent_version: '0.169.0', thread_id: 't' },
    {
      forks: false,
      why: null,
      confined_by: null,
      working_dir: null,
      account: null,
      time_zone: null,
      launcher: null,
    },
  ],
  [
    'cancel.json',
    parse.cancel,
    { why: 'kill', by: identity, at },
    { reason: 'r', limit: { name: 'max_time_s', allowed: 60, observed: 61 } },
    {},
  ],
  ['exit.json', parse.exit, {}, end, { cancelled: false }],
  ['project.json', parse.project, project, { kept_at: 'p-1', seen_at: '/q' }, {}],
];
const WRONG: readonly unknown[] = [5.5, -1, true, 'no such word', [1], { x: 1 }, [null], {}];

function accepts(parse: (text: string) => object, json: object): boolean {
  try {
    parse(encode(json));
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedRecord);
    return false;
  }
}

describe.each(RECORDS)('%s', (_, parse, required, nullable, added) => {
  const whole = { v: 1, ...required, ...nullable };

  test('is read as it was written, and unknown fields are ignored', () => {
    const expected = { ...whole, ...added };
    expect(parse(encode(whole))).toEqual(expected);
    expect(parse(encode({ ...whole, v: 2, tomorrow: { a: 1 } }))).toEqual(expected);
    // The record of another build, with its keys in another order.
    expect(parse(encode(Object.fromEntries(Object.entries(whole).reverse())))).toEqual(expected);
  });

  test('may lack what may be unknown', () => {
    const nulls = Object.fromEntries(Object.keys(nullable).map((key) => [key, null]));
    expect(parse(encode({ v: 1, ...required }))).toEqual({ v: 1, ...required, ...nulls, ...added });
    expect(parse(encode({ v: 1, ...required, ...nulls }))).toEqual(parse(encode({ v: 1, ...required })));
  });

  test('is damaged without a field that must be there, or with one of another type', () => {
    const refuses = (key: string, value: unknown): void =>
      expect(accepts(parse, { ...whole, [key]: value }), `${key}: ${value}`).toBe(false);
    for (const key of Object.keys(required)) for (const value of [undefined, null]) refuses(key, value);
    for (const [key, good] of Object.entries({ ...required, ...nullable })) {
      // Any text is a text, also in place of a word, and any number one of seconds.
      const isText = key === 'ended_at' || (typeof good === 'string' && good !== at && key !== 'path');
      // Any limit may be left out.
      const isLimits = key === 'run_limits';
      const wrong = WRONG.filter(
        (one) =>
          !(isText && typeof one === 'string') &&
          !(key === 'uptime' && one === 5.5) &&
          !(isLimits && typeof one === 'object' && !Array.isArray(one)),
      );
      for (const value of wrong) refuses(key, value);
    }
  });

  test('is read with words that a newer zwarm may have written, and keeps them', () => {
    const words = ['sandbox', 'kind', 'how', 'why', 'executor', 'reason', 'agent'];
    for (const key of words.filter((word) => word in whole))
      expect(parse(encode({ ...whole, [key]: 'tomorrow' }))).toEqual({
        ...whole,
        ...added,
        [key]: 'tomorrow',
      });
  });

  test('is damaged when it is cut, empty or no object, and takes nothing from a planted prototype', () => {
    const text = encode(whole);
    const cuts = Array.from({ length: text.length - 1 }, (_, cut) => text.slice(0, cut));
    for (const bad of [...cuts, 'null', '[]', '5', '"x"', '\0', `${text}${text}`])
      expect(() => parse(bad)).toThrow(DamagedRecord);
    const planted = `{"__proto__":${JSON.stringify(whole)}}`;
    if (Object.keys(required).length > 0) expect(() => parse(planted)).toThrow(DamagedRecord);
    else expect(parse(planted)).toMatchObject({ code: null, why: null });
  });
});

test('every field of an identity is needed', () => {
  const request = { v: 1, kind: 'prompt', nonce: 'x', at };
  for (const key of Object.keys(identity)) {
    for (const value of [undefined, null, key === 'pid' || key === 'uid' ? '12' : 12]) {
      const claimer = { ...identity, [key]: value };
      expect(() => parse.request(encode({ ...request, claimer }))).toThrow(DamagedRecord);
    }
  }
});

test('a session in its project names its directory from there', () => {
  for (const [working_dir, path] of [
    ['.', '/project'],
    ['a/b', '/project/a/b'],
    ['/other', '/other'],
  ] as const) {
    const record = parseSessionRecord(
      encode({ ...session, v: 1, git: { ...git, root: '.' }, working_dir }),
      '/project',
    );
    expect(record).toMatchObject({ working_dir: path, git: { root: '/project' } });
    expect(JSON.parse(encodeSession(record, '/project'))).toMatchObject({ working_dir, git: { root: '.' } });
  }
});

describe('runner.stat', () => {
  const { start: _, ...host } = identity;
  const fields = '1 12 12 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2';
  const stat = (comm: string): string => encode({ v: 1, ...host, stat: `12 (${comm}) S ${fields}` });

  test('tells the start of the process, whatever the process is called', () => {
    for (const comm of ['sh', 'a b', ') R 1 (', 'x) S 1 1 1', '(((', '']) {
      expect(parseRunnerStat(stat(comm)).identity).toEqual({ ...identity, start: '987654' });
    }
  });

  test('has the start in words where there is no /proc', () => {
    const lstart = 'Fri Nov 20 10:00:00 2026';
    expect(parseRunnerStat(encode({ v: 1, ...host, lstart, uptime: 1.5 }))).toEqual({
      identity: { ...identity, start: lstart },
      uptime: 1.5,
    });
  });

  test('is damaged when it was not written to its end, or tells no start', () => {
    const text = stat('sh');
    for (let cut = 0; cut < text.length - 1; cut += 1) {
      expect(() => parseRunnerStat(text.slice(0, cut))).toThrow(DamagedRecord);
    }
    for (const bad of [{ lstart: '' }, { stat: '' }, { stat: '12 (sh) S 1 2' }, { stat: 5 }, {}]) {
      expect(() => parseRunnerStat(encode({ v: 1, ...host, ...bad }))).toThrow(DamagedRecord);
    }
  });

  test('of this very process tells what it knows of itself', () => {
    const own = ownIdentity();
    const line = readFileSync(`/proc/${process.pid}/stat`, 'utf8').trimEnd();
    expect(parseRunnerStat(encode({ v: 1, ...own, start: undefined, stat: line })).identity).toEqual(own);
  });
});
