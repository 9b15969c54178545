import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE_HOME, runProgram } from './project.ts';

/** Where the programs that contract tests run are installed: outside of the repository, and kept. */
export const INSTALLATIONS = join(CACHE_HOME, 'zwarm-test-agents');

/** A package of npm at one version, in a directory of its own; `wanted` finds the file of it that the tests need. */
export function installedPackage(
  name: string,
  version: string,
  wanted: (directory: string) => string | undefined = () => '.',
) {
  return {
    name,
    version,
    directory: join(INSTALLATIONS, `${name.split('/').at(-1)}-${version}`),
    /** Whether what the tests need of it is in that directory, or in another one. */
    isComplete(directory: string): boolean {
      const manifest = join(directory, 'node_modules', name, 'package.json');
      if (!existsSync(manifest) || wanted(directory) === undefined) return false;
      return JSON.parse(readFileSync(manifest, 'utf8')).version === version;
    },
  };
}

/** Whether a package is there. */
export const isInstalled = ({ directory, isComplete }: ReturnType<typeof installedPackage>): boolean =>
  isComplete(directory);

/** npm cannot have a package here; why, and which. */
class NotToBeHad extends Error {
  override readonly name = 'NotToBeHad';
}

/**
 * Installs a package unless it is there. What was interrupted is begun again, and what failed is tried twice.
 * @throws NotToBeHad
 */
export async function install(wanted: ReturnType<typeof installedPackage>): Promise<void> {
  const { name, version, directory, isComplete } = wanted;
  if (isInstalled(wanted)) return;
  mkdirSync(INSTALLATIONS, { recursive: true });
  const building = mkdtempSync(`${directory}.new-`);
  try {
    writeFileSync(join(building, 'package.json'), '{ "private": true }');
    // The native program of Claude Code needs no Node, but its package names one; our own .npmrc would refuse that.
    const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false'];
    const args = ['install', ...flags, `${name}@${version}`];
    const npm = () => runProgram('npm', args, { cwd: building, env: process.env });
    const first = await npm();
    // npm is content without an optional part, such as a native program.
    const { stderr } = isComplete(building) ? first : await npm();
    if (!isComplete(building)) {
      const why = stderr.trim() || 'it has no native program for this machine';
      throw new NotToBeHad(`npm could not install ${name}@${version}: ${why}`);
    }
    // What is in the way is the rest of an interrupted installation, unless another test run was faster.
    if (!isComplete(directory)) rmSync(directory, { recursive: true, force: true });
    if (!existsSync(directory)) renameSync(building, directory);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

/** Installs a program that is one of many: why it cannot be had here, or null. Without it the other tests still hold. */
export async function orWhyNot(wanted: ReturnType<typeof installedPackage>): Promise<string | null> {
  const why = await install(wanted).then(
    () => null,
    (error: Error) => error.message,
  );
  if (why !== null) process.stdout.write(`not run: the tests with ${wanted.name}: ${why}\n`);
  return why;
}
