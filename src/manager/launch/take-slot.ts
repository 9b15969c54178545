import { ZwarmError } from '../../core/errors.ts';
import { ownIdentity } from '../../process/identity.ts';
import { type Slot, takeSlot } from '../../store/slots.ts';
import type { ManagerContext, Store, Turn } from '../context.ts';
import { declareNeverLaunched } from '../stop/request-cancel.ts';
import { type SlotNow, slotsNow } from '../turn/slot-holders.ts';

/** How many turns may run at once in a project, or null for any number. @throws ZwarmError `config` */
export async function maxRunningOf(context: ManagerContext, store: Store): Promise<number | null> {
  const place = { env: context.env, projectRoot: store.projectRoot };
  return (await context.loadSettings(place)).maxRunning;
}

/** The place for a turn: its own, that of an earlier turn of its session, or a free one; null where all are taken. */
function choose(slots: readonly SlotNow[], { id, turn }: Turn, max: number) {
  const held = slots.filter(({ isHeld }) => isHeld);
  const ofSession = held.filter(({ holder }) => holder.turn?.id === id);
  const own = ofSession.find(({ holder }) => holder.turn?.turn === turn) ?? ofSession[0];
  if (own !== undefined) return own;
  if (held.length >= max) return null;
  const free = slots.find(({ isHeld, number }) => !isHeld && number <= max);
  const unused = Array.from({ length: max }, (_, i) => i + 1).find((number) =>
    slots.every((slot) => slot.number !== number),
  );
  return free ?? (unused === undefined ? null : { number: unused, generation: 0, turn: null });
}

/** A place that was taken for a turn, and another turn that had it last, or null. */
interface TakenSlot extends Slot {
  readonly last: Turn | null;
}

/**
 * Takes a place among the turns that may run at once, of which there are `max`; one that the turn has already is kept. A
 * message that stops the running turn of its session comes into its place. Null where all are taken.
 */
export async function slotFor(context: ManagerContext, turn: Turn, max: number): Promise<TakenSlot | null> {
  const { store, id } = turn;
  const holder = { v: 1, turn: { id, turn: turn.turn }, claimer: ownIdentity() } as const;
  for (;;) {
    const chosen = choose(await slotsNow(store, context.now()), turn, max);
    if (chosen === null) return null;
    const { number, generation, turn: last } = chosen;
    if ('holder' in chosen && chosen.isHeld && last?.id === id && last.turn === turn.turn)
      return { ...chosen, last: null };
    // What never began must not begin late, beside the turn that comes into its place.
    if (last !== null) declareNeverLaunched(context, { id: last.id, current: last });
    const taken = { number, generation: generation + 1, holder };
    if (takeSlot(store.root, taken, context.newNonce())) return { ...taken, last };
  }
}

/**
 * Takes a place for a turn that is to begin at once, before it is claimed; null where any number may run.
 * @throws ZwarmError `over_quota`
 */
export async function requireSlot(context: ManagerContext, turn: Turn): Promise<Slot | null> {
  const max = await maxRunningOf(context, turn.store);
  if (max === null) return null;
  const slot = await slotFor(context, turn, max);
  if (slot !== null) return slot;
  const what = `${max === 1 ? 'a turn runs' : `${max} turns run`} in this project, and no more may (max_running)`;
  throw new ZwarmError('over_quota', what, 'let it wait for its turn: --queue; a tool takes queue=true');
}

/** Gives a place back that was taken for a turn which did not come to be. */
export function giveBack(context: ManagerContext, { store }: Turn, { number, generation }: Slot): void {
  const holder = { v: 1, turn: null, claimer: ownIdentity() } as const;
  takeSlot(store.root, { number, generation: generation + 1, holder }, context.newNonce());
}
