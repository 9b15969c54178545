// Loaded with `node --require` before zwarm: counts the files below the state directory that are opened, looked at and
// listed, and writes that as JSON to the file that COUNT_FILES names when the process ends.

const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const { writeFileSync } = fs;
/** @type {Record<string, number>} */
const counts = { opened: 0, lookedAt: 0, listed: 0 };
const KINDS = {
  ...{ openSync: 'opened', readFileSync: 'opened' },
  ...{ lstatSync: 'lookedAt', statSync: 'lookedAt', existsSync: 'lookedAt', accessSync: 'lookedAt' },
  ...{ readdirSync: 'listed', opendirSync: 'listed' },
};
/** @type {Record<string, any>} */
const calls = fs;
for (const [name, kind] of Object.entries(KINDS)) {
  const original = calls[name];
  calls[name] = (/** @type {unknown} */ path, /** @type {unknown[]} */ ...rest) => {
    if (String(path).includes('/.zwarm/')) counts[kind] = (counts[kind] ?? 0) + 1;
    return original(path, ...rest);
  };
}
syncBuiltinESMExports();
process.on('exit', () => writeFileSync(process.env['COUNT_FILES'] ?? '', JSON.stringify(counts)));
