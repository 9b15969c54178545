import { safeLine } from '../../render/text/safe-text.ts';
import type { Verb } from '../context.ts';

/** Whoever has waited so long looks at something else by now. */
const LONG_MS = 60_000;

/** What rings the bell of the terminal and has it show a text, if that took over a minute since this was called. */
export function ringAfterLong({ context }: Verb): (text: string) => void {
  const { stderr, now } = context;
  const since = now();
  return (text) => {
    if (!stderr.takesEscapes || now() - since <= LONG_MS) return;
    // OSC 9: a notification of the desktop, where the terminal has them.
    stderr.write(`\u0007\u001b]9;zwarm: ${safeLine(text)}\u0007`);
  };
}
