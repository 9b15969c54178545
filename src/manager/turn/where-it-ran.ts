import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { ProcessIdentity } from '../../core/session.ts';
import { hostIdentity } from '../../process/identity.ts';
import type { TurnState } from './turn-state.ts';

/** Who ran a turn, or else claimed it. */
export function whoRan({ runner, request }: Pick<TurnState, 'runner' | 'request'>): ProcessIdentity {
  return runner?.identity ?? request.claimer;
}

/** Where a process is or was, in words: another host by its name, or only another pid namespace of this one. */
export function placeOf({ host, boot_id: boot }: ProcessIdentity): string {
  return boot === hostIdentity().boot_id ? 'from inside a container or sandbox' : `on host ${host}`;
}

/** The refusal to act upon a turn of which nobody here can tell whether it runs; `who` ran or claimed it. */
export function elsewhereError(id: SessionId, who: ProcessIdentity, hint: string): ZwarmError {
  return new ZwarmError(
    'unknown_liveness',
    `${id} was started ${placeOf(who)}: whether it runs cannot be told here`,
    hint,
  );
}
