import type { SessionId } from '../core/ids.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import type { Verb } from './context.ts';

const REDRAW_MS = 1000;
const CLEAR = '\r\u001b[2K';

/** A line on the terminal that is redrawn until it is removed. */
export interface LiveLine {
  /** Removes the line, so that something else can be printed. */
  clear(): void;
  stop(): void;
}

async function describe(verb: Verb, manager: SessionManager, ids: readonly SessionId[]): Promise<string> {
  const { renderProgress } = await import('../render/progress.ts');
  const style = await verb.style('stderr');
  const [id] = ids;
  if (id === undefined) return '';
  const { status, sinceMs, lastStep } = await manager.progress(id);
  const more = ids.length > 1 ? style.paint.dim(` (and ${ids.length - 1} more)`) : '';
  const narrower = { ...style, width: style.width - (ids.length > 1 ? 14 : 0) };
  const elapsedMs = sinceMs === null ? 0 : verb.context.now() - sinceMs;
  return renderProgress({ id, status, elapsedMs, lastStep }, narrower) + more;
}

/** Shows the progress of the first of some sessions on stderr, if that is a terminal. */
export function showLiveLine(verb: Verb, manager: SessionManager, ids: () => readonly SessionId[]): LiveLine {
  const { stderr } = verb.context;
  if (!stderr.isTTY) return { clear: () => undefined, stop: () => undefined };
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const draw = async (): Promise<void> => {
    const line = await describe(verb, manager, ids());
    if (stopped) return;
    stderr.write(CLEAR + line);
    timer = setTimeout(next, REDRAW_MS);
  };
  const next = (): void => {
    // The session was just deleted: waiting for it fails with the reason.
    draw().catch(() => clear());
  };
  const clear = (): void => stderr.write(CLEAR);
  next();
  return {
    clear,
    stop() {
      stopped = true;
      clearTimeout(timer);
      clear();
    },
  };
}
