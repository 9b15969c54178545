import { usageError, ZwarmError } from '../../core/errors.ts';
import { isSessionId, type SessionId } from '../../core/ids.ts';

/** What identifies a caller: its environment, and the source of a client or null. */
interface Asking {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly client: string | null;
}

/** Who asks. */
export interface Caller {
  /** `user`, `orchestrator:<id>` for an agent of a session, `mcp:<client>`, or `lib:<client>` for a program of the user. */
  readonly source: string;
  /** The session whose agent asks, or null. */
  readonly parent: SessionId | null;
}

/** The source of what a person asks for. */
export const USER = 'user';

const PROGRAM = 'lib:';
const PROGRAM_NAME = /^[a-z0-9][a-z0-9_.-]{0,39}$/;

/** The source of a program that calls itself so. @throws ZwarmError `usage` */
export function programSource(name: string): string {
  if (PROGRAM_NAME.test(name)) return `${PROGRAM}${name}`;
  const hint = 'it has at most 40 characters of a-z 0-9 _ . - and begins with a letter or digit';
  throw usageError(`${JSON.stringify(name)} is not a valid name of a client`, hint);
}

/** Whether what a source asks for is what the user asks for: a program that the user runs may do whatever the user may. */
export const isUsers = (source: string): boolean => source === USER || source.startsWith(PROGRAM);

/** The source of an agent whose session is unknown. */
export const UNKNOWN_AGENT = 'orchestrator:unknown';

/** Who asks: an agent is known by its environment, whatever program it calls us with. */
export function callerOf({ env, client }: Asking): Caller {
  const session = env['ZWARM_SESSION_ID'];
  if (!session) return { source: client ?? USER, parent: null };
  if (!isSessionId(session)) return { source: UNKNOWN_AGENT, parent: null };
  return { source: `orchestrator:${session}`, parent: session };
}

/** Refuses everybody but the user. @throws ZwarmError `not_allowed` */
export function requireUser(asking: Asking): void {
  const { source } = callerOf(asking);
  if (isUsers(source)) return;
  const what = `only the user may do this, and not ${source}`;
  throw new ZwarmError('not_allowed', what, 'ask the user to do it');
}
