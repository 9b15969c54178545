import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { customAlphabet } from 'nanoid';
import { ID_ALPHABET, ID_LENGTH, ID_LETTERS, type SessionId } from './core/ids.ts';
import type { ConfigPlace } from './core/rules/policy.ts';
import type { Prices } from './core/spending.ts';
import { userConfigFile } from './core/user-places.ts';

const firstLetter = customAlphabet(ID_LETTERS, 1);
const otherCharacters = customAlphabet(ID_ALPHABET, ID_LENGTH - 1);
const newNonce = customAlphabet(ID_ALPHABET, 24);

/** A file of this installation; the bundle in `dist/` and the sources in `src/` both lie beside `bin/`. */
export function installedFile(path: string): string {
  return join(import.meta.dirname, '..', path);
}

/** What models cost, in the user's own file; what reads it is loaded only where there is one. */
async function loadPrices(env: ConfigPlace['env']): Promise<Prices> {
  const file = userConfigFile(env);
  if (file === null || !existsSync(file)) return new Map();
  return (await import('./config/prices.ts')).readPrices(file);
}

/** What `main` and `index` take from the installation and the machine, and pass down. */
export function installation() {
  return {
    paths: {
      node: process.execPath,
      cli: installedFile('bin/zwarm.js'),
      runner: installedFile('bin/turn-runner.sh'),
      waker: installedFile('bin/waker.sh'),
      windowMaker: installedFile('bin/make-window.sh'),
      completion: installedFile('bin/completion'),
      demoAgent: installedFile('bin/demo-agent.mjs'),
    },
    now: Date.now,
    newId: () => (firstLetter() + otherCharacters()) as SessionId,
    newNonce,
    client: null,
    project: null,
    signOfLifeMs: 5000,
    loadPrices,
    loadSettings: async (place: ConfigPlace) => (await import('./config/load.ts')).loadSettings(place),
  };
}
