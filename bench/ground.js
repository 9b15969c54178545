// Where everything is measured: a temporary directory with its own home, and an environment without surprises.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @param {string} path */
export const repositoryFile = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * A program to run in a directory.
 * @typedef {{ program: string, args: readonly string[], cwd: string }} Command
 */

/**
 * @typedef {object} Ground
 * @property {string} base everything of this run lies below it
 * @property {string} agent the program that stands in for Codex
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {Set<number>} groups process groups that must be ended with this run
 * @property {(name: string) => string} directory makes a directory of this name
 */

/** @returns {Ground} */
export function createGround() {
  // Not in /tmp: an agent could write to a state directory there, and zwarm would refuse to start one.
  const parent = existsSync('/var/tmp') ? '/var/tmp' : tmpdir();
  const base = realpathSync(mkdtempSync(join(parent, 'zwarm-bench-')));
  // Codex takes this for a repository; git and zwarm do not.
  writeFileSync(join(base, '.git'), '');
  const directory = (/** @type {string} */ name) => {
    mkdirSync(join(base, name), { recursive: true });
    return join(base, name);
  };
  // As npm installs it: zwarm reads the version from its package, and need not run it for that.
  const agent = join(directory('codex'), 'codex');
  writeFileSync(join(base, 'codex', 'package.json'), '{ "name": "@openai/codex", "version": "0.169.0" }');
  copyFileSync(repositoryFile('bench/agent'), agent);
  // Where the first `start` makes it: without it nothing compiled is kept.
  mkdirSync(join(base, 'home/.local/state/zwarm'), { recursive: true, mode: 0o700 });
  // This checkout may lie in /tmp.
  writeFileSync(join(directory('home/.config/zwarm'), 'config.toml'), 'reachable_installation = true\n');
  // Neither NODE_OPTIONS nor NODE_EXTRA_CA_CERTS: they make Node itself slower, and every ratio look better.
  const env = {
    PATH: process.env['PATH'],
    HOME: directory('home'),
    LANG: 'C.UTF-8',
    ZWARM_CODEX_BIN: agent,
  };
  return { base, agent, env, groups: new Set(), directory };
}

/**
 * Ends what still runs, and removes everything.
 * @param {Ground} ground
 */
export function removeGround({ base, groups }) {
  for (const group of groups) endGroup(group);
  // A runner that was just killed may still have been writing.
  rmSync(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** @param {number} group */
export function endGroup(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/** @type {(cwd: string, ...args: string[]) => Command} */
export const zwarm = (cwd, ...args) => node(cwd, repositoryFile('bin/zwarm.js'), ...args);

/** With a name for its commits. @type {(cwd: string, ...args: string[]) => Command} */
export const git = (cwd, ...args) => ({
  program: 'git',
  args: ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args],
  cwd,
});

/** @type {(cwd: string, ...args: string[]) => Command} */
export const node = (cwd, ...args) => ({ program: process.execPath, args, cwd });
