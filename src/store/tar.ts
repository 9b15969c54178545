import { Header } from 'tar/header';
import { ZwarmError } from '../core/errors.ts';

/*
 * The form of an archive: plain regular files, one behind the other, each with a header of one block. Nothing else of what
 * tar can hold is written or read: no link, no device, no directory, no extended header.
 */

const BLOCK = 512;
/** More zeros than any tar puts behind the last file. */
const LONGEST_END = 1 << 20;

/** A file in an archive, before its content. */
export interface TarEntry {
  readonly name: string;
  readonly size: number;
}

/** The refusal of an archive. */
export function badArchive(what: string, cause?: unknown): ZwarmError {
  return new ZwarmError('bad_archive', what, 'nothing was unpacked; have it packed again', cause);
}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

/** What stands before the content of a file. @throws ZwarmError `usage` for one that is too large for this form */
export function tarHead({ name, size }: TarEntry): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  const isTooLarge = new Header({ path: name, size, mode: 0o600, type: 'File' }).encode(block);
  if (!isTooLarge) return block;
  throw new ZwarmError(
    'usage',
    `${name} does not fit into an archive: ${size} bytes`,
    'a file may have 8 GiB',
  );
}

/** What stands behind the content of a file. */
export const tarTail = (size: number): Uint8Array => Buffer.alloc(padding(size));

/** What stands behind the last file. */
export const tarEnd = (): Uint8Array => Buffer.alloc(2 * BLOCK);

/** Bytes that come in pieces, to be taken in pieces of other sizes. */
type Source = ReturnType<typeof createSource>;

function createSource(pieces: AsyncIterable<Uint8Array>) {
  const iterator = pieces[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array();

  /** The next bytes, at most so many; none at the end. */
  async function next(most: number): Promise<Uint8Array> {
    while (rest.length === 0) {
      const { done, value } = await iterator.next();
      if (done) return rest;
      rest = value;
    }
    const taken = rest.subarray(0, most);
    rest = rest.subarray(taken.length);
    return taken;
  }

  /** So many bytes, piece by piece. */
  async function* take(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      const piece = await next(left);
      if (piece.length === 0) throw badArchive('the archive is cut short');
      left -= piece.length;
      yield piece;
    }
  }

  /** So many bytes at once; for few. */
  async function whole(bytes: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of take(bytes)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  return { next, take, whole };
}

/** The header of the next file, or null at the end. @throws ZwarmError `bad_archive` for anything but a regular file */
function readHead(block: Buffer): TarEntry | null {
  const { cksumValid, nullBlock, typeKey, path = '', size } = new Header(block);
  if (nullBlock) return null;
  if (!cksumValid) throw badArchive('it is not an archive, or it is damaged');
  if (typeKey !== '0' || size === undefined) {
    const what = `${JSON.stringify(path)} in the archive is not a regular file`;
    throw badArchive(what);
  }
  return { name: path, size };
}

/** Nothing but zeros may follow the last file. */
async function requireEnd({ next }: Source): Promise<void> {
  let bytes = 0;
  for (let piece = await next(BLOCK); piece.length > 0; piece = await next(BLOCK)) {
    bytes += piece.length;
    if (bytes <= LONGEST_END && piece.every((byte) => byte === 0)) continue;
    throw badArchive('the archive goes on behind its end');
  }
}

/**
 * The files of an archive, in their order, while its bytes come; the content of each must be taken before the next. What is
 * taken is never more than the header says. @throws ZwarmError `bad_archive`
 */
export async function* readTar(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<TarEntry & { content(): AsyncGenerator<Uint8Array> }> {
  const source = createSource(pieces);
  for (;;) {
    const entry = readHead(await source.whole(BLOCK));
    if (entry === null) return requireEnd(source);
    yield { ...entry, content: () => source.take(entry.size) };
    await source.whole(padding(entry.size));
  }
}
