import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placesOf, realPathOf, realPathToBe } from '../../../src/store/real-path.ts';
import { directoryWith } from '../../helpers/directory.ts';

function withLinks(): (name: string) => string {
  const base = directoryWith({ 'real/deep': null, file: '', link: '@real', loop: '@loop' });
  return (name) => join(base, name);
}

test('a path is real with all its links resolved; what nobody can reach has none', () => {
  const at = withLinks();
  expect(realPathOf(at('link/deep'))).toBe(at('real/deep'));
  for (const name of ['none', 'file/below', 'loop', 'loop/below', 'x'.repeat(256)])
    expect(realPathOf(at(name)), name).toBeNull();
});

test('the real path of what is not there yet follows the links above it', () => {
  const at = withLinks();
  expect(realPathToBe(at('link/deep'))).toBe(at('real/deep'));
  expect(realPathToBe(at('link/a/b'))).toBe(at('real/a/b'));
  expect(realPathToBe('/no/where')).toBe('/no/where');
  expect(realPathToBe('/')).toBe('/');
  for (const [name, code] of Object.entries({ 'file/below': 'ENOTDIR', 'loop/below': 'ELOOP' }))
    expect(() => realPathToBe(at(name))).toThrow(expect.objectContaining({ code }));
});

test('what decides where a path leads is each link on the way, each directory that .. leaves, and the end', () => {
  const base = directoryWith({
    'a/real/deep': null,
    'b/up': '@../a/./link',
    'a/link': '@real',
    'a/loop': '@loop',
    'b/none': '@/no/where',
    'c/file': '',
  });
  const places = (path: string) =>
    placesOf(join(base, 'x').replace(/x$/, path)).map((one) => one.replace(`${base}/`, ''));
  expect(places('a/real/new/file')).toEqual(['a/real/new/file']);
  expect(places('b/up/deep/')).toEqual(['b/up', 'b', 'a/link', 'a/real/deep']);
  expect(places('a/real/deep/../../x')).toEqual(['a/real/deep', 'a/real', 'a/x']);
  expect(places('b/none/file')).toEqual(['b/none', '/no/where/file']);
  expect(places('c/file/below')).toEqual(['c/file/below']);
  expect(new Set(places('a/loop/x'))).toEqual(new Set(['a/loop', 'a/loop/x']));
  expect(placesOf('/')).toEqual(['/']);
});
