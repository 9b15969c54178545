import { setImmediate as settled } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { CliContext } from '../../../src/cli/context.ts';
import { showLive } from '../../../src/cli/terminal/live-screen.ts';

test('a page is drawn for each new size and as time goes by, one frame after the other', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const interrupt = new AbortController();
  let resize = (): void => undefined;
  let pages = 0;
  let open = (): void => undefined;
  const stdout = {
    closed: new AbortController().signal,
    onResize: (act: () => void) => {
      resize = act;
      return () => undefined;
    },
    send: async () => undefined,
    write: () => undefined,
  } as unknown as CliContext['stdout'];
  async function* once(signal: AbortSignal) {
    yield 'a list';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
  const shown = showLive(
    { stdout, onEnd: () => interrupt.signal, onStop: () => () => undefined },
    once,
    async (text) => {
      pages += 1;
      await new Promise<void>((resolve) => {
        open = resolve;
      });
      return [text];
    },
  );
  await settled();
  expect(pages).toBe(1);
  // While a frame is drawn, several sizes ask for one more.
  resize();
  resize();
  await settled();
  expect(pages).toBe(1);
  open();
  await settled();
  expect(pages).toBe(2);
  open();
  await settled();
  // No more than each ten seconds.
  vi.advanceTimersByTime(9_999);
  expect(pages).toBe(2);
  vi.advanceTimersByTime(1);
  expect(pages).toBe(3);
  interrupt.abort(130);
  open();
  expect(await shown).toBe(130);
  expect(vi.getTimerCount()).toBe(0);
});
