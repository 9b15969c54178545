import { basename, join } from 'node:path';
import * as z from 'zod/mini';
import { decode, lenient, path } from '../core/decode.ts';
import { parseJson } from '../core/json.ts';
import { windowLink } from './layout.ts';
import { DamagedRecord, entriesOf, lookAt, readText } from './read-file.ts';

/*
 * The store of the Python tool from which zwarm descends: `.zwarm/sessions/<uuid>/` in the project, with `meta.json`, which
 * was rewritten in place, and `turns/turn_<n>.jsonl`, what the agent printed, stderr mixed in.
 */

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The directories of its sessions in a project or a store, in the order of their names. @throws DamagedRecord */
export function pythonSessionDirs(directory: string): readonly string[] {
  for (const parent of [windowLink(directory), join(directory, 'sessions'), directory]) {
    if (lookAt(parent)?.isSymbolicLink()) continue;
    const names = entriesOf(parent).filter((entry) => entry.isDirectory() && UUID.test(entry.name));
    const found = names
      .map(({ name }) => join(parent, name))
      .filter((path) => lookAt(join(path, 'meta.json')) !== null);
    if (found.length > 0) return found.sort();
  }
  return [];
}

/** What a session in a directory is known by, wherever that lies: the same text is the same session. */
export const pythonKey = (path: string): string => `python ${basename(path)}`;

const string = z.string();
const meta = z.lazy(() =>
  z.object({
    id: string,
    task: string,
    working_dir: path,
    // Without a time zone: the clock of the machine.
    created_at: lenient(string),
    updated_at: lenient(string),
    pid: lenient(z.int()),
    status: lenient(string),
    // Below zero for a signal.
    exit_code: lenient(z.int()),
    model: lenient(string),
    adapter: z._default(string, 'codex'),
  }),
);
/** What is known of a session. */
export type PythonMeta = Readonly<z.infer<typeof meta>>;

const META_LIMIT = 64 << 20;

/** The record of a session. @throws DamagedRecord */
export function readPythonMeta(path: string): PythonMeta {
  const file = join(path, 'meta.json');
  const text = readText(file, META_LIMIT);
  const refuse = (problem: string): Error => new DamagedRecord(`${file} cannot be read: ${problem}`);
  return decode(meta, parseJson(text ?? ''), refuse);
}

/** The number of a turn's file; null for another one. */
const turnNumber = (name: string): number | null => {
  const digits = /^turn_([1-9]\d{0,4})\.jsonl$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
};

/** The streams of its turns, the first one first. @throws DamagedRecord */
export function pythonTurnFiles(path: string): readonly string[] {
  const numbers = entriesOf(join(path, 'turns')).flatMap(({ name }) => turnNumber(name) ?? []);
  if (numbers.length === 0) throw new DamagedRecord(`${path} has no turns`);
  return numbers.sort((a, b) => a - b).map((turn) => join(path, 'turns', `turn_${turn}.jsonl`));
}
