import { Transform, type TransformCallback } from 'node:stream';
import { RequestIdFinder } from './request-id.ts';

const NEWLINE = 0x0a;

/** The line that is being read. */
interface Line {
  readonly held: Buffer[];
  bytes: number;
  /** Of a line that is too long: it is looked at and not kept. */
  finder: RequestIdFinder | null;
}

const begin = (): Line => ({ held: [], bytes: 0, finder: null });

/**
 * Passes lines on, each in one piece. One that is longer than `longest` bytes is left out: however long it is, it takes
 * no more memory, and when it has ended `tooLong` is told the id of the request in it, or null.
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
    if (line.finder === null && line.bytes > this.#longest) {
      line.finder = new RequestIdFinder();
      for (const piece of line.held.splice(0)) line.finder.read(piece);
    }
    if (line.finder === null) line.held.push(part);
    else line.finder.read(part);
  }

  #end(): void {
    const { held, finder } = this.#line;
    this.#line = begin();
    if (finder === null) this.push(Buffer.concat(held));
    else this.#tooLong(finder.id);
  }
}
