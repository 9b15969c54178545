import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { ProcessIdentity } from '../../core/session.ts';
import { hostIdentity } from '../../process/identity.ts';
import type { TurnState } from './turn-state.ts';

/** The host where a turn ran, or else was claimed; null for this one. */
export function otherHostOf({ runner, request }: Pick<TurnState, 'runner' | 'request'>): string | null {
  const { host } = runner?.identity ?? request.claimer;
  return host === hostIdentity().host ? null : host;
}

/** Where the runner of a turn was started, or else its claimer, in words: another host, or a pid namespace of this one. */
export function whereItRan({ runner, request }: Pick<TurnState, 'runner' | 'request'>): string {
  return whereOf(runner?.identity ?? request.claimer);
}

function whereOf({ host, boot_id: boot }: ProcessIdentity): string {
  return boot === hostIdentity().boot_id ? 'from inside a container or sandbox' : `on host ${host}`;
}

/** The refusal to act upon a session that this process was started in, elsewhere: nobody here can see whether it runs. */
export function startedElsewhere(id: SessionId, by: ProcessIdentity, hint: string): ZwarmError {
  return new ZwarmError(
    'unknown_liveness',
    `${id} was started ${whereOf(by)}: whether it runs cannot be told here`,
    hint,
  );
}

/** The refusal to act upon a turn of which nobody here can tell whether it runs. */
export function elsewhereError({ id, runner, request }: TurnState, hint: string): ZwarmError {
  return startedElsewhere(id, runner?.identity ?? request.claimer, hint);
}
