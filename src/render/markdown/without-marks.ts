/** Before and behind a block of code, and between parts of a text or of a table. */
const MARKS_ALONE = /^(?:`{3,}[^`]*|~{3,}.*|[|:\s-]*)$/;

/** Whether a line of Markdown says nothing by itself. */
export const isOnlyMarks = (line: string): boolean => MARKS_ALONE.test(line.trim());

/** A line of Markdown for a list, without the marks of headings, quotations, lists, tables, code and bold words. */
export function withoutMarks(line: string): string {
  const cells = /^\|(.*)\|$/.exec(line.trim())?.[1]?.split('|');
  const words =
    cells?.map((cell) => cell.trim()).join(' · ') ?? line.trim().replace(/^(?:#{1,6}|[-*>])\s+/, '');
  // Of so many characters: each mark that nothing closes would else be looked for to the end of the line.
  return words.replace(/(?<![\w*`])(\*\*|`)(?![*`])(\S|\S.{0,100}?\S)\1(?![\w*`])/g, '$2');
}

/** What an agent does now without the marks of a bold heading, with which thoughts begin, and nothing else that it does. */
export const stepWithoutMarks = (step: string | null): string | null =>
  step?.replace(/^\*\*([^*]+)\*\*/, '$1') ?? null;
