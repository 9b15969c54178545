#!/usr/bin/env node
// CommonJS, as all of the program: Node's loader of ES modules costs a tenth of a start.

const fs = require('node:fs');

/** Scripts ask for the version often: answered before anything is loaded. False where that is not all, or not possible. */
function answersVersion([word, ...more]) {
  if (more.length > 0 || (word !== '--version' && word !== '-V')) return false;
  try {
    const { version } = JSON.parse(fs.readFileSync(`${__dirname}/../package.json`, 'utf8'));
    fs.writeSync(1, `zwarm ${version}\n`);
    return true;
  } catch {
    // Whatever it was: the command line says it.
    return false;
  }
}

/** Says why zwarm could not be loaded, by hand: there is nothing of it to say so. */
function cannotLoad({ code, message, stack }) {
  const full = code === 'EMFILE' || code === 'ENFILE';
  const hint = full ? 'too many open files: raise the limit with ulimit -n' : 'install it again';
  const error = { code: 'io', message: `cannot load itself: ${message}`, hint };
  const end = process.argv.indexOf('--');
  const json = process.argv.slice(0, end < 0 ? undefined : end).includes('--json');
  const text = json ? JSON.stringify({ error }, null, 2) : `zwarm: ${error.message}\nhint: ${hint}`;
  process.stderr.write(`${text}\n${process.env.ZWARM_DEBUG ? `${stack}\n` : ''}`);
  process.exitCode = 1;
}

if (!answersVersion(process.argv.slice(2))) {
  try {
    require('./load.js')('./main.js').main();
  } catch (error) {
    cannotLoad(error);
  }
}
