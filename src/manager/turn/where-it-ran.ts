import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { ProcessIdentity } from '../../core/session.ts';
import { hostIdentity } from '../../process/identity.ts';
import type { TurnState } from './turn-state.ts';

/** The runner of a turn, or else its claimer. */
export function starterOf({ runner, request }: Pick<TurnState, 'runner' | 'request'>): ProcessIdentity {
  return runner?.identity ?? request.claimer;
}

/** The host where a turn ran; null for this one. */
export function otherHostOf(turn: Pick<TurnState, 'runner' | 'request'>): string | null {
  const { host } = starterOf(turn);
  return host === hostIdentity().host ? null : host;
}

/** Where a process was started, in words: on another host, or in another pid namespace of this one. */
export function whereOf({ host, boot_id: boot }: ProcessIdentity): string {
  return boot === hostIdentity().boot_id ? 'from inside a container or sandbox' : `on host ${host}`;
}

/** Where a turn was started, or by what, which we do not know. */
export function whereStarted(turn: Pick<TurnState, 'runner' | 'request' | 'executor'>): string {
  const { executor } = turn;
  return executor === null ? whereOf(starterOf(turn)) : `by a newer zwarm with ${JSON.stringify(executor)}`;
}

/** The refusal to act upon a session that was started elsewhere: whether it runs cannot be determined here. */
export function elsewhereError(id: SessionId, where: string, hint: string): ZwarmError {
  const what = `${id} was started ${where}: whether it runs cannot be determined here`;
  return new ZwarmError('unknown_liveness', what, hint);
}
