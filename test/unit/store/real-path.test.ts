import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realPathOf, realPathToBe } from '../../../src/store/real-path.ts';
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
