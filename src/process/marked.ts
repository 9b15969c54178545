import { type Marked, markedProcesses } from './bearers.ts';
import { SHOWS_MARKS, variableOf } from './identity.ts';

/**
 * The living processes that were started by turns of a state directory, by what is in their environment; ourselves left
 * out. Null where the system shows nobody's environment (macOS).
 */
export function processesOfStore(stateDir: string): readonly Marked[] | null {
  if (!SHOWS_MARKS) return null;
  // The ids of another project's sessions are none of ours.
  return markedProcesses().filter(
    ({ pid, mark }) => mark !== '' && pid !== process.pid && variableOf(pid, 'ZWARM_DIR') === stateDir,
  );
}
