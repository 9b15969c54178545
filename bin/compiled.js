// What V8 made of zwarm's code is kept in the state directory, where no turn in a sandbox can write: V8 runs whatever it is
// given. In `compiled` is a directory for each build and version of Node, in that a file for each verb. Whatever is wrong
// with one, its code is compiled again, and the file is replaced. Where `compiled` is a file, nothing is kept.

const fs = require('node:fs');
const { dirname, join } = require('node:path');

/**
 * V8 does not check that what it is given is whole, and crashes if it is not. So a file holds everything twice: to compare
 * the two is many times faster than any checksum that needs no further part of Node.
 * @param {string} file
 * @returns {Map<string, Buffer>} by the names of the parts; the first line says where each of them lies
 */
function read(file) {
  const bytes = fs.readFileSync(file);
  const half = bytes.subarray(0, bytes.length / 2);
  if (!half.equals(bytes.subarray(half.length))) throw new Error(`${file} is damaged`);
  const from = half.indexOf('\n') + 1;
  /** @type {[name: string, start: number, end: number][]} */
  const kept = JSON.parse(half.toString('latin1', 0, from));
  return new Map(kept.map(([name, start, end]) => [name, half.subarray(from + start, from + end)]));
}

/** @param {string} file @param {Map<string, Buffer>} parts */
function write(file, parts) {
  let end = 0;
  const kept = [...parts].map(([name, { length }]) => {
    end += length;
    return [name, end - length, end];
  });
  const line = JSON.stringify(kept);
  // V8 copies what does not begin at a multiple of eight.
  const half = [Buffer.from(`${line.padEnd(line.length | 7)}\n`), ...parts.values()];
  const temporary = `${file}.${process.pid}.new`;
  try {
    fs.writeFileSync(temporary, Buffer.concat([...half, ...half]), { flag: 'wx' });
    fs.renameSync(temporary, file);
  } catch (error) {
    if (error.code !== 'EEXIST') fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Whether a directory is this user's, and nobody else can write in it. @param {string} directory */
function isOurs(directory) {
  const { uid, mode } = fs.statSync(directory);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}

/**
 * Whether a turn that keeps its records elsewhere could write in a state directory, and so run something outside of its
 * sandbox: it lies in a temporary directory, as that of a demo, or in a project. A home directory is nobody's project; what
 * lies in another user's is not ours to add to.
 * @param {string} state
 */
function isExposed(state) {
  const real = (path) => path && fs.existsSync(path) && fs.realpathSync.native(path);
  const [home, temporary] = [process.env.HOME, process.env.TMPDIR].map(real);
  for (let at = real(state); at !== '/'; at = dirname(at)) {
    const { uid, mode } = fs.statSync(at);
    if (uid !== 0 && uid !== process.getuid?.()) return true;
    if (at === home) return false;
    if (at === temporary || (mode & 0o002) !== 0) return true;
    if (['.git', '.zwarm'].some((name) => fs.existsSync(join(at, name)))) return true;
  }
  return false;
}

const KEPT_BUILDS = 4;

/** Removes what older builds and other versions of Node have left. @param {string} compiled */
function removeOld(compiled) {
  const builds = fs.readdirSync(compiled).map((name) => join(compiled, name));
  const newest = builds
    .map((path) => ({ path, at: fs.statSync(path).mtimeMs }))
    .sort((one, other) => other.at - one.at);
  for (const { path } of newest.slice(KEPT_BUILDS)) fs.rmSync(path, { recursive: true, force: true });
}

/** zwarm's state directory by the environment, or null: `--state-dir` is read later, and a relative one may be any. */
function stateDirectory() {
  const { HOME, XDG_STATE_HOME, ZWARM_DIR, ZWARM_SESSION_ID } = process.env;
  // What agents get in their environment is not the user's choice.
  if (ZWARM_DIR && !ZWARM_SESSION_ID) return ZWARM_DIR.startsWith('/') ? ZWARM_DIR : null;
  if (XDG_STATE_HOME?.startsWith('/')) return join(XDG_STATE_HOME, 'zwarm');
  return HOME?.startsWith('/') ? join(HOME, '.local/state/zwarm') : null;
}

/**
 * What is kept of a build for a verb.
 * @param {string} build
 * @param {string} verb
 * @returns {{ known: Map<string, Buffer>, keep: (parts: Map<string, Buffer>) => void }}
 */
module.exports = function compiledCode(build, verb) {
  const state = stateDirectory();
  if (state === null) return { known: new Map(), keep: () => undefined };
  const compiled = join(state, 'compiled');
  // V8 tells code of the same length apart by nothing: what was compiled of another build must have another name.
  const directory = join(compiled, `${build}-${process.version}-${process.platform}-${process.arch}`);
  const file = join(directory, verb);

  const isSafe = () => isOurs(state) && !isExposed(state);

  function known() {
    try {
      return isSafe() && isOurs(directory) ? read(file) : new Map();
    } catch {
      // Not there yet, or of no use: it is compiled.
      return new Map();
    }
  }

  /** @param {Map<string, Buffer>} parts */
  function keep(parts) {
    const umask = process.umask(0o077);
    try {
      // The state directory itself is made by the first start.
      if (!isSafe()) return;
      if (fs.mkdirSync(directory, { recursive: true }) !== undefined) removeOld(compiled);
      if (isOurs(directory)) write(file, parts);
    } catch {
      // Not a place that we can write to: the next run compiles again.
    } finally {
      process.umask(umask);
    }
  }

  return { known: known(), keep };
};
