import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * The first two columns of the table below a heading of docs/formats.md.
 * @param {string} heading
 * @returns {[string, string][]}
 */
function tableOf(heading) {
  const [, section = ''] = readFileSync('docs/formats.md', 'utf8').split(`# ${heading}\n`);
  const rows = section.split(/^#/m, 1)[0]?.matchAll(/^\| `?([A-Z0-9_]+)`? \| (.*?) \|/gm) ?? [];
  return [...rows].map(([, name = '', text = '']) => [name, text.replace(/`|\]\([^)]*\)|\[/g, '')]);
}

/**
 * Writes the manual pages of all commands, from the same tables as their help.
 * @param {string} directory
 */
export async function writeManPages(directory) {
  const { outputFiles } = await build({
    entryPoints: ['src/cli/help/man-page.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
    logLevel: 'warning',
    plugins: [
      {
        name: 'tables-alone',
        // What a verb loads when it runs says nothing about it.
        setup: ({ onResolve }) =>
          onResolve({ filter: /./ }, ({ path, kind }) =>
            kind === 'dynamic-import' ? { path, external: true } : undefined,
          ),
      },
    ],
  });
  /** @type {{ exports: Partial<typeof import('./src/cli/help/man-page.ts')> }} */
  const module = { exports: {} };
  const code = outputFiles[0]?.text ?? '';
  new Function('module', 'exports', 'require', code)(module, module.exports, createRequire(import.meta.url));
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const facts = { version, exitCodes: tableOf('Exit codes'), environment: tableOf('Read by zwarm') };
  mkdirSync(directory, { recursive: true });
  for (const [file, text] of module.exports.manPages?.(facts) ?? [])
    writeFileSync(join(directory, file), text);
}
