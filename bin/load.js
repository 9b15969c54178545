// Loads the parts of zwarm from dist/parts.js (see bundle.js), each when it is first asked for, with what V8 made of
// its code when it was first run by this version of Node: compiling takes longer than all the rest of a short command.
// That is kept in .compiled/ beside dist/, a file for each verb, since each uses other functions. It is trusted as the
// code itself is: whoever can write there can write the code. Without it, and where it cannot be written, everything is
// the same, only later.

const fs = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const root = join(__dirname, '..');
const directory = join(root, 'dist');
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
// V8 tells code of the same length apart by nothing: what was compiled of another build must have another name.
const compiled = join(root, '.compiled', `${build}-${process.version}-${process.platform}-${process.arch}`);
const file = join(compiled, verbs.find((verb) => verb === process.argv[2]) ?? 'other');

/** @returns {Map<string, Buffer>} what was kept, by the names of the parts: a line says which, and where each begins */
function readCompiled() {
  try {
    const bytes = fs.readFileSync(file);
    const from = bytes.indexOf('\n') + 1;
    /** @type {[name: string, start: number, end: number][]} */
    const kept = JSON.parse(bytes.toString('latin1', 0, from));
    return new Map(kept.map(([name, start, end]) => [name, bytes.subarray(from + start, from + end)]));
  } catch {
    // Not there yet, or not for us: it is compiled.
    return new Map();
  }
}

const known = readCompiled();
/** @type {Map<string, Script>} */
const scripts = new Map();
let compiles = false;

/** @param {string} path @param {readonly Uint8Array[]} bytes */
function publish(path, bytes) {
  const temporary = `${path}.${process.pid}.new`;
  try {
    // Flushed before it has its name: V8 does not find out about half of it.
    fs.writeFileSync(temporary, Buffer.concat(bytes), { flag: 'wx', flush: true, mode: 0o644 });
    fs.renameSync(temporary, path);
  } catch (error) {
    if (error.code !== 'EEXIST') fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Keeps what this run has compiled, and what of it was used, beside what others have. */
function keep() {
  try {
    // Of others' installations nothing changes by our using them, not even by root's.
    if (fs.fstatSync(fd).uid !== process.getuid?.()) return;
    // Whatever the umask: nobody else may write what we run.
    fs.mkdirSync(compiled, { recursive: true, mode: 0o755 });
    for (const [name, script] of scripts) known.set(name, script.createCachedData());
    let end = 0;
    const kept = [...known].map(([name, { length }]) => {
      end += length;
      return [name, end - length, end];
    });
    const line = JSON.stringify(kept);
    // V8 copies what does not begin at a multiple of eight.
    publish(file, [Buffer.from(`${line.padEnd(line.length | 7)}\n`), ...known.values()]);
  } catch {
    // An installation that is not ours to write to: the next run compiles again.
  }
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
    process.once('exit', keep);
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
