// Loads the parts of zwarm from dist/parts.js (see bundle.js), each when it is first asked for, with what V8 made of
// its code when it was first run by this version of Node: compiling takes longer than all the rest of a short command.
// compiled.js keeps that, for each verb apart, since each uses other functions. Without it everything is the same, only
// later.

const fs = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');
const compiledCode = require('./compiled.js');

const directory = join(__dirname, '..', 'dist');
const filename = join(directory, 'parts.js');
// Never closed: what is loaded later is of the same version, whatever has been installed meanwhile.
const fd = fs.openSync(filename);

/** @param {number} from @param {number} length */
function read(from, length) {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.toString('latin1', 0, fs.readSync(fd, bytes, 0, length, from));
}

const HEAD_BYTES = 16_384;
const head = read(0, HEAD_BYTES);
/** @type {{ build: string, verbs: string[], places: Record<string, [from: number, length: number]> }} */
const { build, verbs, places } = JSON.parse(head.slice('// '.length, head.indexOf('\n')));
const { known, keep } = compiledCode(build, verbs.find((verb) => verb === process.argv[2]) ?? 'other');
/** @type {Map<string, Script>} */
const scripts = new Map();
let compiles = false;

/** Keeps what this run has compiled, and what of it was used, beside what others have. */
function keepAll() {
  for (const [name, script] of scripts) known.set(name, script.createCachedData());
  keep(known);
}

/** @param {string} name @returns {Function} */
function functionOf(name) {
  const cachedData = known.get(name);
  const code = `(function(module,exports,require,zwarmDirectory){${read(...places[name])}\n})`;
  const script = new Script(code, { filename: `${filename}/${name}`, cachedData });
  scripts.set(name, script);
  // Or another V8 has left it, or one with other options.
  if (!compiles && (cachedData === undefined || script.cachedDataRejected)) {
    compiles = true;
    process.once('exit', keepAll);
  }
  return script.runInThisContext();
}

/** @type {Map<string, { exports: object }>} */
const loaded = new Map();

/** The exports of a part, by its name such as `./main.js`, or those of a part of Node. */
module.exports = function load(name) {
  if (!Object.hasOwn(places, name)) return require(name);
  const earlier = loaded.get(name);
  if (earlier !== undefined) return earlier.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  functionOf(name)(module, module.exports, load, directory);
  return module.exports;
};
