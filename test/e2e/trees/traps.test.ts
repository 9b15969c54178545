import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VERB_GROUPS } from '../../../src/cli/verbs.ts';
import { byHand, createRepository } from '../../helpers/files.ts';
import { git, ME } from '../../helpers/git.ts';
import type { Project } from '../../helpers/project.ts';

const WORKS = 'run echo more >> a';

/** What each verb is asked, in this order; `t` is the session, `f` its fork. Nothing: it asks no tree, or has no end. */
const ASKED: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  ls: ['ls', 'ls --all --json', 'ls --here'],
  show: ['show t', 'show t --full', 'show t --json'],
  answer: ['answer t'],
  logs: ['logs t'],
  wait: ['wait t'],
  trajectory: ['trajectory t'],
  search: ['search more'],
  usage: ['usage'],
  name: ['name t t'],
  diff: ['diff t', 'diff t --patch', 'diff t --turn 1 --json', 'diff t --since-seen'],
  review: ['review t'],
  path: ['path t'],
  exec: ['exec t -- true'],
  history: ['history t'],
  export: ['export t'],
  queue: ['queue'],
  digest: ['digest'],
  events: ['events'],
  wake: ['wake'],
  doctor: ['doctor'],
  agents: ['agents'],
  config: ['config list'],
  start: ['start --dry-run -W x', 'start -W --name s --base zwarm/t --wait quick'],
  inject: [['inject', 't', '--wait', WORKS]],
  fork: [['fork', 't', '--wait', 'quick'], ['fork', '-W', '--wait', 't', WORKS], 'name @last f'],
  compare: ['compare t f'],
  undo: ['undo t --dry-run', 'undo t'],
  rewind: ['rewind t --to 1'],
  compact: ['compact t --wait'],
  open: ['open t'],
  kill: ['kill t'],
  apply: ['apply f --dry-run', 'apply f'],
  land: ['land f --dry-run --onto next', 'land f --onto next'],
  pack: ['pack f -o f.zwarm'],
  relocate: ['relocate'],
  rm: ['rm -y f'],
  restore: ['restore f'],
  unpack: ['unpack f.zwarm'],
  clean: ['clean --dry-run', 'clean --older-than 0s -y'],
  import: [],
  orchestrate: [],
  mcp: [],
  demo: [],
  completion: [],
};

/**
 * Writes `plant`, which puts into a tree what makes git run a program: a repository among its files, another in the place of
 * a submodule, and attributes. A file in them is changed and as long as it was, so that git must read it. Returns whether a
 * program has run.
 */
function setTraps(project: Project): () => boolean {
  const { base } = project;
  const witness = join(base, 'ran');
  const trap = `touch ${witness}`;
  const traps = `[core]\n\tfsmonitor = ${trap}\n[filter "evil"]\n\tclean = ${trap}; cat\n\tsmudge = ${trap}; cat\n[diff "evil"]\n\ttextconv = ${trap}; cat\n\tcommand = ${trap}\n[merge "evil"]\n\tdriver = ${trap}\n`;
  const attributes = '* filter=evil diff=evil merge=evil';
  byHand(
    { directory: base },
    `mkdir module; git -C module init -q; echo m > module/m; git -C module add .; git -C module commit -qm m
    git -C project branch next
    git -C project -c protocol.file.allow=always submodule --quiet add ../module module; git -C project commit -qm module
    printf '%s' '${traps}' > traps
    cat > plant <<'END'
traps=$ZWARM_MAIN_CHECKOUT/../traps
for at in nested planted; do
  git init -q $at; echo m > $at/m; git -C $at add .; git -C $at -c user.name=a -c user.email=a@b commit -qm n
  cat "$traps" >> $at/.git/config; echo x > $at/m; echo '${attributes}' > $at/.gitattributes
done
rm -rf module/.git; echo "gitdir: $PWD/planted/.git" > module/.git; echo x > module/m
for at in . module; do echo '${attributes}' > $at/.gitattributes; done
END`,
  );
  return () => existsSync(witness);
}

test('no program runs that an agent has planted in its tree, whatever verb looks at it', async () => {
  const project = createRepository();
  Object.assign(project.env, ME);
  const verbs = VERB_GROUPS.flatMap((group) => group.verbs.map(({ name }) => name.split(' ')[0]));
  expect(Object.keys(ASKED).sort()).toEqual(verbs.sort());
  const { base } = project;
  const hasRun = setTraps(project);
  await project.ok(['start', '-W', '--name', 't', '--wait', 'run sh ../../plant; echo more >> a']);
  const refused: string[] = [];
  for (const asked of Object.values(ASKED).flat()) {
    const argv = typeof asked === 'string' ? asked.split(' ') : asked;
    const { code } = await project.asProcess(argv);
    if (code !== 0) refused.push(argv.join(' '));
    expect([hasRun(), argv]).toEqual([false, argv]);
  }
  // Without a terminal, a process, a move and anything in the trash; and what nobody may ask stays.
  expect(refused).toEqual([
    'review t',
    'open t',
    'kill t',
    'relocate',
    'restore f',
    'clean --older-than 0s -y',
  ]);
  // They are set, and whoever asks git plainly runs them.
  git(join(base, 'project.worktrees/t'), 'status');
  expect(hasRun()).toBe(true);
});
