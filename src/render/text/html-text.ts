import { safeText } from './safe-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for any place in a page, neutralised: nothing in it is markup. */
export function htmlText(text: string): string {
  return safeText(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
