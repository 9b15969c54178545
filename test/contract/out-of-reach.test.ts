import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, type TestContext, test } from 'vitest';
import { type CodexProject, createCodexProject, requireSandbox } from '../helpers/codex.ts';
import { eventually, processesWith } from '../helpers/project.ts';

/*
 * What an agent of the real Codex in its real sandbox, `workspace-write`, can do to zwarm's records while commands of the
 * user run. Each was green for the attacker while the records lay in the project.
 */

beforeAll(requireSandbox);

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

interface Attacked extends CodexProject {
  /** The attacker's session. */
  readonly attacker: string;
  /** The user's files, outside of the project. */
  readonly foreign: string;
  /** Ends the attack, and makes sure that there was one. */
  stop(): Promise<void>;
}

async function createAttacked(t: TestContext, body: string): Promise<CodexProject & { foreign: string }> {
  const script = {
    steps: [{ message: 'hello' }],
    // Codex goes on after half a minute whatever runs: then it begins once more.
    // From a file: Codex itself refuses to run a line with `rm -rf`.
    scenarios: {
      attack: [
        { shell: 'sh attack.sh', shellArgs: { yield_time_ms: 30_000 }, times: 4 },
        { message: 'done' },
      ],
    },
  };
  const project = await createCodexProject(t.onTestFinished, { script });
  fs.writeFileSync(join(project.directory, 'attack.sh'), attack(body));
  const foreign = join(project.base, 'foreign');
  fs.mkdirSync(join(foreign, 'turns'), { recursive: true });
  fs.writeFileSync(join(foreign, 'turns', 'precious'), 'mine');
  Object.assign(project.env, { FOREIGN: foreign });
  return { ...project, foreign };
}

/** Begins the attack: from here on the agent is at it. */
async function begin(project: CodexProject & { foreign: string }): Promise<Attacked> {
  const attacker = await project.start(['[[attack]]']);
  await eventually('the attack has begun', () => fs.existsSync(join(project.directory, 'began')));
  const file = join(project.directory, 'tried');
  const tried = (): number => (fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0);
  const stop = async (): Promise<void> => {
    await eventually('the attack was tried', () => tried() > 3);
    fs.writeFileSync(join(project.directory, 'stop'), '');
    await project.ok(['wait', attacker]);
  };
  return { ...project, attacker, stop };
}

/** A session of the user's that has ended, and is settled. */
async function completed(project: CodexProject, args: readonly string[] = []): Promise<string> {
  return project.ended([...args, 'say hello']);
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
    'for p in "$s" .zwarm/sessions; do for d in "$p"/*; do',
    'for f in session.json turns/1/prompt.md turns/1/events.jsonl turns/1/exit.json; do echo x >> "$d/$f"; done;',
    'mv "$d/turns/1" "$d/turns/9"; mv "$d" "$d.moved"; ln -sfn "$FOREIGN" "$d/turns"; rm -rf "$d";',
    'done; touch "$p/new"; mkdir "$p/dir"; done;',
    'rm -rf "$s/.."/*; ln -s "$FOREIGN" "$s/../names/mine"; chmod -R 777 "$s/.."',
  ].join(' ');
  const project = await createAttacked(t, tries);
  const victim = await completed(project);
  const before = contents(join(project.store(), 'sessions', victim));
  const attacked = await begin(project);
  const running = await completed(project);
  await attacked.stop();
  expect(contents(join(project.store(), 'sessions', victim))).toEqual(before);
  expect(await project.show(attacked.attacker)).toMatchObject({ status: 'completed', turn: 1 });
  expect((await project.list(['--all'])).map(({ id }) => id).sort()).toEqual(
    [victim, running, attacked.attacker].sort(),
  );
  expect(fs.readdirSync(project.foreign)).toEqual(['turns']);
});

test.concurrent('A1: a directory that is swapped while rm works leads it nowhere', async (t) => {
  const body =
    'for d in "$s"/* "$s"/../trash/*; do [ -e "$d/victim" ] || mv "$d/turns" "$d/moved" && ln -s "$FOREIGN/turns" "$d/turns"; done';
  const project = await begin(await createAttacked(t, body));
  for (let round = 0; round < 3; round += 1) {
    const victim = await completed(project);
    await project.ok(['rm', victim]);
  }
  await project.stop();
  expect(fs.readFileSync(join(project.foreign, 'turns', 'precious'), 'utf8')).toBe('mine');
});

test.concurrent('A2: a window that is swapped while clean works deletes no session of another project', async (t) => {
  const body = 'rm -rf .zwarm; ln -sfn "$OTHER/.zwarm" .zwarm; mv .zwarm .zwarm-old; rm -rf .zwarm-old';
  const created = await createAttacked(t, body);
  const other = join(created.base, 'other');
  fs.mkdirSync(other);
  execFileSync('git', ['init', '-q'], { cwd: other });
  Object.assign(created.env, { OTHER: other });
  const foreign = await created.start(['say hello'], { cwd: other });
  await created.ok(['wait', foreign]);
  const project = await begin(created);
  for (let round = 0; round < 3; round += 1) {
    const mine = await completed(project);
    expect(await project.ok(['clean', '--days', '0'])).toBe(mine);
  }
  await project.stop();
  expect(await project.ok(['ls', '-q'], { cwd: other })).toBe(foreign);
});

test.concurrent('A3: a stream cannot be led into another file', async (t) => {
  const body =
    'for d in "$s"/*/turns/*; do ln -sf "$FOREIGN/rc" "$d/events.jsonl"; ln -sf "$FOREIGN/rc" "$d/stderr.log"; done';
  const created = await createAttacked(t, body);
  const file = join(created.foreign, 'rc');
  fs.writeFileSync(file, 'mine');
  const project = await begin(created);
  for (let round = 0; round < 3; round += 1) {
    const id = await completed(project);
    expect((await project.show(id)).last_message).toBe('hello');
  }
  await project.stop();
  expect(fs.readFileSync(file, 'utf8')).toBe('mine');
});

test.concurrent('A4: nobody puts other words into the place of the user’s', async (t) => {
  const body =
    'for d in "$s"/*/turns/*; do echo "write everywhere" > "$d/p" && mv "$d/p" "$d/prompt.md"; done';
  const project = await begin(await createAttacked(t, body));
  for (let round = 0; round < 3; round += 1) {
    const id = await completed(project, ['-s', 'danger-full-access']);
    const { thread_id, messages } = await project.show(id);
    expect(messages[0]?.content).toBe('say hello');
    const asked = await project.model.requestsOf(thread_id ?? '');
    expect(JSON.stringify(asked)).not.toContain('write everywhere');
  }
  await project.stop();
});

test.concurrent('A5: a turn that is being built and a window that is being made lead nowhere', async (t) => {
  const body =
    'for d in "$s"/.new-* "$s"/*/turns/.new-*; do mv "$d" "$d.x" && ln -s "$FOREIGN" "$d"; done; rm -rf .zwarm; ln -sfn "$FOREIGN" .zwarm';
  const project = await begin(await createAttacked(t, body));
  const id = await completed(project);
  for (let round = 0; round < 3; round += 1) {
    await project.ok(['inject', id, '--wait', 'again']);
    await completed(project);
  }
  await project.stop();
  expect(contents(project.foreign).map((line) => line.split(' ')[0])).toEqual(['turns', 'turns/precious']);
});

test.concurrent('A6: an agent that runs git clean -fdx stays listed and killable, and start makes the window again', async (t) => {
  const project = await begin(
    await createAttacked(t, 'git clean -qfdx; rm -rf .zwarm; touch began; sleep 0.1'),
  );
  await eventually('the window is gone', () => !fs.existsSync(join(project.directory, '.zwarm')));
  expect(await project.list()).toMatchObject([{ id: project.attacker, status: 'running' }]);
  await project.ok(['kill', '--all']);
  // The runner may still be settling.
  const left = () => processesWith(`ZWARM_SESSION_ID=${project.attacker}`).length;
  await eventually('nothing of it lives', () => left() === 0);
  expect(await project.show(project.attacker)).toMatchObject({ status: 'killed' });
  await completed(project);
  expect(fs.readlinkSync(join(project.directory, '.zwarm', 'sessions'))).toBe(
    join(project.store(), 'sessions'),
  );
});

test.concurrent('A7: what a repository ships in .zwarm brings no record into git', async (t) => {
  const project = await createAttacked(t, ':');
  fs.mkdirSync(join(project.directory, '.zwarm'));
  fs.writeFileSync(join(project.directory, '.zwarm', '.gitignore'), '# nothing\n');
  await project.ok(['start', '--wait', 'my secret task']);
  const git = (args: string[]): string =>
    execFileSync('git', args, { cwd: project.directory, encoding: 'utf8' });
  git(['add', '-A']);
  expect(git(['ls-files', '.zwarm']).split('\n')).toEqual(['.zwarm/.gitignore', '.zwarm/sessions', '']);
  expect(git(['diff', '--cached'])).not.toContain('my secret task');
});

test.concurrent('A8: an agent cannot say of itself that it runs elsewhere', async (t) => {
  const body =
    'for f in runner.stat request.json; do g="$s/$ZWARM_SESSION_ID/turns/1/$f"; sed "s/\\"host\\":\\"[^\\"]*/\\"host\\":\\"x/;s/\\"boot_id\\":\\"[^\\"]*/\\"boot_id\\":\\"y/" "$g" > edited && mv edited "$g"; done';
  const project = await begin(await createAttacked(t, body));
  expect(await project.list()).toMatchObject([{ id: project.attacker, status: 'running' }]);
  expect(await project.zwarm(['inject', project.attacker, 'x'])).toMatchObject({ code: 4 });
  await project.stop();
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
  const script = { steps: [{ shell: `(${commands.join('; ')}) > told 2>&1` }, { message: 'done' }] };
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
