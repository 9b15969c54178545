/** A line of Markdown for a list, without the marks that a page renders: of headings, quotations, lists, code and bold words. */
export function withoutMarks(line: string): string {
  const words = line.trim().replace(/^(?:#{1,6}|[-*>])\s+/, '');
  return words.replace(/(\*\*|`)(\S|\S.*?\S)\1/g, '$2');
}
