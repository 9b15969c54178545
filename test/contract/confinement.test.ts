import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeAll, expect, type TestContext, test } from 'vitest';
import type { Step } from '../../src/core/conversation/steps.ts';
import { findConfiner } from '../../src/process/confine.ts';
import type { ModelStep } from '../helpers/anthropic-model.ts';
import { CLAUDE, createClaudeProject } from '../helpers/claude.ts';
import { createCodexProject, pathOfBwrap } from '../helpers/codex.ts';
import { isInstalled } from '../helpers/installed.ts';
import { call, createOpencodeProject, OPENCODE } from '../helpers/opencode.ts';
import { createProject, eventually, type Project, SHELL_AGENT, withoutConfiner } from '../helpers/project.ts';

// What an agent that has no sandbox can do while zwarm confines it by bwrap (here the one that Codex brings): a shell in
// the place of Claude Code does whatever its prompt says.

const BWRAP = pathOfBwrap();

beforeAll(async () => {
  if ((await findConfiner({ PATH: BWRAP }, '/nowhere')) !== null) return;
  throw new Error('bwrap does not work here, so that nothing can be tested about it');
});

/** A project, not below /tmp, whose Claude Code is a shell that runs a script: `run sh NAME`. */
function createConfined({ onTestFinished: finished }: TestContext) {
  const project = createProject('project', finished, '/var/tmp');
  const { base, directory, env } = project;
  Object.assign(env, {
    ZWARM_CLAUDE_BIN: SHELL_AGENT,
    FAKE_AGENT_LOG: undefined,
    PATH: `${BWRAP}:${process.env['PATH']}`,
    BASE: base,
    NODE: process.execPath,
  });
  const script = (name: string, text: string) => fs.writeFileSync(join(directory, name), text);
  const lines = (name: string): string[] =>
    fs.readFileSync(join(directory, name), 'utf8').trimEnd().split('\n');
  return {
    ...project,
    script,
    lines,
    /** Runs a script as a turn, to its end; the id of its session. The stream of the shell is not Claude Code's: it fails. */
    async ended(text: string, args: readonly string[] = []): Promise<string> {
      script('script', text);
      const words = ['start', '-a', 'claude', '-q', '--wait', ...args, 'run sh script'];
      const id = (await project.zwarm(words)).stdout.trim();
      await project.settled(id);
      return id;
    },
    /** The same; what it wrote to `told`. */
    async run(text: string): Promise<string[]> {
      await this.ended(text);
      return lines('told');
    },
    there: (name: string) => fs.existsSync(join(directory, name)),
  };
}

/** A socket of the host that counts who reaches it. */
async function hostSocket({ onTestFinished: finished }: TestContext, path: string) {
  let called = 0;
  const server = createServer(() => {
    called += 1;
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  finished(() => void server.close());
  return () => called;
}

const ATTEMPT = `
try() { if eval "$1" 2> /dev/null; then echo "$1: done"; else echo "$1: refused"; fi >> told; }
: > told
`;

test('an agent writes in its directory and for temporary files, and nowhere else', async (t) => {
  const project = createConfined(t);
  const { base, directory, there } = project;
  const home = join(base, 'home');
  fs.mkdirSync(join(directory, '.git/hooks'), { recursive: true });
  fs.mkdirSync(join(home, '.claude'));
  fs.writeFileSync(join(home, '.claude/settings.json'), '{}');
  fs.writeFileSync(join(home, '.claude/.credentials.json'), '{}');
  const attempts = `
    touch made
    touch /tmp/made
    touch $BASE/made
    touch ~/made
    touch .git/hooks/pre-commit
    mv .git elsewhere
    rm -rf .git
    mkdir -p .codex/x
    mkdir -p .claude/x
    mkdir -p .agents/x
    rmdir .codex
    echo x > ~/.claude/settings.json
    touch ~/.claude/new
    mkdir ~/.claude/hooks
    rm ~/.claude/.credentials.json
    echo x > ~/.claude/.credentials.json
    (cd ~/.claude/projects/* && touch made)
    (cd ~/.claude/projects/*/memory && touch made)
    (cd ~/.claude/projects/* && mv memory old)
    touch $ZWARM_STORE/made
    mount -o remount,rw /
    (read -r n < /proc/sys/vm/swappiness; echo $n > /proc/sys/vm/swappiness)
  `;
  const told = await project.run(`${ATTEMPT}${attempts.trim().replace(/^ *(.*)$/gm, "try '$1'")}`);
  expect(told.filter((line) => line.endsWith('done')).map((line) => line.replace(': done', ''))).toEqual([
    'touch made',
    'touch /tmp/made',
    'echo x > ~/.claude/.credentials.json',
    '(cd ~/.claude/projects/* && touch made)',
  ]);
  expect(told).toHaveLength(22);
  // What it was kept from making is not left behind, either.
  expect(['.codex', '.claude', '.agents', 'made'].map(there)).toEqual([false, false, false, true]);
  expect(fs.existsSync('/tmp/made')).toBe(false);
});

test('what it was asked stays as it was, also for who opens it by the open files of a process', async (t) => {
  const project = createConfined(t);
  const id = await project.ended('for file in /proc/[0-9]*/fd/0; do echo forged > $file; done; touch tried');
  expect(project.there('tried')).toBe(true);
  expect(fs.readFileSync(project.turnFile(id, 1, 'prompt.md'), 'utf8')).toBe('run sh script');
});

test('in read-only it writes nothing but temporary files', async (t) => {
  const project = createConfined(t);
  const script = 'touch made; touch .codex; touch /tmp/made && echo temporary >&2';
  const id = await project.ended(script, ['-s', 'read-only']);
  expect(project.there('made')).toBe(false);
  expect(fs.readFileSync(project.turnFile(id, 1, 'stderr.log'), 'utf8')).toMatch(
    /Read-only[\s\S]*temporary\n/,
  );
});

test('no socket of the host can be reached, by its path or without one', async (t) => {
  const project = createConfined(t);
  const addresses = [join(project.base, 'host.sock'), '\0zwarm-test-host'];
  const called = await Promise.all(addresses.map((address) => hostSocket(t, address)));
  const connect = `
    for (const address of ${JSON.stringify(addresses)})
      require('node:net').connect(address).on('connect', () => console.log('reached')).on('error', ({ code }) => console.log(code));
  `;
  expect(await project.run(`cat > /tmp/x.js <<'END'\n${connect}\nEND\n"$NODE" /tmp/x.js > told`)).toEqual([
    'EAFNOSUPPORT',
    'EAFNOSUPPORT',
  ]);
  expect(called.map((count) => count())).toEqual([0, 0]);
});

test('it sees no process but its own, and its own end with it', async (t) => {
  const project = createConfined(t);
  project.script('script', 'echo /proc/[0-9]* | wc -w > told; setsid sleep 86401 & touch ready; sleep 86401');
  const id = await project.ok(['start', '-a', 'claude', '-q', 'run sh script']);
  await eventually('it runs', () => project.there('ready'));
  expect(Number(project.lines('told')[0])).toBeLessThan(10);
  expect(project.marked(id).length).toBeGreaterThan(3);
  await project.ok(['kill', id, '--grace', '1s']);
  expect(project.marked(id)).toEqual([]);
  expect((await project.show(id)).status).toBe('killed');
  await project.settled(id);
  expect(['.codex', '.claude'].map(project.there)).toEqual([false, false]);
});

test('what one agent is kept from stays so while another one in the same directory ends', async (t) => {
  const project = createConfined(t);
  const { directory } = project;
  project.script(
    'long',
    'touch ready; until [ -e go ]; do sleep 0.01; done; mkdir .codex/x; mkdir .codex; echo $? > told',
  );
  const long = await project.ok(['start', '-a', 'claude', '-q', 'run sh long']);
  await eventually('it runs', () => project.there('ready'));
  await project.run('echo short > told');
  expect(project.there('.codex')).toBe(true);
  fs.writeFileSync(join(directory, 'go'), '');
  await project.zwarm(['wait', long]);
  await project.settled(long);
  expect(project.lines('told')).toEqual(['1']);
  expect(['.codex', '.claude', '.agents'].map(project.there)).toEqual([false, false, false]);
});

test('so it stays for one that begins while another one ends', async (t) => {
  const project = createConfined(t);
  project.script('script', 'mkdir .codex/x .codex 2> /dev/null && touch planted');
  const ids = await Promise.all(
    Array.from({ length: 12 }, () => project.ok(['start', '-a', 'claude', '-q', 'run sh script'])),
  );
  await project.zwarm(['wait', ...ids]);
  for (const id of ids) await project.settled(id);
  expect(['planted', '.codex', '.claude'].map(project.there)).toEqual([false, false, false]);
  expect(fs.readdirSync(join(project.state, 'mounts'))).toEqual([]);
});

test('a session that was confined does not go on without that; a new one says that it is unconfined', async (t) => {
  const project = createConfined(t);
  const id = await project.ended('true');
  expect(await project.show(id)).toMatchObject({ unconfined: false });
  withoutConfiner(project);
  expect(await project.$(`inject ${id} x`)).toMatch(
    /nothing here keeps claude within workspace-write any more[\s\S]*zwarm doctor\n\[exit 4\]/,
  );
  expect(await project.$('start -a claude quick')).toContain(
    'warning: nothing keeps claude within workspace-write',
  );
  expect((await project.list())[0]).toMatchObject({ unconfined: true });
});

test('where it could write zwarm’s own records, or a name that is kept is a link, nothing is run', async (t) => {
  const project = createConfined(t);
  const home = join(project.base, 'home');
  const atHome = await project.zwarm(['start', '-a', 'claude', '-C', home, 'x'], { cwd: home });
  expect(atHome).toMatchObject({ code: 5, stderr: expect.stringContaining('could write to zwarm') });
  fs.symlinkSync('elsewhere', join(project.directory, '.claude'));
  expect(await project.$('start -a claude x')).toMatch(/\.claude is a link[\s\S]*\[exit 4\]/);
});

/**
 * What the command of a real agent tries: a hook in the settings that it obeys at its next start, one of git, a record of
 * zwarm, and a host's socket. Its errors go where its output goes: opencode reads the two apart, and then their order is
 * chance.
 */
const plant = (settings: string, socket: string): string =>
  `sh -c 'exec 2>&1; for file in "${settings}" "\${ZWARM_STORE:?}/planted" .git/hooks/planted; do echo hooked > "$file" || echo kept; done; "$NODE" -e "require(\\"net\\").connect(\\"${socket}\\").on(\\"error\\", () => 0)"; echo tried'`;

/** What that says where all of it is refused. */
const REFUSED = /(kept[\s\S]*){3}tried/;

/** Which files of these are there after all. */
const planted = ({ store, directory }: Project, settings: string): readonly string[] =>
  [settings, join(store(), 'planted'), join(directory, '.git/hooks/planted')].filter(fs.existsSync);

/** The output of the first command of a session. */
async function outputOf(project: Pick<Project, 'ok'>, id: string): Promise<unknown> {
  const steps: Step[] = JSON.parse(await project.ok(['trajectory', id, '--json']));
  return steps.find(({ type }) => type === 'command');
}

test.runIf(isInstalled(CLAUDE))(
  'the real Claude Code plants no hook for its next start or of git, no record, and reaches no socket',
  async (t) => {
    const socket = join(fs.mkdtempSync(join('/var/tmp', 'zwarm-socket-')), 's');
    t.onTestFinished(() => fs.rmSync(dirname(socket), { recursive: true }));
    const steps: ModelStep[] = [{ text: 'on it' }, { text: 'done' }];
    const project = await createClaudeProject(t.onTestFinished, steps);
    const settings = join(project.claudeHome, 'settings.json');
    steps[0] = { tools: [['Bash', { command: plant(settings, socket) }]] };
    Object.assign(project.env, { PATH: `${BWRAP}:${process.env['PATH']}`, NODE: process.execPath });
    fs.mkdirSync(join(project.directory, '.git/hooks'), { recursive: true });
    const called = await hostSocket(t, socket);
    const id = await project.ended(['go']);
    expect(await project.show(id)).toMatchObject({ unconfined: false });
    expect(await outputOf(project, id)).toMatchObject({
      output: expect.stringMatching(REFUSED),
    });
    expect([planted(project, settings), called()]).toEqual([[], 0]);
  },
);

test.runIf(isInstalled(OPENCODE))('neither does the real opencode', async (t) => {
  const socket = join(fs.mkdtempSync(join('/var/tmp', 'zwarm-socket-')), 's');
  t.onTestFinished(() => fs.rmSync(dirname(socket), { recursive: true }));
  const command = plant('$XDG_CONFIG_HOME/opencode/opencode.json', socket);
  const project = await createOpencodeProject(t.onTestFinished, {
    go: [call('bash', { command, description: 'a command' }), { message: 'done' }],
  });
  Object.assign(project.env, { PATH: `${BWRAP}:${process.env['PATH']}`, NODE: process.execPath });
  fs.mkdirSync(join(project.directory, '.git/hooks'), { recursive: true });
  const called = await hostSocket(t, socket);
  const id = await project.ended(['[[go]]']);
  expect(await project.show(id)).toMatchObject({ unconfined: false });
  expect(await outputOf(project, id)).toMatchObject({
    output: expect.stringMatching(REFUSED),
  });
  const settings = join(project.home, 'config/opencode/opencode.json');
  expect([planted(project, settings), called()]).toEqual([[], 0]);
});

test('neither does the real Codex, in its own sandbox', async (t) => {
  const socket = join(fs.mkdtempSync(join('/var/tmp', 'zwarm-socket-')), 's');
  t.onTestFinished(() => fs.rmSync(dirname(socket), { recursive: true }));
  const script = { steps: [{ message: 'on it' }, { message: 'done' }] as object[] };
  const project = await createCodexProject(t.onTestFinished, {
    script: {
      scenarios: { go: [{ shell: plant('$CODEX_HOME/hooks.json', socket) }, { message: 'done' }] },
      ...script,
    },
  });
  project.env['NODE'] = process.execPath;
  const called = await hostSocket(t, socket);
  const id = await project.ended(['[[go]]']);
  expect(await outputOf(project, id)).toMatchObject({
    output: expect.stringMatching(REFUSED),
  });
  expect([planted(project, join(project.codexHome, 'hooks.json')), called()]).toEqual([[], 0]);
});
