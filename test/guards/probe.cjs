// @ts-nocheck: it stands in the place of functions of every shape.

// Loaded into zwarm before it: notes in the file that PROBE names what of Node and of zwarm it loads, what it looks at
// on the disk, and how much of each file it reads.

const fs = require('node:fs');
const vm = require('node:vm');

const report = { builtins: [], parts: [], opened: [], lookedAt: [], listed: [], read: {} };
const paths = new Map();

const { openSync, readSync, readdirSync, readFileSync } = fs;
fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  report.opened.push(String(path));
  paths.set(fd, String(path));
  return fd;
};
fs.readSync = (fd, ...rest) => {
  const count = readSync(fd, ...rest);
  const path = paths.get(fd) ?? '';
  report.read[path] = (report.read[path] ?? 0) + count;
  return count;
};
for (const name of ['lstatSync', 'statSync', 'existsSync', 'accessSync']) {
  const look = fs[name];
  fs[name] = (path, ...rest) => {
    report.lookedAt.push(String(path));
    return look(path, ...rest);
  };
}
fs.readdirSync = (path, ...rest) => {
  report.listed.push(String(path));
  return readdirSync(path, ...rest);
};
fs.readFileSync = (path, ...rest) => {
  report.opened.push(String(path));
  return readFileSync(path, ...rest);
};

vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    report.parts.push({ name: options.filename.replace(/.*\/parts\.js\/\.\//, ''), bytes: code.length });
  }
};

process.once('exit', () => {
  report.builtins = process.moduleLoadList
    .filter((name) => name.startsWith('NativeModule '))
    .map((name) => name.slice('NativeModule '.length));
  fs.writeFileSync(process.env.PROBE, JSON.stringify(report));
});
