import { readFileSync } from 'node:fs';

/** @typedef {{ name: string, file: string, from: string, to: string, tests: string[] }} Protection */

/**
 * What keeps zwarm's promises: a piece of the source that stands there once, what it becomes without its protection,
 * and the tests that must notice. protections.diff holds them by source file and tests: a name, then the lines that
 * go (`-`) and those that come (`+`); the first and the last need not be whole lines.
 *
 * @type {readonly Protection[]}
 */
export const PROTECTIONS = parse(readFileSync(new URL('protections.diff', import.meta.url), 'utf8'));

/** @param {string} text */
function parse(text) {
  /** @type {Protection[]} */
  const protections = [];
  let file = '';
  /** @type {string[]} */
  let tests = [];
  const groups = text.matchAll(/^(\S+): (.+)|^ {2}(.+)\n((?:-.*\n)+)((?:\+.*\n)*)/gm);
  for (const [, source = file, named, name, from, to = ''] of groups) {
    file = source;
    tests = named?.split(' ') ?? tests;
    if (name !== undefined && from !== undefined)
      protections.push({ name, file, tests, from: unmark(from), to: unmark(to) });
  }
  return protections;
}

/**
 * The lines without their marks.
 * @param {string} lines
 */
function unmark(lines) {
  return lines.replace(/^[-+]/gm, '').replace(/\n$/, '');
}
