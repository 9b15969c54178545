import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findGit, gitIn } from '../../../src/git/git.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { git as plainGit } from '../../helpers/git.ts';

const PATH = process.env['PATH'] ?? '';

function repository() {
  const workTree = emptyDirectory();
  plainGit(workTree, 'init', '-q', '-b', 'main');
  return { workTree, gitDir: join(workTree, '.git') };
}

test('git works in the repository that it is given, whatever the caller has set and wherever that stands', async () => {
  const place = repository();
  const other = repository();
  const env = { PATH, GIT_DIR: other.gitDir, GIT_WORK_TREE: other.workTree, GIT_CONFIG_COUNT: 'x' };
  const git = gitIn(place, findGit(env, []), env);
  writeFileSync(join(place.workTree, 'caf\xe9 \n'), '');
  const { stdout } = await git(['ls-files', '-o', '-z']);
  expect(stdout.toString()).toBe('café \n\0');
});

test('no program runs that the repository names: a monitor, a hook', async () => {
  const place = repository();
  const witness = join(place.workTree, 'ran');
  const trap = join(place.workTree, 'trap');
  writeFileSync(trap, `#!/bin/sh\ntouch '${witness}'\n`);
  chmodSync(trap, 0o755);
  plainGit(place.workTree, 'config', 'core.fsmonitor', trap);
  writeFileSync(join(place.gitDir, 'hooks', 'post-index-change'), `#!/bin/sh\ntouch '${witness}'\n`, {
    mode: 0o755,
  });
  const git = gitIn(place, findGit({ PATH }, []), { PATH });
  await git(['add', '-A']);
  const { stdout } = await git(['status', '--porcelain', '-z', '--ignore-submodules=all']);
  expect(stdout.toString()).toBe('A  trap\0');
});

test('what git refuses is told in its own words; an exit code that is an answer is one', async () => {
  const place = repository();
  const git = gitIn(place, findGit({ PATH }, []), { PATH });
  await expect(git(['rev-parse', '--verify', 'nothing'])).rejects.toMatchObject({
    code: 'git_failed',
    message: `git rev-parse in ${place.workTree}: Needed a single revision`,
  });
  const { code } = await git(['diff', '--quiet', '--no-index', '/dev/null', '/etc/hostname'], { codes: [1] });
  expect(code).toBe(1);
  const hang = git(['-c', 'alias.hang=!exec sleep 1000', 'hang'], { timeoutMs: 200 });
  await expect(hang).rejects.toThrow('it gave no answer within 0.2 s');
});

test('a git that an agent may have put there is not run', () => {
  const place = repository();
  const bin = join(place.workTree, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), '#!/bin/sh\n', { mode: 0o755 });
  expect(() => findGit({ PATH: `${bin}:${PATH}` }, [place.workTree])).toThrow(`git would be ${bin}/git`);
  expect(findGit({ PATH }, [place.workTree])).toMatch(/\/git$/);
  expect(() => findGit({ PATH: '' }, [])).toThrow('git was not found on your PATH');
});
