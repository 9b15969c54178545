// Installs the real agents that the contract tests run (setup.ts), in a process of its own: `npm run agents`. What npm
// cannot have is said in lines that begin with "not run: ", and is no failure.

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

// Below the repository, where what it imports is found.
const directory = mkdtempSync('node_modules/.zwarm-agents-');
try {
  const outfile = join(directory, 'setup.mjs');
  await build({
    entryPoints: ['test/contract/setup.ts'],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const { setup } = await import(pathToFileURL(outfile).href);
  await setup();
} catch (error) {
  if (!(error instanceof Error) || error.name !== 'NotToBeHad') throw error;
  process.stdout.write(`not run: contract: ${error.message}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
