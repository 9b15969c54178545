import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ZwarmError } from '../core/errors.ts';
import * as layout from './layout.ts';
import { encodeManifest, isPacked, MANIFEST, type Manifest, type Member, SESSION_FILE } from './manifest.ts';
import { DamagedRecord, entriesOf, lookAt } from './read-file.ts';
import { followBytes } from './read-forward.ts';
import { tarEnd, tarHead, tarTail } from './tar.ts';

/** A file to be packed: its name in the archive, where it lies, and how much of it counts, null for all. */
export interface FileToPack {
  readonly name: string;
  readonly path: string;
  readonly bytes: number | null;
}

/** The files of a session's own records and of these turns. */
export function filesOf(
  session: layout.SessionDir,
  turns: readonly { readonly turn: number; readonly eventBytes: number | null }[],
): readonly FileToPack[] {
  const ofTurns = turns.flatMap(({ turn, eventBytes }) => {
    const directory = layout.turnDir({ ...session, turn });
    const names = entriesOf(directory).flatMap(({ name }) => (isPacked(name) ? [name] : []));
    return names.sort().map((name) => ({
      name: `turns/${turn}/${name}`,
      path: `${directory}/${name}`,
      bytes: name === layout.TURN_FILES.events ? eventBytes : null,
    }));
  });
  return [{ name: SESSION_FILE, path: layout.sessionFile(session), bytes: null }, ...ofTurns];
}

/** The first bytes of a file, piece by piece; each is valid until the next one is asked for. */
const bytesOf = (path: string, size: number): Iterable<Uint8Array> =>
  followBytes(path).read({ limit: size, ended: true });

/** The SHA-256 of the first bytes of a file. @throws DamagedRecord */
export function sha256Of(path: string, size: number): string {
  const hash = createHash('sha256');
  for (const piece of bytesOf(path, size)) hash.update(piece);
  return hash.digest('hex');
}

/** What the manifest says of a file. @throws DamagedRecord */
function memberOf({ name, path, bytes }: FileToPack): Member {
  const stat = lookAt(path);
  if (stat === null) throw new DamagedRecord(`${path} is gone`);
  const size = Math.min(stat.size, bytes ?? stat.size);
  return { name, size, sha256: sha256Of(path, size), mtime_ms: Math.max(0, stat.mtimeMs) };
}

/** An archive that is about to be written. */
export interface Archive extends Manifest {
  /** Its bytes, which are read as they are asked for, go to `use`, until the signal aborts. @throws ZwarmError `interrupted` */
  send(use: (pieces: AsyncIterable<Uint8Array>) => Promise<void>, signal: AbortSignal): Promise<void>;
}

function* tarOf(manifest: Manifest, packed: readonly FileToPack[]): Generator<Uint8Array> {
  const text = encodeManifest(manifest);
  yield tarHead({ name: MANIFEST, size: text.length });
  yield text;
  yield tarTail(text.length);
  for (const [i, member] of manifest.files.entries()) {
    const { path = '' } = packed[i] ?? {};
    yield tarHead(member);
    const hash = createHash('sha256');
    for (const piece of bytesOf(path, member.size)) {
      hash.update(piece);
      // The next piece takes its place before this one is used up.
      yield Uint8Array.from(piece);
    }
    if (hash.digest('hex') !== member.sha256)
      throw new ZwarmError('io', `${path} was changed while it was packed`, 'try again');
    yield tarTail(member.size);
  }
  yield tarEnd();
}

/** The archive of a session. Every file is read twice: its digest stands at the beginning. @throws DamagedRecord */
export function archiveOf(about: Omit<Manifest, 'files'>, packed: readonly FileToPack[]): Archive {
  const manifest = { ...about, files: packed.map(memberOf) };
  return {
    ...manifest,
    async send(use, signal) {
      try {
        await pipeline(Readable.from(tarOf(manifest, packed)), createGzip(), use, { signal });
      } catch (error) {
        throw signal.aborted ? new ZwarmError('interrupted', 'nothing was packed', null, error) : error;
      }
    },
  };
}
