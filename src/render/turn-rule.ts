import type { Style } from './style.ts';

/** A line between two turns that says which one begins. */
export function turnRule(words: string, { paint, width }: Style): string {
  const said = `── ${words} `;
  return paint.dim(said + '─'.repeat(Math.max(0, Math.min(width, 80) - said.length)));
}
