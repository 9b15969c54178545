import { Transform } from 'node:stream';

const NEWLINE = 0x0a;
/** How much is kept of each end of a line that is too long: the members around its parameters need less. */
const EDGE_BYTES = 1024;

/** A member of a JSON object whose value is a string, a number or null. */
const MEMBER = String.raw`\s*"\w+"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\d.eE+-]+|null)\s*`;
const AT_BEGINNING = new RegExp(String.raw`^\s*\{((?:${MEMBER},)*)`);
const AT_END = new RegExp(String.raw`((?:,${MEMBER})*)\}\s*$`);

/** The id of a JSON-RPC request; null for other messages, and where the id is unknown. */
export type RequestId = string | number | null;

/** The id of a request of which only the ends are known. The outermost members count: parameters may have an id, too. */
export function requestIdOf(beginning: string, end: string): RequestId {
  try {
    const { id, method } = JSON.parse(`{${AT_BEGINNING.exec(beginning)?.[1]}"":0${AT_END.exec(end)?.[1]}}`);
    return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : null;
  } catch {
    return null;
  }
}

/** The line that is being read: all of it is held, or of one that is too long its beginning and its end. */
const newLine = () => ({ bytes: 0, held: [] as Buffer[], beginning: null as Buffer | null });

/**
 * Passes lines on, each in one piece. It drops a line of more than `longest` bytes, which takes no more memory however
 * long it is, and calls `tooLong` at its end with the id of the request in it.
 */
export function boundedLines(longest: number, tooLong: (id: RequestId) => void): Transform {
  let line = newLine();
  const add = (part: Buffer): void => {
    line.bytes += part.length;
    line.held.push(part);
    if (line.bytes <= longest) return;
    const held = Buffer.concat(line.held);
    // Copies: a piece of a buffer would keep all of it.
    line.beginning ??= Buffer.from(held.subarray(0, EDGE_BYTES));
    line.held = [Buffer.from(held.subarray(-EDGE_BYTES))];
  };
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, at + 1));
        const text = Buffer.concat(line.held);
        if (line.beginning === null) this.push(text);
        else tooLong(requestIdOf(line.beginning.toString(), text.toString()));
        line = newLine();
        from = at + 1;
      }
      add(chunk.subarray(from));
      done();
    },
  });
}
