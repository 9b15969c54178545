import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createCodexProject, requireSandbox } from '../helpers/codex.ts';
import { git } from '../helpers/git.ts';
import { commitFiles } from '../helpers/repository.ts';

beforeAll(requireSandbox);

/** What an agent would do that wants out of its tree; the last line says that it came so far. */
const ATTACK = String.raw`
echo "$ZWARM_PORT_BASE" >> same.txt
main=$ZWARM_MAIN_CHECKOUT own=$(git rev-parse --git-dir) tree=$PWD
# What other trees and the main checkout have.
for at in "$main" ../*; do [ "$at" -ef . ] || echo bad > "$at/same.txt"; done
# What git runs for whoever comes next, and what it believes.
printf '[core]\n\tfsmonitor = touch ran\n' >> "$main/.git/config"
printf '#!/bin/sh\ntouch ran\n' > "$main/.git/hooks/post-checkout"
echo 'gitdir: /tmp' > .git; mv .git moved; ln -sf /tmp .git
echo bad > "$own/HEAD"; rm -f "$own/locked"; echo bad > "$own/gitdir"
git commit -qam stolen; git update-ref refs/heads/main HEAD
# Its own place.
mv "$tree" "$tree.away"; mv .. ../../away; ln -s /tmp ../new-link
echo the end
`;

test('six Codex in six trees edit the same file; nothing else has changed, whatever they try', async (t) => {
  const script = {
    steps: [{ message: 'trying', shell: 'sh attack.sh' }, { message: 'tried' }],
    after: 'restart',
  } as const;
  const project = await createCodexProject(t.onTestFinished, { script });
  const { directory } = project;
  commitFiles(directory, { 'same.txt': 'one\n', 'attack.sh': ATTACK });
  const branch = git(directory, 'symbolic-ref', '--short', 'HEAD');
  writeFileSync(join(directory, 'mine.txt'), 'not committed');
  const files = ['.git/config', '.git/HEAD', '.git/index', 'same.txt', 'mine.txt'];
  const mainNow = () => [
    ...files.map((path) => readFileSync(join(directory, path), 'latin1')),
    git(directory, 'rev-parse', 'HEAD'),
    git(directory, 'status', '--porcelain'),
    existsSync(join(directory, '.git/hooks/post-checkout')),
  ];
  const before = mainNow();
  const ids = (await project.ok(['start', '-W', '--name', 't', '--count', '6', '--tag', 'six', 'go'])).split(
    '\n',
  );
  await project.ok(['wait', '--tag', 'six']);
  expect(mainNow()).toEqual(before);
  const ports = new Set<string>();
  for (const [i, id] of ids.entries()) {
    const session = await project.show(id, ['--full']);
    const said = session.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(said.join()).toContain('the end');
    const path = `${directory}.worktrees/t-${i + 1}`;
    expect(session.working_dir).toBe(path);
    const [, port = ''] = readFileSync(join(path, 'same.txt'), 'utf8').split('\n');
    ports.add(port);
    expect(git(path, 'status', '--porcelain')).toBe('M same.txt');
    expect(git(path, 'symbolic-ref', 'HEAD')).toBe(`refs/heads/zwarm/t-${i + 1}`);
    expect(git(path, 'rev-parse', 'HEAD')).toBe(git(directory, 'rev-parse', branch));
    expect(git(directory, 'worktree', 'list', '--porcelain')).toContain(`locked zwarm session ${id}`);
  }
  expect(ports.size).toBe(6);
  // The next turn runs there, too; and so does one in the thread of a fork, with the files.
  await project.ok(['inject', ids[0] ?? '', '--wait', 'again']);
  const forked = await project.ok(['fork', '-W', '-q', ids[0] ?? '', 'again']);
  await project.ok(['wait', forked]);
  const { turns, working_dir } = await project.show(forked);
  expect(turns.at(-1)?.how).toBe('native');
  expect(readFileSync(join(working_dir ?? '', 'same.txt'), 'utf8').split('\n')).toHaveLength(5);
  expect(mainNow()).toEqual(before);
});

test('Codex merges in its tree what conflicts with a branch that has moved, and that lands', async (t) => {
  const merge = "sed -i -e '/^<<<<<<< /d' -e '/^=======$/d' -e '/^>>>>>>> /d' same.txt";
  const script = {
    rules: [
      { prompt: 'While you worked', steps: [{ shell: merge }, { message: 'merged' }] },
      { prompt: 'go', steps: [{ shell: 'echo theirs > same.txt; echo new > new.txt' }, { message: 'done' }] },
    ],
  } as const;
  const project = await createCodexProject(t.onTestFinished, { script });
  const { directory, env } = project;
  for (const one of ['AUTHOR', 'COMMITTER'])
    Object.assign(env, { [`GIT_${one}_NAME`]: 'Me', [`GIT_${one}_EMAIL`]: 'me@example.org' });
  commitFiles(directory, { 'same.txt': 'one\n' });
  await project.ok(['start', '-W', '--name', 't', '--wait', 'go']);
  commitFiles(directory, { 'same.txt': 'ours\n', 'other.txt': 'x\n' });
  expect(await project.zwarm(['land', 't'])).toMatchObject({ code: 4 });
  const { code, stderr } = await project.zwarm(['land', 't', '--ask']);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^zwarm: codex was asked to merge .*: same.txt\n$/),
  ]);
  expect(readFileSync(join(directory, 'same.txt'), 'utf8')).toBe('ours\ntheirs\n');
  expect(readFileSync(join(directory, 'new.txt'), 'utf8')).toBe('new\n');
  expect(git(directory, 'status', '--porcelain')).toBe('');
  expect((await project.show('t')).turns.map(({ how }) => how)).toEqual(['fresh', 'native']);
});
