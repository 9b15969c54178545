/** A long text at both of its ends: at most `limit` characters, between them how many were left out. */
export function bothEnds(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const between = (count: number): string => `\n… ${count.toLocaleString('en-US')} characters …\n`;
  const room = limit - between(text.length).length;
  // Neither end with half of a surrogate pair.
  const head = text.slice(0, Math.ceil(room / 2)).replace(/[\ud800-\udbff]$/, '');
  const tail = text.slice(-Math.floor(room / 2)).replace(/^[\udc00-\udfff]/, '');
  return head + between(text.length - head.length - tail.length) + tail;
}

/** The last lines of a text, at most `limit` characters of them, the first an ellipsis where a line was cut. */
export function lastLines(text: string, lines: number, limit: number): string {
  // Of a text of megabytes no more than this is looked at.
  const end = text.slice(-20 * limit).trimEnd();
  const last = end.split(/\r?\n/).slice(-lines).join('\n');
  return last.length <= limit ? last : `…${last.slice(1 - limit).replace(/^[\udc00-\udfff]/, '')}`;
}
