import type { CliContext } from '../context.ts';

/*
 * A frame is one write, and no line of it can run into the next: the screen is one of its own, that is left at the end, and
 * does not wrap. What is erased is erased before it is written: behind a full line the cursor stands on its last character.
 */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const BEGIN_FRAME = '\u001b[?2026h\u001b[H';
const END_FRAME = '\u001b[?2026l';
const ERASE_LINE = '\u001b[K';
const ERASE_REST = '\u001b[J';

/** So long after a frame the next one is drawn, although nothing has happened: the times on a page go on. */
const TICK_MS = 10_000;

function frameOf(lines: readonly string[]): string {
  const last = lines.length - 1;
  const drawn = lines.map((line, i) => `${i < last ? ERASE_LINE : ERASE_REST}${line}`);
  return `${BEGIN_FRAME}${drawn.join('\r\n')}${END_FRAME}`;
}

/**
 * Shows a page on the terminal, drawn in place for each of some values, as time goes by, and for each new size, until the
 * values end, Ctrl-C or the end of the terminal; what it showed last is left behind, also while Ctrl-Z has stopped it. Returns
 * the exit code. `page` returns at least one line, and no more than the terminal has.
 */
export async function showLive<T>(
  { stdout, onEnd, onStop }: Pick<CliContext, 'stdout' | 'onEnd' | 'onStop'>,
  valuesUntil: (signal: AbortSignal) => AsyncIterable<T>,
  page: (value: T) => Promise<readonly string[]>,
): Promise<number> {
  const controller = new AbortController();
  const asked = onEnd();
  for (const end of [asked, stdout.closed])
    end.addEventListener('abort', () => controller.abort(), { once: true });
  let draw = async (): Promise<void> => undefined;
  let lines: readonly string[] = [];
  let failure: unknown = null;
  let ticking: NodeJS.Timeout | undefined;
  let wanted = false;
  let busy = false;
  const redraw = async (): Promise<void> => {
    wanted = true;
    if (busy) return;
    busy = true;
    for (; wanted && !controller.signal.aborted; await draw()) wanted = false;
    busy = false;
    clearTimeout(ticking);
    if (!controller.signal.aborted) ticking = setTimeout(redrawSoon, TICK_MS);
  };
  const fail = (error: unknown): void => {
    failure = error;
    controller.abort();
  };
  const redrawSoon = (): void => void redraw().catch(fail);
  const leave = (): void => {
    if (lines.length > 0) stdout.write(LEAVE + lines.map((line) => `${line}\n`).join(''));
    lines = [];
  };
  const stopResizing = stdout.onResize(redrawSoon);
  const stopStopping = onStop(leave, redrawSoon);
  try {
    for await (const value of valuesUntil(controller.signal)) {
      draw = async () => {
        const drawn = await page(value);
        // A frame behind the end would be left on the screen of whoever comes next.
        if (controller.signal.aborted) return;
        const enter = lines.length === 0 ? ENTER : '';
        lines = drawn;
        await stdout.send(enter + frameOf(lines));
      };
      await redraw();
    }
  } finally {
    controller.abort();
    clearTimeout(ticking);
    stopResizing();
    stopStopping();
    leave();
  }
  if (failure !== null) throw failure;
  return asked.aborted ? Number(asked.reason) : 0;
}
