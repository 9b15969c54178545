import { readFileSync } from 'node:fs';

/** @typedef {{ name: string, file: string, from: string, to: string, tests: string[] }} Protection */

/**
 * What keeps zwarm's promises: a piece of the source that stands there once, what it becomes without its protection,
 * and the tests that must notice. protections.diff holds them by source file and tests: a name, then the lines that
 * go (`-`) and those that come (`+`), or both on one line (`~from ⇒ to`); the first and the last need not be whole lines.
 *
 * @type {readonly Protection[]}
 */
export const PROTECTIONS = parse(readFileSync(new URL('protections.diff', import.meta.url), 'utf8'));

/** @param {string} text @returns {Protection[]} */
function parse(text) {
  let file = '';
  /** @type {string[]} */
  let tests = [];
  const groups = text.matchAll(/^(\S+): (.+)|^ {2}(.+)\n(?:~(.*?) ⇒ (.*)|((?:-.*\n)+)((?:\+.*\n)*))/gm);
  return [...groups].flatMap(([, source = file, named, name, from, to = '', gone = '', come = '']) => {
    file = source;
    tests = named?.split(' ') ?? tests;
    const change = from === undefined ? { from: unmark(gone), to: unmark(come) } : { from, to };
    return name === undefined ? [] : [{ name, file, tests, ...change }];
  });
}

/** The lines without their marks. @param {string} lines */
function unmark(lines) {
  return lines.replace(/^[-+]/gm, '').replace(/\n$/, '');
}
