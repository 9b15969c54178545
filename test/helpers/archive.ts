import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Header } from 'tar/header';
import type { EntryTypeName } from 'tar/types';

/** A file of an archive; `type` as tar names it. */
export interface Member {
  readonly name: string;
  readonly content: Buffer;
  readonly type?: EntryTypeName;
}

const padded = (content: Buffer): Buffer =>
  Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);

/** The header of a file, whatever is in it. */
function headOf({ name, content, type = 'File' }: Member): Buffer {
  const block = Buffer.alloc(512);
  const size = type === 'File' ? content.length : 0;
  const linkpath = type.endsWith('Link') ? content.toString() : '';
  new Header({ path: name, size, type, linkpath, mode: 0o644 }).encode(block);
  return block;
}

/** A tar of these files as they are, honest or not. */
export function tarOf(members: readonly Member[]): Buffer {
  const parts = members.flatMap((member) => [
    headOf(member),
    ...((member.type ?? 'File') === 'File' ? [padded(member.content)] : []),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

/** The files of an archive. */
export function membersOf(archive: Buffer): Member[] {
  const tar = gunzipSync(archive);
  const members: Member[] = [];
  for (let at = 0; tar[at] !== 0; ) {
    const { path = '', size = 0 } = new Header(tar, at);
    members.push({ name: path, content: tar.subarray(at + 512, at + 512 + size) });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return members;
}

/** The manifest as it stands in an archive. */
interface Manifest {
  readonly files: readonly { readonly name: string; readonly size: number }[];
}

/** What is done to the files of an archive. */
export type Edit = (files: readonly Member[]) => readonly Member[];

const honest: Edit = (files) => files;

/** The same archive with other files, and a manifest that says so; `change` and `lie` make a liar of it. */
export function repacked(
  archive: Buffer,
  edit: Edit = honest,
  change: (manifest: Manifest) => object = (manifest) => manifest,
  lie: Edit = honest,
): Buffer {
  const [first, ...files] = membersOf(archive);
  const members = edit(files);
  const manifest = {
    ...JSON.parse(String(first?.content)),
    files: members.map(({ name, content }) => ({
      name,
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      mtime_ms: 1_700_000_000_000,
    })),
  };
  const content = Buffer.from(JSON.stringify(change(manifest)));
  return gzipSync(tarOf([{ name: 'manifest.json', content }, ...lie(members)]));
}

/** Changes one file. */
export const changing =
  (name: string, change: (content: Buffer) => Partial<Member>): Edit =>
  (files) =>
    files.map((file) => (file.name === name ? { ...file, ...change(file.content) } : file));

/** Changes fields in the JSON of one file. */
export const withFields = (name: string, fields: object): Edit =>
  changing(name, (content) => ({
    content: Buffer.from(JSON.stringify({ ...JSON.parse(String(content)), ...fields })),
  }));
