import { Transform, type TransformCallback } from 'node:stream';
import { requestIdOf } from './request-id.ts';

const NEWLINE = 0x0a;
/** How much is kept of each end of a line that is too long: the members around its parameters need less. */
const EDGE_BYTES = 1024;

/** The line that is being read. */
interface Line {
  bytes: number;
  /** All of it, or the end of one that is too long. */
  held: Buffer[];
  /** The beginning of a line that is too long. */
  beginning: Buffer | null;
}

const begin = (): Line => ({ bytes: 0, held: [], beginning: null });

/**
 * Passes lines on, each in one piece. It drops a line of more than `longest` bytes, which takes no more memory however
 * long it is, and calls `tooLong` at its end with the id of the request in it, or null.
 */
export class BoundedLines extends Transform {
  readonly #longest: number;
  readonly #tooLong: (id: string | number | null) => void;
  #line = begin();

  constructor(longest: number, tooLong: (id: string | number | null) => void) {
    super({ readableObjectMode: true });
    this.#longest = longest;
    this.#tooLong = tooLong;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    for (let from = 0; from < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, from);
      const to = newline < 0 ? chunk.length : newline + 1;
      this.#add(chunk.subarray(from, to));
      if (newline >= 0) this.#end();
      from = to;
    }
    done();
  }

  #add(part: Buffer): void {
    const line = this.#line;
    line.bytes += part.length;
    line.held.push(part);
    if (line.bytes <= this.#longest) return;
    const held = Buffer.concat(line.held);
    // Copies: a piece of a buffer would keep all of it.
    line.beginning ??= Buffer.from(held.subarray(0, EDGE_BYTES));
    line.held = [Buffer.from(held.subarray(-EDGE_BYTES))];
  }

  #end(): void {
    const { held, beginning } = this.#line;
    this.#line = begin();
    const text = Buffer.concat(held);
    if (beginning === null) this.push(text);
    else this.#tooLong(requestIdOf(beginning.toString(), text.toString()));
  }
}
