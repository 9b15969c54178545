import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundle } from './bundle.js';
import { writeManPages } from './man-pages.js';

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
// Everything is in the bundle: nothing is installed beside it.
const { text, metafile } = await bundle(['src/main.ts', 'src/index.ts']);
writeFileSync('dist/parts.js', text);
// The library, for whoever imports it as an ES module.
const { exports: names } = metafile.outputs['index.js'] ?? { exports: [] };
writeFileSync(
  'dist/index.js',
  `import load from '../bin/load.js';\nexport const { ${names.join(', ')} } = load('./index.js');\n`,
);

await writeManPages('dist/man');

execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.types.json'], { stdio: 'inherit' });
keepTypesOf('dist/types/index.d.ts');

// The licences of what was bundled ask to be passed on. The last node_modules of a path is the package's own.
const packages = new Set(
  Object.keys(metafile.inputs).flatMap(
    (path) => /^(?:[\w-]+:)?((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  ),
);
const notices = [...packages].map((directory) => {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const licence = readdirSync(directory).find((file) => /^licen[cs]e/i.test(file));
  if (licence === undefined) throw new Error(`${name} has no licence file to pass on`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(directory, licence), 'utf8').trim()}\n`;
});
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', notices.sort().join(`\n${'-'.repeat(80)}\n\n`));

/**
 * Deletes the declarations that the library's own do not lead to, and gives the imports of the others the extension
 * that every TypeScript understands. What Node alone declares is no part of what the library offers: without it, nobody
 * needs @types/node.
 * @param {string} entry
 */
function keepTypesOf(entry) {
  const kept = new Set([entry]);
  // A set takes in what is added while it is walked.
  for (const path of kept) {
    const text = withoutNode(readFileSync(path, 'utf8')).replace(
      /(['"])(\.\.?\/[^'"]+)\.ts\1/g,
      (_, quote, target) => {
        kept.add(join(dirname(path), `${target}.d.ts`));
        return `${quote}${target}.js${quote}`;
      },
    );
    writeFileSync(path, text);
  }
  for (const name of readdirSync(dirname(entry), { recursive: true, encoding: 'utf8' })) {
    const path = join(dirname(entry), name);
    if (path.endsWith('.d.ts') && !kept.has(path)) rmSync(path);
  }
}

/** @param {string} text */
function withoutNode(text) {
  return text
    .replace(/^import \{(.*)\} from 'node:.*';$/gm, (_, names) =>
      names.replace(/type (\w+),?/g, 'type $1 = unknown;'),
    )
    .replace(/\bBuffer\b/g, 'Uint8Array');
}
