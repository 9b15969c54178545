import { ZwarmError } from '../core/errors.ts';
import { isSessionId, type SessionId } from '../core/ids.ts';
import type { ManagerContext } from './context.ts';

/** Who asks. */
export interface Caller {
  /** `user`, `orchestrator:<id>` for an agent of a session, or `mcp:<client>`. */
  readonly source: string;
  /** The session whose agent asks, or null. */
  readonly parent: SessionId | null;
}

/** The source of what a person asks for. */
export const USER = 'user';

/** What tells who asks. */
type Asking = Pick<ManagerContext, 'env' | 'client'>;

/** The session whose agent is calling us, or null. */
function parentOf({ env }: Asking): SessionId | null {
  const parent = env['ZWARM_SESSION_ID'];
  return parent !== undefined && isSessionId(parent) ? parent : null;
}

/** Who asks: an agent is known by its environment, whatever program it calls us with. */
export function callerOf(context: Asking): Caller {
  const parent = parentOf(context);
  if (parent !== null) return { source: `orchestrator:${parent}`, parent };
  return { source: context.client === null ? USER : `mcp:${context.client}`, parent };
}

/** Refuses everybody but the user, and what the user types. @throws ZwarmError `not_allowed` */
export function requireUser(context: ManagerContext): void {
  const { source } = callerOf(context);
  if (source === USER) return;
  throw new ZwarmError(
    'not_allowed',
    `only the user may change what is allowed, and not ${source}`,
    'ask the user to do it',
  );
}
