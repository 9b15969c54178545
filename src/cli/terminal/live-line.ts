import type { SessionId } from '../../core/ids.ts';
import type { Verb } from '../context.ts';

const REDRAW_MS = 1000;
/** Removes the line that is shown. */
export const CLEAR = '\r\u001b[2K';

async function describe(verb: Verb, ids: readonly SessionId[]): Promise<string> {
  const { renderProgress } = await import('../../render/progress.ts');
  const style = await verb.style('stderr');
  const [id, ...others] = ids;
  if (id === undefined) return '';
  return renderProgress(await verb.manager.summary(id), others.length, style);
}

/**
 * Shows the progress of the first of some sessions on stderr, if that is a terminal, redrawn until `stop` is called.
 * `clear` removes the line, so that something else can be printed.
 */
export function showLiveLine(verb: Verb, ids: () => readonly SessionId[]) {
  const { stderr } = verb.context;
  let stopped = !stderr.isTTY;
  let timer: NodeJS.Timeout | undefined;
  const clear = (): void => {
    if (stderr.isTTY) stderr.write(CLEAR);
  };
  const draw = async (): Promise<void> => {
    const line = await describe(verb, ids());
    if (stopped) return;
    stderr.write(CLEAR + line);
    timer = setTimeout(next, REDRAW_MS);
  };
  // It fails where the session was just deleted; waiting for that fails too, with the reason.
  const next = (): void => void draw().catch(clear);
  if (!stopped) next();
  return {
    clear,
    stop() {
      stopped = true;
      clearTimeout(timer);
      clear();
    },
  };
}
