import { ZwarmError } from '../../core/errors.ts';
import { isSessionId, type SessionId } from '../../core/ids.ts';

/** What identifies a caller: its environment, and the name of an MCP client or null. */
interface Asking {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly client: string | null;
}

/** Who asks. */
export interface Caller {
  /** `user`, `orchestrator:<id>` for an agent of a session, or `mcp:<client>`. */
  readonly source: string;
  /** The session whose agent asks, or null. */
  readonly parent: SessionId | null;
}

/** The source of what a person asks for. */
export const USER = 'user';

/** The source of an agent whose session is unknown. */
export const UNKNOWN_AGENT = 'orchestrator:unknown';

/** Who asks: an agent is known by its environment, whatever program it calls us with. */
export function callerOf({ env, client }: Asking): Caller {
  const session = env['ZWARM_SESSION_ID'];
  if (!session) return { source: client === null ? USER : `mcp:${client}`, parent: null };
  if (!isSessionId(session)) return { source: UNKNOWN_AGENT, parent: null };
  return { source: `orchestrator:${session}`, parent: session };
}

/** Refuses everybody but the user. @throws ZwarmError `not_allowed` */
export function requireUser(asking: Asking): void {
  const { source } = callerOf(asking);
  if (source === USER) return;
  const what = `only the user may change what is allowed, and not ${source}`;
  throw new ZwarmError('not_allowed', what, 'ask the user to do it');
}
