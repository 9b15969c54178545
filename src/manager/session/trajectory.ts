import { stepsOf } from '../../core/conversation/session-reader.ts';
import { type TrajectoryStep, trajectoryOf } from '../../core/conversation/trajectory.ts';
import { type ConversationReader, onlyTurn } from './read-session.ts';

/**
 * The steps of a session, numbered through all turns, or those of one turn, with their times as far as they are known.
 * @throws ZwarmError `usage` where there is no such turn
 */
export function trajectory(session: ConversationReader, turn?: number): readonly TrajectoryStep[] {
  onlyTurn(session, turn);
  const { turns } = session;
  const steps = turns.map(stepsOf);
  const times = turns.map(
    ({ view, newClock }, i) => [view.turn, (steps[i]?.steps ?? []).map(newClock())] as const,
  );
  return trajectoryOf(steps, new Map(times)).filter((step) => turn === undefined || step.turn === turn);
}
