import { EXIT_CODES, usageError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { Affected } from '../render/affected.ts';
import { counted } from '../render/text/units.ts';
import type { Verb } from './context.ts';
import { forEachRef, valuesOf } from './each.ts';

/** More than this would push the question's own beginning off the screen. */
const MOST_SHOWN = 15;

/** Whether there is somebody to ask who has not answered beforehand. */
export function canAsk({ context: { stdin, stderr } }: Verb, yes: boolean): boolean {
  return !yes && stdin.isTTY && stderr.isTTY;
}

/**
 * Whether the user agrees, by `--yes` or on the terminal; whoever does not ends the verb with exit code 1, or by Ctrl-C.
 * @throws ZwarmError `usage` where there is no terminal
 */
export async function confirm(verb: Verb, question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!canAsk(verb, yes)) throw usageError('there is no terminal to ask on', 'say yes beforehand: --yes');
  const said = await verb.context.ask(question);
  if (said === 'yes') return true;
  verb.hint('nothing was changed');
  verb.exit(said === 'no' ? EXIT_CODES.failed : EXIT_CODES.interrupted);
  return false;
}

/** Shows what a verb would do to sessions, `Delete`, and asks whether it should. */
export async function agreesTo(
  verb: Verb,
  what: string,
  rows: readonly Affected[],
  more = '',
): Promise<boolean> {
  const { renderAffected } = await import('../render/affected.ts');
  verb.context.stderr.write(renderAffected(rows, await verb.style('stderr'), MOST_SHOWN));
  const sessions = rows.length === 1 ? 'this session' : `these ${counted(rows.length, 'session')}`;
  return confirm(verb, `${what} ${sessions}${more}?`, false);
}

/** The same for sessions of which only the ids are known: true also where nobody can be asked. */
export async function mayDo(
  verb: Verb,
  what: string,
  ids: readonly SessionId[],
  yes: boolean,
): Promise<boolean> {
  if (!canAsk(verb, yes)) return true;
  // One that is gone by now will be told of by what is done to it.
  const rows = valuesOf(await forEachRef(ids, (id) => verb.manager.summary(id)));
  return rows.length === 0 || agreesTo(verb, what, rows);
}
