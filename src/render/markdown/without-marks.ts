/** Before and behind a block of code, and between parts of a text or of a table. */
const MARKS_ALONE = /^(?:`{3,}[^`]*|~{3,}.*|[|:\s-]*)$/;

/** A line of Markdown for a list, without the marks of headings, quotations, lists, tables, code and bold words. */
export function withoutMarks(line: string): string {
  const text = line.trim();
  if (MARKS_ALONE.test(text)) return '';
  const cells = /^\|(.*)\|$/.exec(text)?.[1]?.split('|');
  const words = cells?.map((cell) => cell.trim()).join(' · ') ?? text.replace(/^(?:#{1,6}|[-*>])\s+/, '');
  return words.replace(/(?<![\w*`])(\*\*|`)(?![*`])(\S|\S.{0,100}?\S)\1(?![\w*`])/g, '$2');
}

/** What an agent does now without the marks of a bold heading, with which thoughts begin, and nothing else that it does. */
export const stepWithoutMarks = (step: string): string => step.replace(/^\*\*([^*]+)\*\*/, '$1');
