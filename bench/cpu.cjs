// Loaded into a Node program before it: writes into the file that BENCH_CPU names which part of a core it takes, in percent,
// over twenty seconds, from five seconds after its start: by then V8 has optimised what runs again and again.

const { writeFileSync } = require('node:fs');

const SECONDS = 20;

function measure() {
  const before = process.cpuUsage();
  const from = performance.now();
  const report = () => {
    const { user, system } = process.cpuUsage(before);
    const percent = (user + system) / 10 / (performance.now() - from);
    writeFileSync(process.env['BENCH_CPU'] ?? '', `${percent}\n`);
  };
  setTimeout(report, SECONDS * 1000).unref();
}

setTimeout(measure, 5000).unref();
