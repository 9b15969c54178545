import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build, transform } from 'esbuild';

/**
 * Parts of Node that take long to load, two of them as long as all of zwarm, and what is used of them: most commands use
 * none.
 * @type {Readonly<Record<string, string>>}
 */
const LAZY_BUILTINS = {
  'node:child_process':
    "export const spawn = load('spawn'), spawnSync = load('spawnSync'), execFile = load('execFile');",
  'node:crypto':
    "export const createHash = load('createHash'), webcrypto = { getRandomValues: load('randomFillSync') };",
  'node:os': "export const hostname = load('hostname'), tmpdir = load('tmpdir');",
};

/** Who gets these parts only when it calls them: our own files, and the packages that every command loads. */
const LAZY_IMPORTERS = /^((?!\/node_modules\/).)*\/src\/|\/node_modules\/(commander|nanoid)\//;

/** @type {import('esbuild').Plugin} */
const lazyBuiltins = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(${Object.keys(LAZY_BUILTINS).join('|')})$`);
    onResolve({ filter }, ({ path, importer }) =>
      LAZY_IMPORTERS.test(importer) ? { path, namespace: 'lazy' } : undefined,
    );
    onLoad({ filter, namespace: 'lazy' }, ({ path }) => ({
      contents: `const load = (name) => (...args) => require('${path}')[name](...args);
${LAZY_BUILTINS[path]}`,
    }));
  },
};

const ZOD_MINI = 'zod-mini';

/**
 * zod twice: what our own files use of it, which every command loads, and what the library of the protocol uses, which
 * is nearly all of it. As one package, each of its files would be whole for all.
 * @type {import('esbuild').Plugin}
 */
const smallZod = {
  name: ZOD_MINI,
  setup({ onResolve, onLoad }) {
    const file = (/** @type {string} */ path) => ({ path, namespace: ZOD_MINI, sideEffects: false });
    onResolve({ filter: /^zod\/mini$/ }, () => file('node_modules/zod/mini/index.js'));
    onResolve({ filter: /^\./, namespace: ZOD_MINI }, ({ path, importer }) =>
      file(join(dirname(importer), path)),
    );
    onLoad({ filter: /./, namespace: ZOD_MINI }, ({ path }) => ({ contents: readFileSync(path, 'utf8') }));
  },
};

/**
 * Files that are one part, with all that they import: what every command needs, and what every command that looks at
 * sessions needs besides. A list needs nothing more than both.
 */
const TOGETHER = {
  base: ['main', 'cli/program'],
  sessions: ['manager/session-manager', 'manager/project/moved-project', 'manager/commands/ls', 'render/row'],
};

/** @type {import('esbuild').Plugin} */
const together = {
  name: 'together',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(base|sessions)$/ }, ({ path }) => ({ path, namespace: 'together' }));
    onLoad({ filter: /./, namespace: 'together' }, ({ path }) => ({
      contents: TOGETHER[/** @type {keyof typeof TOGETHER} */ (path)]
        .map((name) => `import './src/${name}.ts';`)
        .join('\n'),
      resolveDir: import.meta.dirname,
    }));
    // esbuild makes a part of what the same entries need: whatever is loaded later needs all of `sessions`.
    onResolve({ filter: /\.ts$/ }, ({ path, kind, resolveDir }) => {
      const file = join(resolveDir, path);
      const isEntry = kind === 'dynamic-import' && file.startsWith(join(import.meta.dirname, 'src'));
      return isEntry ? { path: file, namespace: 'entry' } : undefined;
    });
    onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({
      contents: `import 'sessions'; export * from ${JSON.stringify(path)};`,
      resolveDir: dirname(path),
    }));
  },
};

const TARGET = 'node20.12';
const SMALL = { minify: true };

/** Node prints the line from which an error came that nobody caught: not a page. */
const LONGEST_LINE = 120;

/** As in `bin/load.js`. */
const HEAD_BYTES = 16_384;

/**
 * What is left of other alphabets stands in regular expressions. Without it a place in the file is the same in bytes and
 * in characters.
 * @param {string} unit
 */
const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Bundles source files into one file of parts, dist/parts.js for `bin/load.js`: its first line says where each part is,
 * and which verbs there are. Split, so that a command compiles what it needs and no more; in one file, since each further
 * one costs as much as 10 kB of code, and since an update of zwarm cannot come between two of them. They are CommonJS:
 * Node's loader of ES modules costs a tenth of a start. esbuild splits ES modules alone, so that each part is translated
 * afterwards.
 * @param {readonly string[]} entryPoints each becomes a part of the name of its file
 * @param {readonly import('esbuild').Plugin[]} [plugins]
 * @returns {Promise<{ text: string, metafile: import('esbuild').Metafile }>} that file, and what each part holds
 */
export async function bundle(entryPoints, plugins = []) {
  const { outputFiles, metafile } = await build({
    ...SMALL,
    entryPoints: [...entryPoints],
    outdir: '.',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: TARGET,
    // Its CommonJS form loads its parts in a way that no bundler can follow.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    chunkNames: '[name]-[hash]',
    define: { 'import.meta.dirname': 'zwarmDirectory' },
    inject: ['base'],
    plugins: [lazyBuiltins, smallZod, together, ...plugins],
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  /** @type {Record<string, [from: number, length: number]>} */
  const places = {};
  let parts = '';
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      ...SMALL,
      lineLimit: LONGEST_LINE,
      format: 'cjs',
      platform: 'node',
      target: TARGET,
      supported: { 'dynamic-import': false },
    });
    const part = code.replace(/[^\0-\x7f]/g, escaped);
    places[`./${basename(path)}`] = [HEAD_BYTES + parts.length, part.length];
    parts += part;
  }
  const digest = createHash('sha256').update(parts).digest('hex').slice(0, 16);
  const verbs = readdirSync('src/cli/commands').map((file) => basename(file, '.ts'));
  const head = `// ${JSON.stringify({ build: digest, verbs, places })}`.padEnd(HEAD_BYTES - 1);
  if (head.length >= HEAD_BYTES) throw new Error('there are more parts than the head has room for');
  return { text: `${head}\n${parts}`, metafile };
}
