import { readFileSync } from 'node:fs';
import { processesWith } from '../../helpers/project.ts';

/** Whether anything of a turn's agent or runner lives, other than what records and settles after its end. */
export function lives(id: string, turn: number | null): boolean {
  return processesWith(`@${id}.${turn}.`).some((pid) => {
    try {
      return !/\0ZWARM_MARK=[^\0]*\.runner\0/.test(`\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`);
    } catch {
      return false;
    }
  });
}
