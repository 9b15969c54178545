import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installation } from '../../../../src/installation.ts';
import { ownServer, readHostFile, writeHostFile } from '../../../../src/manager/commands/mcp-install.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';
import { MAKER } from '../../../helpers/store.ts';

const uid = process.getuid?.() ?? 0;
const context = { ...MAKER, newNonce: () => 'nonce' };
const HINT = 'by hand';
const modeOf = (path: string): number => fs.statSync(path).mode & 0o777;
const refused = (message: string) => expect.objectContaining({ code: 'io', hint: HINT, message });
const CHANGED = 'was changed in the meantime: nothing was written';

function createHost() {
  const directory = emptyDirectory();
  const path = join(directory, 'host.json');
  return {
    directory,
    path,
    read: (links: 'followed' | 'refused' = 'followed', owner = uid) =>
      readHostFile({ ...MAKER, uid: owner }, path, links, HINT),
    write: (file: ReturnType<typeof readHostFile>, text: string) => writeHostFile(context, file, text, HINT),
    names: () => fs.readdirSync(directory).sort(),
  };
}

test('a file is replaced as a whole and keeps its mode; one that is made is for its user alone', () => {
  for (const mode of [0o600, 0o640, 0o755]) {
    const { path, read, write, names } = createHost();
    fs.writeFileSync(path, 'old');
    fs.chmodSync(path, mode);
    write(read(), 'new');
    expect([fs.readFileSync(path, 'utf8'), modeOf(path), names()]).toEqual(['new', mode, ['host.json']]);
  }
  const { path, read, write, names } = createHost();
  const none = read();
  expect(none).toMatchObject({ text: null, real: path });
  write(none, 'new');
  expect([fs.readFileSync(path, 'utf8'), modeOf(path), names()]).toEqual(['new', 0o600, ['host.json']]);
});

test('the directory of a file that is made is made, for its user alone', () => {
  const { directory } = createHost();
  const path = join(directory, 'a/b/host.json');
  writeHostFile(context, readHostFile(MAKER, path, 'followed', HINT), 'new', HINT);
  expect([join(directory, 'a'), join(directory, 'a/b')].map(modeOf)).toEqual([0o700, 0o700]);
});

test('what was changed, made or led elsewhere since it was read stays as it is', () => {
  const { directory, path, read, write, names } = createHost();
  const none = read();
  fs.writeFileSync(path, 'theirs');
  expect(() => write(none, 'new')).toThrow(
    expect.objectContaining({ code: 'io', message: `${path} ${CHANGED}` }),
  );
  const file = read();
  fs.writeFileSync(path, 'more');
  expect(() => write(file, 'new')).toThrow(expect.objectContaining({ hint: 'try again' }));
  fs.rmSync(path);
  expect(() => write(file, 'new')).toThrow(expect.objectContaining({ hint: 'try again' }));
  for (const name of ['one', 'two']) fs.writeFileSync(join(directory, name), 'same');
  fs.symlinkSync('one', path);
  const linked = read();
  expect(linked.real).toBe(join(directory, 'one'));
  fs.rmSync(path);
  fs.symlinkSync('two', path);
  expect(() => write(linked, 'new')).toThrow(expect.objectContaining({ hint: 'try again' }));
  expect(names()).toEqual(['host.json', 'one', 'two']);
  expect(['one', 'two'].map((name) => fs.readFileSync(join(directory, name), 'utf8'))).toEqual([
    'same',
    'same',
  ]);
  // One that is led there is replaced where its links lead.
  write(read(), 'new');
  expect(fs.lstatSync(path).isSymbolicLink()).toBe(true);
  expect(fs.readFileSync(join(directory, 'two'), 'utf8')).toBe('new');
});

test('in a project neither a link to the file nor one to its directory is followed', () => {
  const { directory, path, read } = createHost();
  const behind = `${path} cannot be read: it is behind a symbolic link, which an agent may have put there`;
  fs.writeFileSync(join(directory, 'real'), '{}');
  fs.symlinkSync('real', path);
  expect(() => read('refused')).toThrow(refused(behind));
  fs.rmSync(path);
  fs.symlinkSync('/nowhere', path);
  expect(() => read('refused')).toThrow(refused(behind));
  const below = join(directory, 'link', 'host.json');
  fs.mkdirSync(join(directory, 'inside'));
  fs.symlinkSync('inside', join(directory, 'link'));
  for (const text of [null, '{}']) {
    if (text !== null) fs.writeFileSync(below, text);
    expect(() => readHostFile(MAKER, below, 'refused', HINT)).toThrow(refused(behind.replace(path, below)));
  }
  fs.rmSync(path);
  fs.writeFileSync(path, '{}');
  expect(read('refused').text).toBe('{}');
});

test('what is no file of the user, or no text, is not read', () => {
  const { path, read } = createHost();
  fs.mkdirSync(path);
  expect(() => read()).toThrow(refused(`${path} cannot be read: it is not a regular file`));
  fs.rmdirSync(path);
  fs.writeFileSync(path, '{}');
  expect(() => read('followed', uid + 1)).toThrow(
    refused(`${path} cannot be read: it belongs to another user`),
  );
  fs.writeFileSync(path, Buffer.from([0xff, 0xfe]));
  expect(() => read()).toThrow(expect.objectContaining({ code: 'io', hint: HINT }));
  fs.writeFileSync(path, '\ufeff{}');
  expect(read().text).toBe('\ufeff{}');
});

test('another program starts this installation by its name only where its own PATH leads to it', () => {
  const { paths } = installation();
  const directory = emptyDirectory();
  const [mine, theirs, npm] = ['mine', 'theirs', 'x/node_modules/.bin'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  for (const path of [mine, theirs, npm]) fs.mkdirSync(path, { recursive: true });
  for (const path of [mine, npm]) fs.symlinkSync(paths.cli, join(path, 'zwarm'));
  fs.writeFileSync(join(theirs, 'zwarm'), '#!/bin/sh\n', { mode: 0o755 });
  const by = (...path: string[]) => {
    const { command, args } = ownServer({ env: { PATH: path.join(':') }, paths });
    return { command, args };
  };
  const absolute = { command: paths.node, args: [paths.cli, 'mcp'] };
  expect(by(mine)).toEqual({ command: 'zwarm', args: ['mcp'] });
  expect(by(theirs, mine)).toEqual(absolute);
  expect(by(mine, theirs)).toEqual({ command: 'zwarm', args: ['mcp'] });
  for (const path of [npm, `${npm}/`]) expect(by(path)).toEqual(absolute);
  expect(by()).toEqual(absolute);
  expect(ownServer({ env: {}, paths })).toMatchObject(absolute);
});
