import { charactersOf } from './width.ts';

/** What stands for our own characters, and for those that programs like to print, where there is nothing but ASCII. */
const FORMS = new Map(
  ['…~', '─-', '│|', '└`', '├|', '•*', '·-', '✓v', '✗x', '☐o', '»>', '±~', '–-', '—-', '−-', '◌o', '×x']
    .concat(['→>', '←<', '“"', '”"', "‘'", "’'", '\u00a0 '])
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

/** A text for a terminal without UTF-8. Each character that ASCII does not have becomes `?`; columns stay as they are. */
export function toAscii(text: string): string {
  return text.replace(/[^\x00-\x7f]+/g, (other) => {
    let ascii = '';
    for (const character of charactersOf(other))
      ascii += FORMS.get(character.text) ?? '?'.repeat(character.columns);
    return ascii;
  });
}
