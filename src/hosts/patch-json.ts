import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser';
import { TextProblem } from '../core/errors.ts';

type Json = Readonly<Record<string, unknown>>;

/** The tree of a JSON text, which may have comments and trailing commas. @throws TextProblem */
function treeOf(text: string): Node {
  if (text.startsWith('\ufeff')) throw new TextProblem('it begins with a byte order mark: save it without');
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.trimEnd().slice(0, error.offset).split('\n').length;
    throw new TextProblem(`line ${line} is not valid JSON`);
  }
  if (tree?.type === 'object') return tree;
  throw new TextProblem('it does not hold a JSON object');
}

/** What a tree says, in plain objects. */
function plainValue(tree: Node): Json {
  return JSON.parse(JSON.stringify(getNodeValue(tree)));
}

/** How a text is written: what one level is indented by, and how lines end. */
function layoutOf(text: string) {
  return { unit: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** A value as it is written at a depth of a text. */
function print(text: string, value: unknown, depth: number): string {
  const { unit, newline } = layoutOf(text);
  return JSON.stringify(value, null, unit).replaceAll('\n', newline + unit.repeat(depth));
}

const endOf = ({ offset, length }: Node): number => offset + length;

const SPACE_AND_COMMENTS = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*/;

/** Where the comma behind a value is; null where something else comes first, comments aside. */
function commaAfter(text: string, offset: number): number | null {
  const at = offset + (SPACE_AND_COMMENTS.exec(text.slice(offset))?.[0].length ?? 0);
  return text[at] === ',' ? at : null;
}

/** Adds a member to an object whose members stand at `depth`: behind the last one and the comments after that. */
function insertion(text: string, object: Node, member: Json, depth: number): Edit[] {
  const { unit, newline } = layoutOf(text);
  const line = (level: number): string => newline + unit.repeat(level);
  const [[key, value] = ['', null]] = Object.entries(member);
  const written = `${JSON.stringify(key)}: ${print(text, value, depth)}`;
  const close = endOf(object) - 1;
  const [first] = object.children ?? [];
  const last = object.children?.at(-1);
  const inside = text.slice(object.offset + 1, close);
  if (first === undefined || last === undefined) {
    const content = `${inside.trimEnd()}${line(depth)}${written}${line(depth - 1)}`;
    return [{ offset: object.offset + 1, length: inside.length, content }];
  }
  const comma = commaAfter(text, endOf(last));
  const at = Math.max(endOf(last), object.offset + 1 + inside.trimEnd().length);
  const lead = text.slice(object.offset + 1, first.offset);
  const followsComment = at > Math.max(endOf(last), (comma ?? 0) + 1);
  const isGap = lead.trim() === '' && !(followsComment && !lead.includes('\n'));
  return [
    ...(comma === null ? [{ offset: endOf(last), length: 0, content: ',' }] : []),
    { offset: at, length: 0, content: (isGap ? lead : line(depth)) + written },
  ];
}

/** Removes a member with its comma and the white space around it; comments stay. */
function removal(text: string, { children = [] }: Node, member: Node): Edit[] {
  const spaceAfter = (at: number): number => /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
  const del = (from: number, to: number): Edit => ({ offset: from, length: to - from, content: '' });
  const end = endOf(member);
  const index = children.indexOf(member);
  const previous = children[index - 1];
  const following = commaAfter(text, end);
  if (following !== null && index < children.length - 1)
    return [del(member.offset, end), del(following, following + 1 + spaceAfter(following + 1))];
  const before = text.slice(0, member.offset).trimEnd().length;
  const comma = following ?? (previous === undefined ? null : commaAfter(text, endOf(previous)));
  if (comma !== null) return [del(before, end), del(comma, comma + 1)];
  return [del(before, end + spaceAfter(end))];
}

function editsFor(text: string, servers: string, name: string, entry: Json | null): Edit[] {
  const root = treeOf(text);
  const object = findNodeAtLocation(root, [servers]);
  const value = findNodeAtLocation(root, [servers, name]);
  if (object !== undefined && object.type !== 'object') throw new TextProblem(`${servers} is not an object`);
  if (entry === null) {
    return object === undefined || value?.parent === undefined ? [] : removal(text, object, value.parent);
  }
  if (object === undefined) return insertion(text, root, { [servers]: { [name]: entry } }, 1);
  if (value === undefined) return insertion(text, object, { [name]: entry }, 2);
  if (isDeepStrictEqual(plainValue(value), entry)) return [];
  return [{ offset: value.offset, length: value.length, content: print(text, entry, 2) }];
}

/**
 * Sets the entry of a name in the object of all servers of a JSON text; null removes it. All else stays, comments too.
 * @throws TextProblem where the text is not JSON, or would not say exactly what was meant
 */
export function patchJson(
  text: string,
  [servers, name]: readonly [string, string],
  entry: Json | null,
): string {
  if (text.trim() === '') {
    return entry === null ? text : `${JSON.stringify({ [servers]: { [name]: entry } }, null, 2)}\n`;
  }
  const edited = applyEdits(text, editsFor(text, servers, name, entry));
  if (edited === text) return text;
  const saysOf = (json: string): readonly [rest: Json, entry: unknown] => {
    const document = plainValue(treeOf(json));
    const held: Json = Object(document[servers]);
    return [{ ...document, [servers]: { ...held, [name]: undefined } }, held[name]];
  };
  const [rest] = saysOf(text);
  if (isDeepStrictEqual(saysOf(edited), [rest, entry ?? undefined])) return edited;
  throw new TextProblem(`zwarm cannot edit ${servers}.${name} in the form in which it is written there`);
}
