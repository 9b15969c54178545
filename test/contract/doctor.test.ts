import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Check } from '../../src/core/check.ts';
import { IS_ROOT } from '../helpers/as-root.ts';
import {
  CODEX,
  CODEX_VERSION,
  type CodexProject,
  createCodexProject,
  nativeCodex,
} from '../helpers/codex.ts';
import { onScreen, type ScreenOptions } from '../helpers/context.ts';
import { type OnFinished, runProgram, ZWARM } from '../helpers/project.ts';

const create = (finished: OnFinished): Promise<CodexProject> => createCodexProject(finished, { script: {} });

type Found = Readonly<Record<string, Omit<Check, 'name'>>>;

async function diagnose(project: CodexProject, options: ScreenOptions = {}): Promise<Found> {
  const { stdout } = await onScreen(project, ['doctor', '--json'], options);
  return Object.fromEntries(JSON.parse(stdout).checks.map(({ name, ...found }: Check) => [name, found]));
}

test.concurrent('Codex is found with its version and its sandbox, and nothing of the project changes', async (t) => {
  const codex = await create(t.onTestFinished);
  const found = await diagnose(codex);
  expect(found['codex']).toEqual({ status: 'ok', message: `${CODEX_VERSION}, ${nativeCodex()}`, hint: null });
  expect(found['codex-configuration']?.status).toBe('ok');
  const probe = spawnSync(nativeCodex(), ['sandbox', '--', 'true'], { env: codex.env, cwd: codex.directory });
  expect(found['codex-sandbox']?.status).toBe(probe.status === 0 ? 'ok' : 'failed');
  expect(readdirSync(codex.directory)).toEqual(['.git']);
});

test.concurrent('who is logged in is told as turns would find it', async (t) => {
  const codex = await create(t.onTestFinished);
  // Its provider is one of the configuration, which needs no login.
  expect((await diagnose(codex))['codex-login']?.status).toBe('note');
  rmSync(join(codex.codexHome, 'config.toml'));
  const nobody = await onScreen(codex, ['doctor']);
  expect(nobody.code).toBe(1);
  expect(nobody.stdout).toMatch(
    /\nfailed {3}codex-login: nobody is logged in to Codex\n {9}hint: log in: codex login/,
  );
  expect((await diagnose(codex, { env: { CODEX_API_KEY: 'sk-test' } }))['codex-login']?.status).toBe('ok');
  const auth = { auth_mode: 'apikey', OPENAI_API_KEY: 'sk-abcdefghijklmnop' };
  writeFileSync(join(codex.codexHome, 'auth.json'), JSON.stringify(auth));
  const somebody = await diagnose(codex);
  expect(somebody['codex-login']).toEqual({ status: 'ok', message: 'logged in', hint: null });
  expect(JSON.stringify(somebody)).not.toContain('sk-');
  writeFileSync(join(codex.codexHome, 'auth.json'), '{');
  expect((await diagnose(codex))['codex-login']?.status).toBe('failed');
});

test.concurrent.for([
  ['is no TOML', 'model = [\n', /config\.toml:\d+:\d+/],
  ['names a provider that it does not define', 'model_provider = "nope"\n', /nope/],
  ['has an unknown value', 'sandbox_mode = "bogus"\n', /bogus/],
] as const)('a configuration that %s has failed, with what Codex says of it', async ([, text, why], t) => {
  const codex = await create(t.onTestFinished);
  writeFileSync(join(codex.codexHome, 'config.toml'), text);
  const found = await diagnose(codex);
  expect(found['codex-configuration']?.status).toBe('failed');
  expect(found['codex-configuration']?.message).toMatch(why);
  expect(found['codex-login']?.status).toBe('skipped');
  expect(found['codex-sandbox']?.status).not.toBe('failed');
});

// A Codex that believes itself to be root would leave a directory in /tmp that keeps root's own Codex from working.
const OWN_TMP = `mount -t tmpfs none /tmp && [ -d '${CODEX.directory}' ] && [ -d '${tmpdir()}' ]`;
const FORBID = `${OWN_TMP} && echo 0 > /proc/sys/user/max_user_namespaces`;
/** Whether this machine lets us make namespaces in which there may be none. */
const CAN_FORBID = spawnSync('unshare', ['-U', '-r', '-m', '/bin/sh', '-c', FORBID]).status === 0;
if (!CAN_FORBID) process.stderr.write('not run, as it needs user namespaces: Codex without its sandbox\n');

test.runIf(CAN_FORBID)(
  'where no namespaces may be made, the sandbox has failed, with its reason',
  async (t) => {
    const steps = [{ shell: 'true' }, { message: 'It did not run.' }];
    const codex = await createCodexProject(t.onTestFinished, { script: { steps } });
    const forbidding = join(codex.base, 'forbidding-codex');
    const inside = join(codex.base, 'inside');
    writeFileSync(inside, `#!/bin/sh\n${FORBID} && exec '${nativeCodex()}' "$@"\n`, { mode: 0o755 });
    writeFileSync(forbidding, `#!/bin/sh\nexec unshare -U -r -m '${inside}' "$@"\n`, { mode: 0o755 });
    const isOfOrdinaryUser = () => Boolean(lstatSync('/tmp/codex-daemon-0', { throwIfNoEntry: false })?.uid);
    const before = isOfOrdinaryUser();
    const options = { env: { ZWARM_CODEX_BIN: forbidding } };
    const found = await diagnose(codex, options);
    expect(found['codex-sandbox']).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/cannot build its sandbox here \(.+\): every command/),
      hint: expect.stringContaining('user namespaces'),
    });
    expect(found['codex-configuration']?.status).toBe('ok');
    expect(existsSync(join(codex.directory, '.codex'))).toBe(false);
    const { turns } = await codex.show(await codex.ended(['go'], options));
    const warning = expect.stringMatching(/^no command ran, .*\(bwrap: .+\): zwarm doctor/);
    expect(turns).toMatchObject([{ status: 'completed', warnings: [warning] }]);
    expect(isOfOrdinaryUser()).toBe(before);
  },
);

// Root gives it away. Anybody else can only show there what is not theirs.
const FOREIGN = `${OWN_TMP} && [ -e '${ZWARM}' ] && mkdir /tmp/codex-daemon-0 &&
  { chown 1 /tmp/codex-daemon-0 2> /dev/null || mount --rbind /usr /tmp/codex-daemon-0; }`;
const APART = IS_ROOT ? ['-m'] : ['-U', '-r', '-m'];
const CAN_SHOW_FOREIGN = spawnSync('unshare', [...APART, '/bin/sh', '-c', FOREIGN]).status === 0;
if (!CAN_SHOW_FOREIGN)
  process.stderr.write("not run, as it needs namespaces: another user's directory in Codex's way\n");

test.runIf(CAN_SHOW_FOREIGN)(
  "another user's directory in the way of the sandbox is named, and a turn in which no command ran warns of it",
  async (t) => {
    const steps = [{ shell: 'echo one' }, { shell: 'echo two' }, { message: 'Neither ran.' }];
    const codex = await createCodexProject(t.onTestFinished, { script: { steps } });
    const inside = join(codex.base, 'inside');
    const script = `#!/bin/sh
${FOREIGN} || exit
zwarm() { '${process.execPath}' '${ZWARM}' "$@" && printf '\\0'; }
zwarm start --wait go
zwarm show @last --json
zwarm show @last
zwarm doctor --json
`;
    writeFileSync(inside, script, { mode: 0o755 });
    const place = { cwd: codex.directory, env: codex.env };
    const { stdout } = await runProgram('unshare', [...APART, inside], place);
    const [answer, session = '', page, found = ''] = stdout.split('\0');
    expect(answer).toBe('Neither ran.\n');
    const [turn] = JSON.parse(session).turns;
    const warning = expect.stringMatching(/^no command ran, .*socket directory must be .*: zwarm doctor/);
    expect(turn).toMatchObject({ status: 'completed', warnings: [warning] });
    expect(page).toContain(`\n! ${turn.warnings[0]}\n`);
    expect(JSON.parse(found).checks.find(({ name }: Check) => name === 'codex-sandbox')).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/as \/tmp\/codex-daemon-0 belongs to another user \(uid [1-9]\d*\)/),
      hint: 'its owner or root must remove it: rm -r /tmp/codex-daemon-0',
    });
  },
);
