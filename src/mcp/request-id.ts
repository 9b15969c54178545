/** A member of a JSON object whose value is a string, a number or null. */
const MEMBER = String.raw`\s*"\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\d.eE+-]+|null)\s*`;
const AT_BEGINNING = new RegExp(String.raw`^\s*\{((?:${MEMBER},)*)`);
const AT_END = new RegExp(String.raw`((?:,${MEMBER})*)\}\s*$`);

/**
 * The id of a JSON-RPC request of whose text only the beginning and the end are known; null for what is not a request,
 * and where neither of them tells. Only the outermost members count: parameters may have an id of their own.
 */
export function requestIdOf(beginning: string, end: string): string | number | null {
  const first = AT_BEGINNING.exec(beginning)?.[1];
  const last = AT_END.exec(end)?.[1];
  if (first === undefined || last === undefined) return null;
  try {
    const { id, method } = JSON.parse(`{${first}"":0${last}}`);
    return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
  } catch {
    return null;
  }
}
