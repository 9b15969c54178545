// @ts-nocheck: it stands in the place of functions of every shape.

// Loaded into zwarm before it: notes in the file that PROBE names what of Node and of zwarm it loads, what it looks at
// on the disk, and how much of each file it reads.

const fs = require('node:fs');
const vm = require('node:vm');

const report = { builtins: [], parts: [], opened: [], lookedAt: [], listed: [], read: {} };
const paths = new Map();

/** Notes the path of each call of functions of `fs`. */
const note = (list, ...names) => {
  for (const name of names) {
    const call = fs[name];
    fs[name] = (path, ...rest) => {
      list.push(String(path));
      return call(path, ...rest);
    };
  }
};
const { openSync, readSync } = fs;
fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  paths.set(fd, String(path));
  return fd;
};
fs.readSync = (fd, ...rest) => {
  const count = readSync(fd, ...rest);
  const path = paths.get(fd) ?? '';
  report.read[path] = (report.read[path] ?? 0) + count;
  return count;
};
note(report.opened, 'openSync', 'readFileSync');
note(report.lookedAt, 'lstatSync', 'statSync', 'existsSync', 'accessSync');
note(report.listed, 'readdirSync');

vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    report.parts.push({ name: options.filename.replace(/.*\/parts\.js\/\.\//, ''), bytes: code.length });
  }
};

process.once('exit', () => {
  report.builtins = process.moduleLoadList.map((name) => name.replace('NativeModule ', ''));
  fs.writeFileSync(process.env.PROBE, JSON.stringify(report));
});
