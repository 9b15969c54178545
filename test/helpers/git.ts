import { execFileSync } from 'node:child_process';

/** The environment of git with nobody's own configuration. */
export const GIT_ENVIRONMENT = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

/** Who commits, as variables of a user's environment. */
export const ME = {
  GIT_AUTHOR_NAME: 'Me',
  GIT_AUTHOR_EMAIL: 'me@example.org',
  GIT_COMMITTER_NAME: 'Me',
  GIT_COMMITTER_EMAIL: 'me@example.org',
};

/** Runs git in a directory; its output. */
export function git(directory: string, ...args: readonly string[]): string {
  const options = { cwd: directory, env: GIT_ENVIRONMENT, encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync('git', args, options).trim();
}
