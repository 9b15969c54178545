import { expect } from 'vitest';

/** A call of a tool that the model of a host makes, and what it must be told. */
interface Asked {
  readonly tool: string;
  readonly args: object;
  readonly told: object;
}

const FAILED_STEP = {
  id: 'item_1',
  type: 'command_execution',
  command: "/bin/bash -lc 'make all'",
  aggregated_output: 'cc -c a.c\nno rule to make b.o\n',
  exit_code: 2,
  status: 'failed',
};
const EVENTS = [
  { type: 'item.completed', item: FAILED_STEP },
  { type: 'turn.failed', error: { message: 'the build is broken' } },
].map((event) => `'${JSON.stringify(event).replaceAll("'", "'\\''")}'`);
/** For the shell agent, after `run`: its command fails, and then its turn. */
export const FAILING = `printf '%s\\n' ${EVENTS.join(' ')}; exit 1`;
const BREAKING = `run ${FAILING}`;

/** What every host must let its model do: look, delegate, wait, read why it was refused, and why a worker failed. */
export const hostStory = (directory: string): readonly Asked[] => [
  { tool: 'list_sessions', args: {}, told: { success: true, count: 0 } },
  {
    tool: 'delegate',
    args: { task: 'quick', name: 'good', mode: 'async' },
    told: { success: true, name: 'good', turn: 1 },
  },
  {
    tool: 'wait_sessions',
    args: { ids: ['good'] },
    told: { running: 0, sessions: [{ name: 'good', status: 'completed', response: 'done' }] },
  },
  {
    tool: 'delegate',
    args: { task: 'quick', working_dir: '/' },
    told: {
      success: false,
      error: 'that directory is not allowed',
      hint: expect.stringContaining(`allowed: ${directory} and below`),
    },
  },
  {
    tool: 'delegate',
    args: { task: BREAKING, name: 'bad' },
    told: {
      ...{ success: false, status: 'failed', error: 'the build is broken' },
      why: expect.stringContaining('no rule to make b.o'),
    },
  },
  {
    tool: 'check_session',
    args: { session_id: 'bad' },
    told: { success: false, status: 'failed', error: 'the build is broken', is_running: false },
  },
  {
    tool: 'get_trajectory',
    args: { session_id: 'bad' },
    told: {
      steps: expect.arrayContaining([
        expect.objectContaining({ type: 'command', exit_code: 2, status: 'failed' }),
      ]),
    },
  },
  { tool: 'list_sessions', args: { status: 'failed' }, told: { count: 1, running: 0 } },
];

/** What the model says when it has asked all of that. */
export const LAST_WORDS = 'that was all of it';
