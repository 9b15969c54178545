import * as z from 'zod/mini';
import { count, decode, decodeOrNull, orNull, type Schema } from '../core/decode.ts';
import { ZwarmError } from '../core/errors.ts';
import { isSessionId, parseTurnNumber } from '../core/ids.ts';
import { parseJson } from '../core/json.ts';
import { CANCEL_REASONS } from '../core/status.ts';
import { exitCodeOfName, TURN_FILES } from './layout.ts';
import { badArchive } from './tar.ts';

/*
 * `manifest.json`, the first file of an archive: which files follow, in their order. An archive comes from somebody else:
 * what its manifest does not say, or says otherwise, is refused.
 */

export const MANIFEST = 'manifest.json';
/** Room for more turns than anybody has had. */
export const LONGEST_MANIFEST = 8 << 20;
const FORMAT = 'zwarm-session';
const VERSION = 1;

/** What says something of a turn elsewhere, too. */
const { request, prompt, input, launch, runner, events, stderr, cancel, exit, after } = TURN_FILES;
const RECORDS: readonly string[] = [request, prompt, input, launch, runner, events, stderr, cancel, exit];
/** Of the snapshots only how much was changed: the files themselves stay where they are. */
const PACKED: readonly string[] = [...RECORDS, after];

/** Whether a file of a turn is packed: a record, or what a full disk leaves of one. */
export function isPacked(name: string): boolean {
  const isShort =
    exitCodeOfName(name) !== undefined || CANCEL_REASONS.some((why) => name === `cancel.${why}`);
  return isShort || PACKED.includes(name);
}

export const SESSION_FILE = 'session.json';

/** What a file in an archive is, by its name; null for a name that no file in an archive has. */
export function readMemberName(name: string) {
  if (name === SESSION_FILE) return { kind: 'session' } as const;
  const [head, middle = '', file = '', ...more] = name.split('/');
  if (more.length > 0) return null;
  const turn = head === 'turns' ? parseTurnNumber(middle) : null;
  if (turn !== null && isPacked(file)) return { kind: 'turn', turn } as const;
  // A file of an agent's own; where that lies is the agent's matter.
  const isThread = head === 'thread' && /^[a-z]{1,20}$/.test(middle) && /^[\w-][\w.-]{0,80}$/.test(file);
  return isThread ? ({ kind: 'thread', agent: middle, file } as const) : null;
}

/** A file of an archive. */
export interface Member {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  /** When it was last written: some times are told by this alone. */
  readonly mtime_ms: number;
}

/** The last moment that a date of four digits can name. */
const LATEST_MS = Date.UTC(9999, 11, 31);

const member: Schema<Member> = z.object({
  name: z.string().check(z.refine((name) => readMemberName(name) !== null)),
  size: count,
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  mtime_ms: z.number().check(z.minimum(0), z.maximum(LATEST_MS)),
});

const manifest = z.object({
  format: z.literal(FORMAT),
  v: z.literal(VERSION),
  // The version that packed it.
  zwarm: z.string(),
  id: z.string().check(z.refine(isSessionId)),
  name: orNull(z.string()),
  files: z.array(member),
});

const newer = z.object({ format: z.literal(FORMAT), v: z.int().check(z.minimum(VERSION + 1)) });

/** What an archive holds. */
export interface Manifest {
  readonly zwarm: string;
  readonly id: string;
  readonly name: string | null;
  readonly files: readonly Member[];
}

/** The text of a manifest. */
export function encodeManifest({ zwarm, id, name, files }: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, v: VERSION, zwarm, id, name, files }, null, 1)}\n`);
}

/** The numbers of the turns, each once and ascending. */
function turnsOf(files: readonly Member[]): readonly number[] {
  const all = files.flatMap(({ name }) => {
    const found = readMemberName(name);
    return found?.kind === 'turn' ? [found.turn] : [];
  });
  return [...new Set(all)].sort((a, b) => a - b);
}

/** What the text of a manifest says. @throws ZwarmError `bad_archive`, `format_newer` */
export function parseManifest(text: string): Manifest & { readonly turns: readonly number[] } {
  const json = parseJson(text);
  if (decodeOrNull(newer, json) !== null)
    throw new ZwarmError('format_newer', 'the archive was packed by a newer zwarm', 'update zwarm');
  const found = decode(manifest, json, (problem) =>
    badArchive(`the archive's manifest is wrong: ${problem}`),
  );
  const { files } = found;
  const names = new Set(files.map(({ name }) => name));
  if (names.size < files.length) throw badArchive('the archive holds a file twice');
  const turns = turnsOf(files);
  if (!names.has(SESSION_FILE) || turns.length === 0 || turns.some((turn, i) => turn !== i + 1))
    throw badArchive('the archive does not hold a whole session');
  return { ...found, turns };
}
