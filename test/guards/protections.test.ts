import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repositoryFile } from '../helpers/project.ts';
import { PROTECTIONS } from '../mutations/protections.js';

test('each protection of the mutation tests is in the sources as it is written there, once', () => {
  expect(PROTECTIONS.length).toBeGreaterThan(100);
  const stale = PROTECTIONS.filter(({ file, from, tests }) => {
    const text = readFileSync(repositoryFile(file), 'utf8');
    return text.split(from).length !== 2 || !tests.every((path) => existsSync(repositoryFile(path)));
  });
  expect(stale.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});
