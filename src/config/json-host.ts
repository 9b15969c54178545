import { isDeepStrictEqual } from 'node:util';
import { type HostEntry, type HostFormat, SERVER, Uneditable } from './host-format.ts';

/*
 * `{"mcpServers": {…}}`, as Claude Code, Cursor and others keep it. Only the stretch that is ours is written, so that a
 * user's numbers, line breaks and order stay as they are. What came of it is then parsed and compared.
 */

type Json = Readonly<Record<string, unknown>>;

const SERVERS = 'mcpServers';

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is wrong with a text that is no JSON, or with its end alone: null for what only has to go on. */
function faultOf(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const { message } = error as SyntaxError;
    const atEnd = /end of JSON input/.test(message) || message.includes(`at position ${text.length}`);
    return atEnd ? null : message;
  }
}

/** The number of the first line from which on a text cannot become JSON; the last one where it ends too early. */
function faultyLine(text: string): number {
  const lines = text.trimEnd().split('\n');
  let sound = 0;
  let bad = lines.length;
  while (bad - sound > 1) {
    const middle = Math.floor((sound + bad) / 2);
    if (faultOf(`${lines.slice(0, middle).join('\n')}\n`) === null) sound = middle;
    else bad = middle;
  }
  return bad;
}

function parse(text: string): Json {
  if (text.startsWith('\ufeff')) throw new Uneditable('it begins with a byte order mark: save it without');
  try {
    const document: unknown = JSON.parse(text);
    if (isObject(document)) return document;
  } catch {
    throw new Uneditable(`line ${faultyLine(text)} is no valid JSON (which has no comments)`);
  }
  throw new Uneditable('it holds no JSON object');
}

function serversOf(document: Json): Json {
  const { [SERVERS]: servers = {} } = document;
  if (isObject(servers)) return servers;
  throw new Uneditable(`${SERVERS} is no object`);
}

/** A member of an object: where its key begins, and where its value stands. */
interface Member {
  readonly key: unknown;
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

/** An object in a text: where its brackets stand, and its members. */
interface Extent {
  readonly open: number;
  readonly close: number;
  readonly members: readonly Member[];
}

const TOKEN = /"(?:\\.|[^"\\])*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** The object that opens at a place of a valid JSON text. */
function objectAt(text: string, open: number): Extent {
  const members: Member[] = [];
  let member = null as Omit<Member, 'to'> | null;
  let depth = 0;
  let to = open;
  for (const { 0: token, index } of text.slice(open).matchAll(TOKEN)) {
    const at = open + index;
    if (depth === 1 && (token === ',' || token === '}')) {
      if (member !== null) members.push({ ...member, to });
      member = null;
    } else if (depth === 1 && token !== ':' && token !== ']') {
      member = member === null ? { key: JSON.parse(token), start: at, from: at } : { ...member, from: at };
    }
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return { open, close: at, members };
    to = at + token.length;
  }
  throw new Uneditable('it holds no JSON object');
}

/** How a text is written: what one level is indented by, and how lines end. */
interface Layout {
  readonly unit: string;
  readonly newline: string;
}

function layoutOf(text: string): Layout {
  return { unit: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

function print(value: unknown, depth: number, { unit, newline }: Layout): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', newline + unit.repeat(depth));
}

/** A text with one more member in an object whose members stand at `depth`. */
function insert(text: string, object: Extent, key: string, value: unknown, depth: number): string {
  const layout = layoutOf(text);
  const { open, close, members } = object;
  const written = `${JSON.stringify(key)}: ${print(value, depth, layout)}`;
  const [first] = members;
  const last = members.at(-1);
  if (first !== undefined && last !== undefined) {
    const gap = text.slice(open + 1, first.start);
    return `${text.slice(0, last.to)},${gap}${written}${text.slice(last.to)}`;
  }
  const line = (level: number): string => layout.newline + layout.unit.repeat(level);
  return text.slice(0, open + 1) + line(depth) + written + line(depth - 1) + text.slice(close);
}

/** A text without a member of an object, and its comma. */
function remove(text: string, { open, close, members }: Extent, member: Member): string {
  const at = members.indexOf(member);
  const before = members[at - 1];
  const after = members[at + 1];
  if (before !== undefined) return text.slice(0, before.to) + text.slice(member.to);
  return text.slice(0, after === undefined ? open + 1 : member.start) + text.slice(after?.start ?? close);
}

/** Our server's place: the object of all servers, and in it ours; null where there is none. */
function placeIn(text: string): { root: Extent; servers: Extent | null; own: Member | null } {
  const root = objectAt(text, text.indexOf('{'));
  const held = root.members.findLast(({ key }) => key === SERVERS);
  const servers = held === undefined ? null : objectAt(text, held.from);
  return { root, servers, own: servers?.members.findLast(({ key }) => key === SERVER) ?? null };
}

/** @throws Uneditable unless the new text says the same as the old one but for our entry, and of that what was meant */
function verify(before: Json, text: string, meant: HostEntry | undefined): void {
  const rest = (document: Json): Json => ({
    ...document,
    [SERVERS]: { ...serversOf(document), [SERVER]: undefined },
  });
  const after = parse(text);
  const same = isDeepStrictEqual(rest(after), rest(before));
  if (same && isDeepStrictEqual(serversOf(after)[SERVER], meant)) return;
  throw new Uneditable(`${SERVERS}.${SERVER} cannot be edited in the form in which it is written there`);
}

function snippet(entry: HostEntry): string {
  return `${JSON.stringify({ [SERVERS]: { [SERVER]: entry } }, null, 2)}\n`;
}

function edited(text: string, entry: HostEntry): string {
  const { root, servers, own } = placeIn(text);
  if (servers === null) return insert(text, root, SERVERS, { [SERVER]: entry }, 1);
  if (own === null) return insert(text, servers, SERVER, entry, 2);
  return text.slice(0, own.from) + print(entry, 2, layoutOf(text)) + text.slice(own.to);
}

async function put(text: string, entry: HostEntry): Promise<string> {
  if (text.trim() === '') return snippet(entry);
  const before = parse(text);
  if (isDeepStrictEqual(serversOf(before)[SERVER], entry)) return text;
  const after = edited(text, entry);
  verify(before, after, entry);
  return after;
}

async function take(text: string): Promise<string> {
  if (text.trim() === '') return text;
  const before = parse(text);
  const { servers, own } = placeIn(text);
  if (serversOf(before)[SERVER] === undefined || servers === null || own === null) return text;
  const after = remove(text, servers, own);
  verify(before, after, undefined);
  return after;
}

/** `.mcp.json` of Claude Code, `mcp.json` of Cursor. */
export const jsonFormat: HostFormat = { snippet, put, take };
