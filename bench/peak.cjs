// Loaded into a program before it begins: writes the peak of its memory, in kB, into the file that BENCH_PEAK names.
const { readFileSync, writeFileSync } = require('node:fs');

process.on('exit', () => {
  // What Linux tells of resources counts the process that started this one too, as it was before the exec.
  const peak =
    process.platform === 'linux'
      ? /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
      : process.resourceUsage().maxRSS;
  writeFileSync(process.env['BENCH_PEAK'] ?? '', String(peak));
});
