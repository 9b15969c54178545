import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plain } from '../helpers/display.ts';
import { createProject, withoutConfiner } from '../helpers/project.ts';

/** A project with its own PATH, on which a test puts agents. */
function createBare() {
  const project = createProject();
  const bin = join(project.base, 'bin');
  mkdirSync(bin);
  Object.assign(project.env, { PATH: bin, ZWARM_CODEX_BIN: undefined });
  withoutConfiner(project);
  const put = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...project, put };
}

const CLAUDE = `case $* in
  --version) echo '2.1.328 (Claude Code)' ;;
  'auth status') echo '{"loggedIn": false}'; exit 1 ;;
esac`;

test('each agent is listed with what it can do here, for people, programs and pipes', async () => {
  const { $, zwarm, put, env, base } = createBare();
  put('claude', CLAUDE);
  expect(await $('agents')).toBe(`\
codex\tnot found\t-\tits own\tno\tno
claude *\t2.1.328\tno\tnone\tyes\tyes
opencode\tnot found\t-\tnone\tyes\tyes
demo\t-\t-\t-\tyes\tno
`);
  const { stdout, stderr } = await zwarm(['agents'], { tty: true, columns: 80 });
  expect(plain(stdout)).toMatchInlineSnapshot(`
    "AGENT     VERSION    LOGIN  SANDBOX  FORK  COST
    codex     not found  -      its own  no    no
    claude *  2.1.328    no     none     yes   yes
    opencode  not found  -      none     yes   yes
    demo      -          -      -        yes   no
    "
  `);
  expect(plain(stderr)).toContain('codex: codex was not found on your PATH; install it with');
  const [codex, claude] = JSON.parse(await $('agents --json'));
  expect(codex).toMatchObject({
    found: false,
    version: null,
    logged_in: null,
    sandbox: 'agent',
    default: false,
  });
  expect(claude).toMatchObject({
    ...{ found: true, program: join(base, 'bin/claude'), version: '2.1.328', logged_in: false },
    ...{ sandbox: null, default: true, hint: null, cost: true, aliases: ['claude_code'] },
  });
  env['ZWARM_AGENT'] = 'demo';
  expect(await $('agents')).toContain('demo *');
});

test('start takes the first agent that is found, and says which; without any it says how to get one', async () => {
  const { zwarm, put, list } = createBare();
  const none = await zwarm(['start', 'x']);
  expect(none).toMatchObject({
    code: 127,
    stderr: expect.stringMatching(/codex, claude[\s\S]*npm install -g.*-a demo/),
  });
  put('claude', CLAUDE);
  const { code, stderr } = await zwarm(['start', 'x'], { tty: true });
  expect([code, plain(stderr)]).toEqual([0, expect.stringContaining('claude started; see:')]);
  expect((await list()).map(({ agent }) => agent)).toEqual(['claude']);
});
