import type { Style } from './style.ts';
import { safeText } from './text/safe-text.ts';

/** Unchanged lines to show on either side. */
const CONTEXT = 3;

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** How many lines two texts have in common from their beginning. */
function commonLines(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((line, at) => line !== b[at]);
  return differs < 0 ? a.length : differs;
}

/** How a text changes: the lines that go and come, from the first that differs to the last, with a few around them. */
export function renderChange(before: string, after: string, { paint }: Style): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const head = commonLines(old, now);
  const tail = commonLines(old.slice(head).reverse(), now.slice(head).reverse());
  const show = (mark: string, lines: readonly string[]): string[] =>
    lines.map((line) => `${mark} ${safeText(line)}`.trimEnd());
  const end = old.length - tail;
  return [
    ...show(' ', old.slice(Math.max(0, head - CONTEXT), head)),
    ...show('-', old.slice(head, end)).map((line) => paint.red(line)),
    ...show('+', now.slice(head, now.length - tail)).map((line) => paint.green(line)),
    ...show(' ', old.slice(end, end + CONTEXT)),
    '',
  ].join('\n');
}
