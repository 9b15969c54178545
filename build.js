import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

// One bundle with lazily loaded parts: what a command does not need is not read. Nothing is installed beside it.
rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ['src/main.ts', 'src/index.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.12',
  minifySyntax: true,
  minifyWhitespace: true,
  chunkNames: 'part-[name]-[hash]',
  metafile: true,
  logLevel: 'warning',
  // CommonJS packages inside an ES module still ask for `require`.
  banner: {
    js: "import{createRequire as zwarmCreateRequire}from'node:module';const require=zwarmCreateRequire(import.meta.url);",
  },
});
execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.types.json'], { stdio: 'inherit' });

// The licences of what was bundled ask to be passed on.
const packages = new Set(
  Object.keys(metafile.inputs).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
);
const notices = [...packages].sort().map((name) => {
  const directory = join('node_modules', name);
  const licence = readdirSync(directory).find((file) => /^licen[cs]e/i.test(file));
  const { version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const text =
    licence !== undefined && existsSync(join(directory, licence))
      ? readFileSync(join(directory, licence), 'utf8')
      : '';
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
});
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', notices.join(`\n${'-'.repeat(80)}\n\n`));
