#!/usr/bin/env node
const loaded = await import('../dist/main.js').catch(cannotLoad);
await loaded?.main();

/** Says why zwarm could not be loaded, by hand: there is nothing of it to say so. */
function cannotLoad({ code, message, stack }) {
  // Node opens many parts of a program at once.
  const full = code === 'EMFILE' || code === 'ENFILE';
  const hint = full ? 'too many open files: raise the limit with ulimit -n' : 'install it again';
  const error = { code: 'io', message: `cannot load itself: ${message}`, hint };
  const end = process.argv.indexOf('--');
  const json = process.argv.slice(0, end < 0 ? undefined : end).includes('--json');
  const text = json ? JSON.stringify({ error }, null, 2) : `zwarm: ${error.message}\nhint: ${hint}`;
  process.stderr.write(`${text}\n${process.env.ZWARM_DEBUG ? `${stack}\n` : ''}`);
  process.exitCode = 1;
}
