import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import { createFileOf, discard, flush, makeDir, makeDirs } from './files.ts';
import { LONGEST_MANIFEST, MANIFEST, type Member, parseManifest, readMemberName } from './manifest.ts';
import { badArchive, readTar } from './tar.ts';

/** Where the files of an archive are put: those of the session, and those of its agents' own. */
export interface Receiving {
  readonly session: string;
  readonly threads: string;
}

/** An archive that was received whole. */
export type Received = ReturnType<typeof parseManifest>;

type Entries = ReturnType<typeof readTar>;
type Entry = Exclude<Awaited<ReturnType<Entries['next']>>['value'], void>;

async function readManifest(first: Entry | undefined, mostBytes: number): Promise<Received> {
  if (first?.name !== MANIFEST || first.size > LONGEST_MANIFEST)
    throw badArchive('it is not an archive of zwarm: its first file is not a manifest');
  const pieces: Uint8Array[] = [];
  for await (const piece of first.content()) pieces.push(piece);
  const manifest = parseManifest(Buffer.concat(pieces).toString());
  const bytes = manifest.files.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= mostBytes) return manifest;
  throw badArchive(`the archive holds ${bytes} bytes, and no more than ${mostBytes} are taken`);
}

/** Where a file of an archive is put: its name says nothing but which one it is. */
function placeOf({ name }: Member, { session, threads }: Receiving): string {
  const found = readMemberName(name);
  return found?.kind === 'thread' ? `${threads}/${found.agent}/${found.file}` : `${session}/${name}`;
}

async function receiveFile(member: Member, { content }: Entry, path: string): Promise<void> {
  const hash = createHash('sha256');
  async function* hashed() {
    for await (const piece of content()) {
      hash.update(piece);
      yield piece;
    }
  }
  await createFileOf(path, hashed(), member.mtime_ms);
  if (hash.digest('hex') === member.sha256) return;
  throw badArchive(`${member.name} in the archive is not what was packed: its SHA-256 differs`);
}

async function receiveFiles(entries: Entries, { files, turns }: Received, places: Receiving): Promise<void> {
  const threads = files.filter(({ name }) => readMemberName(name)?.kind === 'thread');
  makeDir(places.session);
  makeDir(`${places.session}/turns`);
  const directories = turns.map((turn) => `${places.session}/turns/${turn}`);
  for (const directory of directories) makeDir(directory);
  for (const member of threads) makeDirs(dirname(placeOf(member, places)));
  for (const member of files) {
    const { value: entry } = await entries.next();
    if (entry?.name !== member.name || entry.size !== member.size) {
      const found = entry === undefined ? 'nothing' : `${JSON.stringify(entry.name)} of ${entry.size} bytes`;
      throw badArchive(
        `the archive is not as its manifest says: ${found} is in the place of ${member.name} of ${member.size} bytes`,
      );
    }
    await receiveFile(member, entry, placeOf(member, places));
  }
  if (!(await entries.next()).done) throw badArchive('the archive holds more files than its manifest says');
  for (const directory of [...directories, `${places.session}/turns`, places.session]) flush(directory);
}

/**
 * Receives an archive. What comes is read once, and never further than the first byte that its manifest does not announce;
 * `prepare` makes room for it once the manifest is accepted. Nothing is left of an archive that is refused.
 * @throws ZwarmError `bad_archive`, `format_newer`, `interrupted`
 */
export async function receiveArchive(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { mostBytes, signal }: { readonly mostBytes: number; readonly signal: AbortSignal },
  prepare: () => Receiving,
): Promise<Received> {
  const receive = async (tar: AsyncIterable<Uint8Array>): Promise<Received> => {
    const entries = readTar(tar);
    const first = await entries.next();
    const manifest = await readManifest(first.value ?? undefined, mostBytes);
    const places = prepare();
    try {
      await receiveFiles(entries, manifest, places);
      return manifest;
    } catch (error) {
      discardReceived(places);
      throw error;
    }
  };
  try {
    return await pipeline(pieces, createGunzip(), receive, { signal });
  } catch (error) {
    if (signal.aborted) throw new ZwarmError('interrupted', 'nothing was unpacked', null, error);
    if (!errnoOf(error)?.startsWith('Z_')) throw error;
    throw badArchive('it is not an archive, or it is damaged', error);
  }
}

/** Removes what was received. Never throws. */
export function discardReceived({ session, threads }: Receiving): void {
  discard(session);
  discard(threads);
}
