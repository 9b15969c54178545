// What V8 made of zwarm's code is kept in the user's cache directory: a directory for each build and version of Node, in
// it a file for each verb. Whatever is wrong with one, its code is compiled again, and the file is replaced.

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

/** @param {string} path @returns {string} the real path of as much of it as there is */
const existing = (path) => (fs.existsSync(path) ? fs.realpathSync.native(path) : existing(dirname(path)));

/**
 * Whether an agent in a sandbox may be able to write below a path: in temporary directories, and in projects. What it
 * puts there must not run outside of its sandbox. One that works in all of the home directory needs no cache for that.
 * @param {string} path absolute
 */
function isExposed(path) {
  const { HOME, TMPDIR, XDG_CACHE_HOME } = process.env;
  const [home, temporary] = [HOME, TMPDIR].map((each) => each && fs.existsSync(each) && existing(each));
  for (let at = existing(path), isHome = false; ; at = dirname(at)) {
    if (at === temporary || (fs.statSync(at).mode & 0o002) !== 0) return true;
    isHome ||= at === home;
    if (XDG_CACHE_HOME && !isHome && ['.git', '.zwarm'].some((name) => fs.existsSync(join(at, name))))
      return true;
    if (at === dirname(at)) return false;
  }
}

/** Whether nobody but the user can have written what lies in a directory. @param {string} directory */
function isOurs(directory) {
  const { uid, mode } = fs.statSync(directory);
  return uid === process.getuid?.() && (mode & 0o022) === 0 && !isExposed(directory);
}

const KEPT_BUILDS = 4;

/** Removes what older builds and other versions of Node have left. @param {string} cache */
function removeOld(cache) {
  const builds = fs.readdirSync(cache).map((name) => join(cache, name));
  const newest = builds
    .map((path) => ({ path, at: fs.statSync(path).mtimeMs }))
    .sort((one, other) => other.at - one.at);
  for (const { path } of newest.slice(KEPT_BUILDS)) fs.rmSync(path, { recursive: true, force: true });
}

/** The directory of the user's cache for this, or null where none is known. */
function cacheDirectory() {
  const { HOME, XDG_CACHE_HOME } = process.env;
  if (XDG_CACHE_HOME?.startsWith('/')) return join(XDG_CACHE_HOME, 'zwarm');
  return HOME?.startsWith('/') ? join(HOME, '.cache', 'zwarm') : null;
}

/**
 * What is kept of a build for a verb.
 * @param {string} build
 * @param {string} verb
 * @returns {{ known: Map<string, Buffer>, keep: (parts: Map<string, Buffer>) => void }}
 */
module.exports = function compiledCode(build, verb) {
  const cache = cacheDirectory();
  if (cache === null) return { known: new Map(), keep: () => undefined };
  // V8 tells code of the same length apart by nothing: what was compiled of another build must have another name.
  const directory = join(cache, `${build}-${process.version}-${process.platform}-${process.arch}`);
  const file = join(directory, verb);

  function known() {
    try {
      return isOurs(directory) ? read(file) : new Map();
    } catch {
      // Not there yet, or of no use: it is compiled.
      return new Map();
    }
  }

  /** @param {Map<string, Buffer>} parts */
  function keep(parts) {
    try {
      if (isExposed(directory)) return;
      // Whatever the caller's: what is missing of the way may be more than our own directory.
      const umask = process.umask(0o077);
      try {
        if (fs.mkdirSync(directory, { recursive: true }) !== undefined) removeOld(cache);
        if (isOurs(directory)) write(file, parts);
      } finally {
        process.umask(umask);
      }
    } catch {
      // Not a place that we can write to: the next run compiles again.
    }
  }

  return { known: known(), keep };
};
