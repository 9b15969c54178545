import type { Tool } from './tool.ts';
import { checkSession } from './tools/check-session.ts';
import { converse } from './tools/converse.ts';
import { delegate } from './tools/delegate.ts';
import { endSession } from './tools/end-session.ts';
import { getTrajectory } from './tools/get-trajectory.ts';
import { listSessions } from './tools/list-sessions.ts';
import { peekSession } from './tools/peek-session.ts';
import { waitSessions } from './tools/wait-sessions.ts';

/** All tools, in the order in which a client is told of them. */
export const TOOLS: readonly Tool[] = [
  delegate,
  converse,
  checkSession,
  peekSession,
  getTrajectory,
  listSessions,
  endSession,
  waitSessions,
] as readonly unknown[] as readonly Tool[];
