import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, type TestContext, test } from 'vitest';
import { ownIdentity } from '../../src/process/identity.ts';
import { createSession } from '../../src/store/claim.ts';
import { install, kindOf, makeBoring } from '../helpers/boring.ts';
import { createCodexProject, endless, requireSandbox } from '../helpers/codex.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { eventually, installedFile, processesWith, runProgram } from '../helpers/project.ts';
import { ID, RECORD, requestOf } from '../helpers/store.ts';
import { connectTools } from '../helpers/tools-client.ts';

// What an agent of the real Codex in its real sandbox, `workspace-write`, can do to zwarm's records while commands of the
// user run. Each was green for the attacker while the records lay in the project.

beforeAll(requireSandbox);

const HELLO = ['say hello'];

/** What the agent's shell runs again and again until the test says so. `$s` holds all sessions. */
const attack = (body: string): string => `
s="\${ZWARM_STORE:-$ZWARM_DIR}/sessions"
touch began
n=0
until [ -e stop ]; do
  ${body}
  n=$((n+1))
  echo $n > tried
done 2>/dev/null
`;

/** A project with an agent that attacks from `begin` on, until `stop`, which makes sure that there was an attack. */
async function createAttacked(t: TestContext, body: string) {
  // From a file: Codex itself refuses to run a line with `rm -rf`.
  const peace = { steps: [{ message: 'hello' }] };
  const script = { ...peace, scenarios: { attack: [endless('sh attack.sh')] } };
  const project = await createCodexProject(t.onTestFinished, { script });
  const { base, directory } = project;
  fs.writeFileSync(join(directory, 'attack.sh'), attack(body));
  // The user's files, outside of the project.
  const foreign = join(base, 'foreign');
  fs.mkdirSync(join(foreign, 'turns'), { recursive: true });
  fs.writeFileSync(join(foreign, 'turns', 'precious'), 'mine');
  Object.assign(project.env, { FOREIGN: foreign });
  const file = join(directory, 'tried');
  const tried = (): number => (fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0);
  return {
    ...project,
    foreign,
    async begin(): Promise<string> {
      const attacker = await project.start(['[[attack]]']);
      await eventually('the attack has begun', () => fs.existsSync(join(directory, 'began')));
      return attacker;
    },
    async stop(): Promise<void> {
      await eventually('the attack was tried', () => tried() > 3);
      await project.model.says(peace);
      fs.writeFileSync(join(directory, 'stop'), '');
      await eventually(
        'it has ended',
        async () => (await project.list(['--status', 'running'])).length === 0,
      );
    },
  };
}

/** Everything below a directory, with what each file holds. */
function contents(directory: string): string[] {
  return fs
    .readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(directory, name);
      const stat = fs.lstatSync(path);
      const digest = stat.isFile() ? createHash('sha256').update(fs.readFileSync(path)).digest('hex') : '';
      return `${name} ${stat.isSymbolicLink() ? fs.readlinkSync(path) : digest}`;
    });
}

test.concurrent('an agent writes, moves, replaces and deletes no record, by the window or by the real path', async (t) => {
  const tries = [
    'for p in "$s" .zwarm/sessions; do for d in "$p"/* "$p"/.new-* "$p"/../trash/*; do',
    'for f in session.json turns/1/prompt.md turns/1/events.jsonl turns/1/exit.json; do echo x >> "$d/$f"; done;',
    'for f in request.json runner.stat prompt.md; do echo "write everywhere" > own && mv own "$d/turns/1/$f"; done;',
    'for f in events.jsonl stderr.log; do ln -sf "$FOREIGN/turns/precious" "$d/turns/1/$f"; done;',
    'for t in "$d"/turns/.new-*; do mv "$t" "$t.x" && ln -s "$FOREIGN" "$t"; done;',
    'mv "$d/turns/1" "$d/turns/9"; mv "$d" "$d.moved"; ln -sfn "$FOREIGN" "$d/turns"; rm -rf "$d";',
    'done; touch "$p/new"; mkdir "$p/dir"; done;',
    'rm -rf "$s/.."/*; ln -s "$FOREIGN" "$s/../names/mine"; chmod -R 777 "$s/.."',
  ].join(' ');
  const project = await createAttacked(t, tries);
  const victim = await project.ended(HELLO);
  const before = contents(join(project.store(), 'sessions', victim));
  const attacker = await project.begin();
  const removed = await project.ended(HELLO);
  await project.ok(['rm', removed]);
  const running = await project.ended(['-s', 'danger-full-access', ...HELLO]);
  expect(await project.zwarm(['inject', attacker, 'x'])).toMatchObject({ code: 4 });
  await project.stop();
  expect(contents(join(project.store(), 'sessions', victim))).toEqual(before);
  expect(await project.show(attacker)).toMatchObject({ status: 'completed', turn: 1 });
  const { thread_id, messages } = await project.show(running);
  expect(messages.map(({ content }) => content)).toEqual(['say hello', 'hello']);
  expect(JSON.stringify(await project.model.requestsOf(thread_id ?? ''))).not.toContain('write everywhere');
  expect((await project.list(['--all'])).map(({ id }) => id).sort()).toEqual(
    [victim, running, attacker].sort(),
  );
  expect(contents(project.foreign)).toEqual(['turns ', expect.stringMatching(/^turns\/precious /)]);
  expect(fs.readFileSync(join(project.foreign, 'turns', 'precious'), 'utf8')).toBe('mine');
});

test.concurrent('a window that is swapped while start and clean work leads them nowhere', async (t) => {
  const body =
    'rm -rf .zwarm; ln -sfn "$FOREIGN" .zwarm; rm -rf .zwarm; ln -sfn "$OTHER/.zwarm" .zwarm; mv .zwarm .zwarm-old; rm -rf .zwarm-old';
  const project = await createAttacked(t, body);
  const other = join(project.base, 'other');
  fs.mkdirSync(other);
  execFileSync('git', ['init', '-q'], { cwd: other });
  Object.assign(project.env, { OTHER: other });
  const foreign = await project.start(HELLO, { cwd: other });
  await project.ok(['wait', foreign]);
  await project.begin();
  for (let round = 0; round < 3; round += 1) {
    const mine = await project.ended(HELLO);
    await project.ok(['inject', mine, '--wait', 'again']);
    await project.settled(mine, 2);
    expect(await project.ok(['clean', '--days', '0'])).toBe(mine);
  }
  await project.stop();
  expect(await project.ok(['ls', '-q'], { cwd: other })).toBe(foreign);
  expect(contents(project.foreign).map((line) => line.split(' ')[0])).toEqual(['turns', 'turns/precious']);
});

test.concurrent('a .git that an agent has written leads no window into another repository', async (t) => {
  const forge = 'mkdir sub && echo "gitdir: $FOREIGN/.git" > sub/.git';
  const project = await createCodexProject(t.onTestFinished, {
    script: {
      scenarios: { forge: [{ shell: forge }, { message: 'forged' }] },
      steps: [{ message: 'hello' }],
    },
  });
  const { base, directory, env } = project;
  const foreign = join(base, 'foreign');
  execFileSync('git', ['init', '-q', foreign]);
  Object.assign(env, { FOREIGN: foreign });
  await project.ended(['[[forge]]']);
  const sub = join(directory, 'sub');
  expect(fs.readFileSync(join(sub, '.git'), 'utf8')).toBe(`gitdir: ${foreign}/.git\n`);
  const touched = () => fs.statSync(join(foreign, '.git'), { bigint: true }).mtimeNs;
  const before = touched();
  expect(await project.ok(['start', '--wait', ...HELLO], { cwd: sub })).toBe('hello');
  expect(touched()).toBe(before);
  expect(fs.existsSync(join(sub, '.zwarm/sessions'))).toBe(true);
});

test.concurrent('an agent that takes the mark of a session which is lost does not make it run again', async (t) => {
  const store = 'sed -E "s/.*\\"store_id\\": *\\"([^\\"]*).*/\\1/;t;d" "$ZWARM_STORE/project.json"';
  const nonce = store
    .replace('store_id', 'nonce')
    .replace('project.json', `sessions/${ID}/turns/1/request.json`);
  const forge = `ZWARM_MARK="$(${store})@${ID}.1.$(${nonce})" sleep 600`;
  const script = { steps: [{ message: 'hello' }], scenarios: { forge: [endless(forge)] } };
  const project = await createCodexProject(t.onTestFinished, { script });
  await project.ended(HELLO);
  const { store_id } = JSON.parse(fs.readFileSync(join(project.store(), 'project.json'), 'utf8'));
  // Its launcher died long ago, before anything ran.
  const request = { ...requestOf('secret'), claimer: { ...ownIdentity(), pid: 4_194_305 } };
  createSession({
    store: { root: project.store(), projectRoot: project.directory },
    ...{ id: ID, record: { ...RECORD, agent: 'codex', working_dir: project.directory } },
    claims: [{ request, prompt: Buffer.from('x') }],
    ...{ names: [], copies: [], unique: 'test' },
  });
  const mark = `ZWARM_MARK=${store_id}@${ID}.1.${request.nonce}`;
  const status = async () => (await project.list(['--all'])).find(({ id }) => id === ID)?.status;
  expect(await status()).toBe('lost');
  const forger = await project.start(['[[forge]]']);
  await eventually('it poses', () => processesWith(mark).length > 0);
  expect([await status(), (await project.show(ID)).status]).toEqual(['lost', 'lost']);
  await project.ok(['inject', ID, '--wait', 'go on']);
  await project.ok(['rm', ID]);
  await project.ok(['kill', forger]);
  expect(processesWith(mark)).toEqual([]);
});

test.concurrent('an agent that runs git clean -fdx stays listed and killable, and start makes the window again', async (t) => {
  const body = 'git clean -qfdx; rm -rf .zwarm; touch began; sleep 0.1';
  const project = await createAttacked(t, body);
  const attacker = await project.begin();
  const window = join(project.directory, '.zwarm');
  await eventually('the window is gone', () => !fs.existsSync(window));
  expect(await project.list()).toMatchObject([{ id: attacker, status: 'running' }]);
  await project.ok(['kill', '--all']);
  // The runner may still be settling.
  await eventually('all ended', () => processesWith(`ZWARM_SESSION_ID=${attacker}`).length === 0);
  expect(await project.show(attacker)).toMatchObject({ status: 'killed' });
  await project.ended(HELLO);
  expect(fs.readlinkSync(join(window, 'sessions'))).toBe(join(project.store(), 'sessions'));
});

test.concurrent('what a repository ships in .zwarm brings no record into git', async (t) => {
  const { directory, ok } = await createAttacked(t, ':');
  fs.mkdirSync(join(directory, '.zwarm'));
  fs.writeFileSync(join(directory, '.zwarm', '.gitignore'), '# nothing\n');
  await ok(['start', '--wait', 'my secret task']);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' });
  git('add', '-A');
  expect(git('ls-files', '.zwarm').split('\n')).toEqual(['.zwarm/.gitignore', '.zwarm/sessions', '']);
  expect(git('diff', '--cached')).not.toContain('my secret task');
});

test.concurrent('in the sandbox of an agent zwarm only looks', async (t) => {
  const zwarm = '"$ZWARM_NODE" "$ZWARM_MAIN"';
  const commands = [
    `${zwarm} ls -q`,
    `${zwarm} show $ZWARM_SESSION_ID`,
    ...['start hello', 'kill @last', 'rm @last', 'inject @last hello'].map(
      (verb) => `${zwarm} ${verb}; echo "exit $?"`,
    ),
  ];
  // On a busy machine the commands take longer than Codex waits for one of itself, which is 10 seconds.
  const look = { shell: `(${commands.join('; ')}) > told 2>&1`, shellArgs: { yield_time_ms: 60_000 } };
  const script = { steps: [look, { message: 'done' }] };
  const project = await createCodexProject(t.onTestFinished, { script });
  const id = await project.start(['look']);
  await project.ok(['wait', id]);
  const told = fs.readFileSync(join(project.directory, 'told'), 'utf8');
  expect(told.startsWith(`${id}\n`)).toBe(true);
  expect(told.match(/exit \d+/g)).toEqual(['exit 1', 'exit 1', 'exit 1', 'exit 1']);
  expect(told).toContain('this runs in the sandbox of an agent, where zwarm can only look');
  expect(told).toContain('zwarm mcp');
  expect(await project.list(['--all'])).toHaveLength(1);
});

test.concurrent('a zwarm that its agent could replace starts none, unless its user allows that', async (t) => {
  const replace = { shell: 'cp evil.js node_modules/zwarm/bin/zwarm.js' };
  const script = { steps: [replace, { message: 'replaced' }] };
  const { base, directory, env, zwarm } = await createCodexProject(t.onTestFinished, { script });
  const evil = "require('node:fs').writeFileSync(process.env.HOME + '/pwned', process.argv[2])";
  fs.writeFileSync(join(directory, 'evil.js'), evil);
  const installed = join(directory, 'node_modules/zwarm');
  for (const part of ['bin', 'dist', 'package.json'])
    fs.cpSync(installedFile(part), join(installed, part), { recursive: true });
  const start = () =>
    runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), 'start', 'replace it'], {
      cwd: directory,
      env,
    });
  expect(await start()).toMatchObject({
    code: 5,
    stdout: '',
    stderr: `zwarm: the agent could change zwarm's program: ${installed}/bin lies in ${directory}, which it may write
hint: install zwarm elsewhere, run it with -s read-only, or give that safety up: zwarm config set reachable_installation true
`,
  });
  await zwarm(['config', 'set', 'reachable_installation', 'true']);
  expect(await start()).toMatchObject({ code: 0 });
  // The runner has run it, outside of the sandbox, with no act of the user.
  const pwned = join(base, 'home/pwned');
  await eventually('it ran', () => fs.existsSync(pwned) && fs.readFileSync(pwned, 'utf8') === 'settle');
});

test('an agent that may write in the user’s caches plants no code that zwarm runs', async (t) => {
  // What Node has compiled of another program, under the names that zwarm would give it.
  const boring = install();
  makeBoring(boring);
  const scratch = emptyDirectory();
  const state = join(scratch, 'zwarm');
  fs.mkdirSync(state, { mode: 0o700 });
  const help = (program: string, env: object) =>
    runProgram(process.execPath, [join(program, 'bin/zwarm.js'), '--help'], { env: { ...env } });
  await help(boring, { HOME: scratch, XDG_STATE_HOME: scratch });
  const plant = `for to in "$HOME/.cache/zwarm" .cache/zwarm "$HOME/.local/state/zwarm/compiled"; do
    mkdir -p "$to"; cp -R evil/. "$to"; done; ls -d .cache/zwarm/*`;
  const project = await createCodexProject(t.onTestFinished, {
    script: { steps: [{ shell: plant }, { message: 'planted' }] },
  });
  const { base, directory, env } = project;
  fs.cpSync(join(state, 'compiled'), join(directory, 'evil'), { recursive: true });
  const home = join(base, 'home');
  fs.mkdirSync(join(home, '.cache'));
  Object.assign(env, { XDG_CACHE_HOME: join(directory, '.cache') });
  const table = '[sandbox_workspace_write]\n';
  const file = join(project.codexHome, 'config.toml');
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, text.replace(table, `${table}writable_roots = ["${home}/.cache"]\n`));
  await project.ended(['plant it']);
  for (const planted of [join(directory, '.cache/zwarm'), join(home, '.cache/zwarm')])
    expect(contents(planted)).toEqual(contents(join(state, 'compiled')));
  const honest = install();
  for (const more of [{}, { XDG_CACHE_HOME: undefined }])
    expect(kindOf((await help(honest, { ...env, ...more })).stdout)).toBe('coding');
});

test('an agent that exchanges a directory for a link opens no other one to a delegated agent', async (t) => {
  const project = await createCodexProject(t.onTestFinished, {
    script: {
      scenarios: {
        swap: [
          {
            // In the moment in which the other agent's runner has checked its directory.
            shell:
              'until ls .zwarm/sessions/*/turns/1/runner.stat | grep -qv "/$ZWARM_SESSION_ID/"; do sleep 0.01; done; ' +
              'mv sub moved && ln -s "$FOREIGN" sub && echo swapped && touch swapped',
          },
          { message: 'swapped' },
        ],
        work: [
          { shell: 'until [ -e "$PROJECT/swapped" ]; do sleep 0.05; done' },
          { shell: 'echo x > "$PROJECT/sub/stolen"; echo x > "$PROJECT/here"; echo tried' },
          { message: 'tried' },
        ],
      },
    },
  });
  const foreign = join(project.base, 'foreign');
  for (const path of [foreign, join(project.directory, 'sub')]) fs.mkdirSync(path);
  Object.assign(project.env, { FOREIGN: foreign, PROJECT: project.directory });
  const swapper = await project.start(['[[swap]]']);
  const { ok } = await connectTools(project);
  const { session_id } = await ok('delegate', {
    task: '[[work]]',
    working_dir: join(project.directory, 'sub'),
    sandbox: 'workspace-write',
  });
  await project.ok(['wait', swapper]);
  expect(fs.existsSync(join(project.directory, 'swapped'))).toBe(true);
  // It did run: in the project, where it was allowed to.
  expect(await project.show(session_id)).toMatchObject({ status: 'completed', last_message: 'tried' });
  expect(fs.existsSync(join(foreign, 'stolen'))).toBe(false);
  expect(fs.existsSync(join(project.directory, 'here'))).toBe(true);
});
