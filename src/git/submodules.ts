import type { Git } from './git.ts';

/** A submodule as a commit names it: its name, and the path from the root where its files are. */
export interface Submodule {
  readonly name: string;
  readonly path: string;
}

const FILL_MS = 600_000;

/** The submodules that `.gitmodules` of a commit names, but for names that lead out of a directory. @throws ZwarmError */
export async function submodulesOf(git: Git, commit: string): Promise<readonly Submodule[]> {
  const list = ['config', '--blob', `${commit}:.gitmodules`, '-z', '--get-regexp', '^submodule\\..*\\.path$'];
  // 1: it names none; 128: there is no such file, or it cannot be read.
  const { stdout } = await git(list, { codes: [1, 128] });
  return stdout
    .toString()
    .split('\0')
    .flatMap((entry) => {
      const [, name, path] = /^submodule\.(.*)\.path\n(.*)$/s.exec(entry) ?? [];
      if (name === undefined || path === undefined || name.split('/').includes('..')) return [];
      return [{ name, path }];
    });
}

/**
 * Fills a submodule of a checkout from a repository on this disk, without a network, and lets it know where that came from.
 * @throws ZwarmError `git_failed`
 */
export async function fillSubmodule(git: Git, { name, path }: Submodule, from: string): Promise<void> {
  const settings = [
    ['protocol.file.allow', 'always'],
    [`submodule.${name}.url`, from],
    [`submodule.${name}.update`, 'checkout'],
  ];
  const env = settings.flatMap(([key = '', value = ''], i) => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  const configuration = { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(env) };
  const fill = ['submodule', '--quiet', 'update', '--init', '--no-fetch', '--', path];
  await git(fill, { env: configuration, timeoutMs: FILL_MS });
}

/** Gives a repository the remote that another one has. @throws ZwarmError `git_failed` */
export async function copyRemote(git: Git, from: string): Promise<void> {
  const { code, stdout } = await git(['config', '--file', `${from}/config`, 'remote.origin.url'], {
    codes: [1],
  });
  if (code !== 0) return;
  await git(['config', 'remote.origin.url', stdout.toString().replace(/\n$/, '')]);
}
