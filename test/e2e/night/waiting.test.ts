import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { place } from '../../helpers/config.ts';
import { onScreen } from '../../helpers/context.ts';
import {
  createProject,
  createShellProject,
  eventually,
  type Project,
  processesWith,
  watchesFiles,
} from '../../helpers/project.ts';

test('--timeout ends a waiting although memory is collected meanwhile', async () => {
  const project = createProject();
  const id = await project.start(['-a', 'demo', 'x [[hang]]']);
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(runInNewContext('gc'), 20);
  onTestFinished(() => clearInterval(collecting));
  expect(await onScreen(project, ['wait', id, '--timeout', '2s'])).toMatchObject({ code: 124, stdout: '' });
});

test.each(['30d', '9999d'])('--timeout %s waits, though no timer of Node is that long', async (time) => {
  const project = createProject();
  const gate = join(project.base, 'gate');
  const id = await project.start(['x'], { env: { FAKE_AGENT_GATE: gate } });
  const waiting = onScreen(project, ['wait', id, '--timeout', time]);
  expect(await project.list(['--status', 'running'])).toHaveLength(1);
  writeFileSync(gate, '');
  expect(await waiting).toEqual({ code: 0, stdout: `${id} completed\n`, stderr: '' });
});

test('many sessions are waited for at once, and nothing is said but how they ended', async () => {
  const project = createShellProject();
  const gate = join(project.base, 'gate');
  const ids: string[] = [];
  for (let i = 0; i < 12; i += 1) ids.push(await project.start(['-q', `gate ${gate}`]));
  const waiting = project.asProcess(['wait', ...ids]);
  const ofProject = () => processesWith(`HOME=${project.base}/home`);
  await eventually('it waits for all', () => ofProject().some((pid) => watchesFiles(pid, ids.length)));
  writeFileSync(gate, '');
  const { code, stdout, stderr } = await waiting;
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n').sort()).toEqual(ids.map((id) => `${id} completed`).sort());
});

test('a verb that starts a turn says how it ended, or that it started', async () => {
  const project = createShellProject();
  const $ = (argv: string[], options = {}) => onScreen(project, argv, options);
  const silent = await $(['start', '--wait', `run echo '{"type":"turn.completed"}'; exit 0`]);
  expect(silent).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(/ completed without an answer; /),
  });
  expect(await project.$('start --wait -q quick')).toMatch(/^\w{10}\n$/);
  const killed = $(['start', '--wait', 'hang']);
  const [session] = await eventually('it runs', async () => {
    const rows = await project.list(['--status', 'running']);
    return rows.length > 0 && rows;
  });
  const id = session?.id ?? '';
  await project.ok(['kill', id]);
  const { code, stderr } = await killed;
  expect({ code, stderr }).toEqual({ code: 1, stderr: `zwarm: ${id} killed\n` });
  const json = await $(['inject', id, '--json', 'hang']);
  expect(JSON.parse(json.stdout)).toMatchObject({ id, turn: 2 });
  await project.ok(['kill', id]);
  const started = await $(['inject', id, 'hang'], { tty: true });
  expect(started.stderr).toContain(`turn 3 started; see: zwarm show ${id}`);
});

const [A, B, C] = ['waaaaaaaaa', 'wbbbbbbbbb', 'wccccccccc'] as const;
const now = Date.parse('2030-01-01T00:00:00Z');

/** A project with a session that has failed and one that hangs. */
async function createFailing() {
  const project = createShellProject();
  await project.zwarm(['start', '--wait', '--tag', 'ci', 'exit 3'], { newId: A, now });
  await project.ok(['start', '--tag', 'ci', 'hang'], { newId: B, now });
  return project;
}

/** The task of an agent that answers with this text. */
function saying({ directory }: Project, text: string): string {
  const answer = { type: 'item.completed', item: { id: '1', type: 'agent_message', text } };
  const lines = [answer, { type: 'turn.completed' }].map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(join(directory, 'said.jsonl'), lines.join(''));
  return 'run cat said.jsonl; exit 0';
}

test('--fail-fast ends a waiting when a session has not completed; the others run on', async () => {
  const { $, show } = await createFailing();
  expect(await $('wait --fail-fast --tag ci')).toMatchInlineSnapshot(`
    "waaaaaaaaa failed
    zwarm: wbbbbbbbbb still runs
    [exit 1]
    "
  `);
  expect(await $(`wait --fail-fast ${B} nosuchone`)).toMatchInlineSnapshot(`
    "zwarm: wbbbbbbbbb still runs
    zwarm: no session nosuchone
    hint: see: zwarm ls --all
    [exit 3]
    "
  `);
  expect(await show(B)).toMatchObject({ status: 'running' });
});

test('--kill-on-exit kills what is not at rest, however the waiting ends, and takes back what waits', async () => {
  const { $, ok, show } = await createFailing();
  await ok(['start', '--after', B, 'quick'], { newId: C });
  expect(await $(`wait --fail-fast --kill-on-exit --json ${A} ${B} ${C}`)).toMatch(/"status": "killed"/);
  for (const id of [B, C]) expect(await show(id)).toMatchObject({ status: 'killed' });
  expect(await $('queue')).toBe('');
});

test.each([
  ['--timeout 1s', 124],
  ['--any', 1],
])('with %s it kills the rest, and the exit code is as without', async (option, code) => {
  const { zwarm, show } = await createFailing();
  const ids = option === '--any' ? [A, B] : [B];
  const ended = await zwarm(['wait', '--kill-on-exit', ...option.split(' '), ...ids]);
  expect(ended).toMatchObject({ code, stderr: `zwarm: ${B} killed\n` });
  expect(await show(B)).toMatchObject({ status: 'killed' });
});

test('what waits for its turn is taken back first, so that nothing begins to be killed', async () => {
  const project = createShellProject();
  place(join(project.base, 'home/.config/zwarm/config.toml'), 'max_running = 1\n');
  await project.ok(['start', 'hang'], { newId: A });
  await project.ok(['start', '--queue', 'quick'], { newId: B });
  const { code, stderr } = await project.zwarm(['wait', '--kill-on-exit', '--timeout', '0.2', A, B]);
  expect({ code, stderr }).toEqual({ code: 124, stderr: `zwarm: ${B} killed\nzwarm: ${A} killed\n` });
  expect(project.runs()).toHaveLength(1);
});

test('--summary md is a page of Markdown in which nothing of an agent is markup', async () => {
  const project = await createFailing();
  const said = 'a | b\n\n</pre></details><script>x</script>\n```\n';
  await project.ok(['start', '--wait', '--name', 'odd', saying(project, said)], { newId: C, now });
  const { code, stdout, stderr } = await project.zwarm([
    'wait',
    '--fail-fast',
    '--summary',
    'md',
    A,
    B,
    'odd',
    'nosuchone',
  ]);
  expect({ code, stderr }).toMatchInlineSnapshot(`
    {
      "code": 3,
      "stderr": "waaaaaaaaa failed
    wccccccccc completed
    zwarm: wbbbbbbbbb still runs
    zwarm: no session nosuchone
    hint: see: zwarm ls --all
    ",
    }
  `);
  expect(stdout.replace(/\| \d\.\ds \|/g, '| 0.1s |')).toMatchInlineSnapshot(`
    "| Session | Status | Time | Tokens | Cost |
    | --- | --- | --- | --- | --- |
    | waaaaaaaaa | failed | 0.1s | - | - |
    | wbbbbbbbbb | running | - | - | - |
    | odd | completed | 0.1s | - | - |

    <details open>
    <summary>waaaaaaaaa: exit 3 (failed)</summary>

    <pre>the agent ended with exit code 3
    hint: see what it did: zwarm show waaaaaaaaa --full</pre>

    </details>

    <details>
    <summary>odd: run cat said.jsonl; exit 0 (completed)</summary>

    <pre>a | b

    &lt;/pre&gt;&lt;/details&gt;&lt;script&gt;x&lt;/script&gt;
    \`\`\`</pre>

    </details>

    <pre>nosuchone: no session nosuchone</pre>
    "
  `);
  expect(await project.$('wait --summary pdf x')).toMatchInlineSnapshot(`
    "zwarm: unknown format "pdf"
    hint: choose one of: md
    [exit 2]
    "
  `);
});

test('a long answer is cut on that page, which says where all of it is', async () => {
  const project = createShellProject();
  await project.ok(['start', saying(project, 'x'.repeat(200_000))], { newId: C });
  const page = await project.ok(['wait', '--summary', 'md', C]);
  expect(page.length).toBeLessThan(160_000);
  expect(page).toContain(`All of it: \`zwarm answer ${C}\``);
});

test('a terminal rings when a waiting took over a minute, unless Ctrl-C ended it; nothing else does', async () => {
  const project = createShellProject();
  const BELL = '\u0007';
  /** What stderr shows of a command during which so much time passes, and then perhaps Ctrl-C comes. */
  const shown = async (line: string, ms: number, { tty = true, stop = false } = {}) => {
    let clock = Date.now();
    const ctrlC = new AbortController();
    const shows = { tty, interrupt: ctrlC.signal, env: { NO_COLOR: '1' }, now: () => clock };
    const onStderr = (): void => {
      if (clock > Date.now() + ms / 2) return;
      clock += ms;
      if (stop) ctrlC.abort();
    };
    // A pipe shows nothing by which one could tell that it waits.
    if (!tty) onStderr();
    const { stderr } = await onScreen(project, line.split(' '), { ...shows, onStderr });
    return stderr;
  };
  const id = await project.start(['-q', '--name', 'one', 'nap 1']);
  expect(await shown(`wait ${id}`, 61_000)).toContain(`${BELL}\u001b]9;zwarm: ${id} completed${BELL}`);
  expect(await shown(`inject ${id} --wait nap_1`, 61_000)).toContain(`zwarm: ${id} completed${BELL}`);
  expect(await shown(`inject ${id} --wait nap_1`, 59_000)).not.toContain(BELL);
  expect(await shown(`inject ${id} --wait nap_1`, 61_000, { tty: false })).not.toContain(BELL);
  const stopped = await shown(`inject ${id} --wait hang`, 61_000, { stop: true });
  expect(stopped).toContain('still runs');
  expect(stopped).not.toContain(BELL);
});
