import { isFinal } from '../../core/status.ts';
import { livenessOf } from '../../process/identity.ts';
import { hasTurn } from '../../store/sessions.ts';
import { readSlots, type Slot } from '../../store/slots.ts';
import type { Store } from '../context.ts';
import { readTurnState, type TurnState } from './turn-state.ts';

/** A place for a turn that runs. */
export interface SlotNow extends Slot {
  readonly isHeld: boolean;
  /** The turn that has it or had it last; null where that does not exist. */
  readonly turn: TurnState | null;
}

async function nowOf(store: Store, slot: Slot, nowMs: number): Promise<SlotNow> {
  const { claimer, turn: named } = slot.holder;
  if (named === null) return { ...slot, isHeld: false, turn: null };
  // Before the look at the turn: whoever dies may have claimed it by then.
  const claims = livenessOf(claimer) !== 'no';
  const turn = { store, ...named };
  if (!hasTurn(turn)) return { ...slot, isHeld: claims, turn: null };
  const state = await readTurnState(turn, null, nowMs);
  return { ...slot, isHeld: !isFinal(state.verdict.status), turn: state };
}

/** All places that were ever taken, as they are now. @throws DamagedRecord */
export function slotsNow(store: Store, nowMs: number): Promise<readonly SlotNow[]> {
  return Promise.all(readSlots(store.root).map((slot) => nowOf(store, slot, nowMs)));
}
