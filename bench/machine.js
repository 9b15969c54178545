// On what a run was made: ratios are comparable between machines, values only on one.

import { spawnSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

/**
 * @typedef {object} Machine
 * @property {string} cpu
 * @property {number} cores
 * @property {number} memory_gb
 * @property {string} kernel
 * @property {string} node
 * @property {string} file_system of the temporary directory; `unknown` where df does not tell
 * @property {number} load over the last minute, before the run
 */

/**
 * @param {string} directory where the run is made
 * @returns {Machine}
 */
export function describeMachine(directory) {
  const processors = cpus();
  const df = spawnSync('df', ['-T', directory], { encoding: 'utf8' });
  const fileSystem = df.status === 0 ? df.stdout.split('\n')[1]?.split(/\s+/)[1] : undefined;
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()}`,
    node: process.version,
    file_system: fileSystem ?? 'unknown',
    load: loadavg()[0] ?? 0,
  };
}
