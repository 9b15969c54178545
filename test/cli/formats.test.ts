import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/registry.ts';
import { CHECK_STATUSES, type Check } from '../../src/core/check.ts';
import { EXIT_CODES } from '../../src/core/errors.ts';
import { SESSION_EVENTS } from '../../src/core/session-event.ts';
import { SESSION_STATUSES } from '../../src/core/status.ts';
import { TURN_FILES } from '../../src/store/layout.ts';
import { onScreen } from '../helpers/context.ts';
import { codeWords, fieldsOf, readPage, tableOf } from '../helpers/document.ts';
import { createPatient } from '../helpers/patient.ts';
import {
  createProject,
  eventually,
  type Project,
  processesWith,
  repositoryFile,
  SHELL_AGENT,
  stream,
} from '../helpers/project.ts';

// docs/formats.md is a promise: here it is compared with what zwarm really prints and writes.

const page = readPage('docs/formats.md');
const fields = (heading: string): string[] => fieldsOf(page, heading).sort();
const keys = (value: unknown): string[] => Object.keys(value as object).sort();

const session = fields('Session');

async function json(project: Project, args: readonly string[]) {
  return JSON.parse((await project.zwarm([...args, '--json'])).stdout);
}

test('every verb prints the fields that the page names', async () => {
  const project = createProject();
  const started = await json(project, ['start', 'first', '--wait']);
  const { id } = started;
  const injected = await json(project, ['inject', id, 'second', '--wait']);
  const [row] = await project.list();
  const [waited, unknown] = await json(project, ['wait', id, 'nosuchone']);
  expect(keys(started)).toEqual([...session, 'started'].sort());
  for (const one of [injected, row, waited]) expect(keys(one)).toEqual(session);
  expect(keys(row?.token_usage)).toEqual(fields('Token usage'));
  expect(unknown).toEqual({ id: 'nosuchone', error: expect.any(Object) });
  expect(keys(unknown.error)).toEqual(fields('Error'));

  const detail = await project.show(id);
  expect(keys(detail)).toEqual([...session, 'messages', 'turns'].sort());
  expect(keys(detail.turns[1])).toEqual(fields('Turn'));
  expect(keys(detail.messages[0])).toEqual(fields('Message'));

  expect(keys(await json(project, ['answer', id]))).toEqual(fields('Answer'));
  expect(keys((await json(project, ['search', 'first']))[0])).toEqual(fields('Hit'));
  const [event] = (await project.ok(['events'])).split('\n');
  expect(keys(JSON.parse(event ?? ''))).toEqual(fields('Event'));
  expect(fieldsOf(page, 'Events')).toEqual(SESSION_EVENTS);
  const changing = await project.ended(['run echo x > x'], { env: { ZWARM_CODEX_BIN: SHELL_AGENT } });
  const changes = await json(project, ['diff', changing]);
  expect(keys(changes)).toEqual(fields('Changes'));
  expect(changes.changed_files.map(keys)).toEqual([fields('Changed file')]);
  expect(keys(await json(project, ['undo', changing]))).toEqual(fields('Undone'));
  const undo = join(project.store(), 'sessions', changing, 'undos', '1.json');
  expect(keys(JSON.parse(readFileSync(undo, 'utf8')))).toEqual(fields('undos'));
  expect(keys(await json(project, ['digest']))).toEqual(fields('Digest'));
  expect(keys(await json(project, ['pack', id]))).toEqual(fields('Packed'));
  expect((await json(project, ['rm', 'nosuchone'])).map(keys)).toEqual([['error', 'id']]);
  expect((await json(project, ['rm', id])).map(keys)).toEqual([fields('Removal')]);
  const refused = await project.zwarm(['show', 'nosuchone', '--json']);
  expect(refused.stdout).toBe('');
  expect(keys(JSON.parse(refused.stderr).error)).toEqual(fields('Error'));
  const installed = await json(project, ['mcp', 'install', '--host', 'cursor', '--yes']);
  expect(keys(installed)).toEqual(fields('Installation'));
});

test('so do a session that failed or was killed, and what clean has removed and skipped', async () => {
  const project = createProject();
  const failing = { FAKE_AGENT_STREAM: undefined, FAKE_AGENT_EXIT: '3' };
  const failed = await project.zwarm(['start', 'fail', '--wait', '--json'], { env: failing });
  expect(keys(JSON.parse(failed.stdout).error)).toEqual(fields('Session error'));
  const id = await project.start(['stay'], { env: { FAKE_AGENT_HANG: '1' } });
  const cleaned = await json(project, ['clean', '--days', '0']);
  expect(keys(cleaned)).toEqual(fields('Clean'));
  expect(cleaned.skipped.map(keys)).toEqual([['id', 'old_enough', 'reason']]);
  expect((await json(project, ['kill', id])).map(keys)).toEqual([session]);
});

test('doctor makes the checks that the page names, with those fields', async () => {
  const patient = createPatient();
  patient.session('frmts2abcd');
  const { stdout } = await onScreen(patient, ['doctor', '--json']);
  const report = JSON.parse(stdout);
  expect(keys(report)).toEqual(fields('Doctor'));
  for (const check of report.checks) expect(keys(check), check.name).toEqual(fields('Check'));
  expect(report.checks.map(({ name }: Check) => name)).toEqual(fieldsOf(page, 'Checks'));
  expect(fieldsOf(page, 'Status of a check')).toEqual(CHECK_STATUSES);
});

test('every type of step has the fields that the page names, in a list and as lines', async () => {
  const project = createProject();
  const id = 'abcdefghjn';
  const names =
    'stream-cut-recovers sigint-during-command reasoning shell-failed file-change mcp todo-list unknown-model-warning http-400';
  for (const [i, name] of names.split(' ').entries()) {
    const argv = i === 0 ? ['start', 'go', '--wait'] : ['inject', id, 'go on', '--wait'];
    await onScreen(project, argv, { newId: id, env: { FAKE_AGENT_STREAM: stream(name) } });
  }
  const table = tableOf(page, 'Types of step');
  const types = new Map(table.map(([type = '', more = '']) => [codeWords(type)[0], codeWords(more)]));
  const row = (await onScreen(project, ['ls'])).stdout.split('\t');
  expect(row).toHaveLength(tableOf(page, 'Rows').length);
  const { stdout } = await onScreen(project, ['trajectory', id, '--json']);
  const steps: { type: string }[] = JSON.parse(stdout);
  for (const step of steps)
    expect(keys(step), step.type).toEqual([...fields('Step'), ...(types.get(step.type) ?? [])].sort());
  expect(new Set(steps.map(({ type }) => type))).toEqual(new Set(types.keys()));
  const lines = (await onScreen(project, ['logs', id, '--json', '-n', String(steps.length)])).stdout;
  expect(lines).toBe(steps.map((step) => `${JSON.stringify({ id, ...step })}\n`).join(''));
});

test('the files of a turn are those that the page names, with those fields', async () => {
  const project = createProject();
  const id = await project.ended(['first']);
  // A Codex that has lost its thread: the next turn is a replay.
  mkdirSync(join(project.base, 'home/.codex/sessions'), { recursive: true });
  await project.zwarm(['inject', id, 'second'], { env: { FAKE_AGENT_HANG: '1' } });
  await project.ok(['kill', id]);
  await project.settled(id, 2);

  const files = fieldsOf(page, 'Turn files').sort();
  expect(files).toEqual(Object.values(TURN_FILES).sort());
  // Of an agent that has its own sandbox, in a turn that did not wait.
  const usual = files.filter(
    (name) => !['socket-filter', 'environment', 'schema.json', 'deferral.json', 'setup.log'].includes(name),
  );
  expect(readdirSync(project.turnFile(id, 2, '.')).sort()).toEqual(usual);
  expect(readdirSync(project.turnFile(id, 1, '.')).sort()).toEqual(
    usual.filter((name) => name !== 'cancel.json' && name !== 'input.md'),
  );

  const directory = join(project.store(), 'sessions', id);
  expect(readdirSync(directory).sort()).toEqual(['session.json', 'snapshots.git', 'summary.json', 'turns']);
  for (const name of ['session.json', 'summary.json'])
    expect(keys(JSON.parse(readFileSync(join(directory, name), 'utf8'))), name).toEqual(fields(name));
  for (const name of usual.filter((file) => /\.(json|stat)$/.test(file))) {
    const record = JSON.parse(readFileSync(project.turnFile(id, 2, name), 'utf8'));
    const promised = fields(name).filter((field) => field !== 'lstart');
    if (process.platform !== 'linux') promised.splice(promised.indexOf('stat'), 1, 'lstart');
    expect(keys(record), name).toEqual(promised.sort());
    expect(record.v).toBe(1);
  }
});

test('the state directory holds what the page shows', async () => {
  const project = createProject();
  await project.ok(['start', 'a', '--wait']);
  const root = project.store();
  expect(readdirSync(root).sort()).toEqual([
    'format',
    'names',
    'project.json',
    'sessions',
    'trash',
    'writers',
  ]);
  expect(readFileSync(join(root, 'format'), 'utf8')).toBe('2\n');
  const record = JSON.parse(readFileSync(join(root, 'project.json'), 'utf8'));
  expect(keys(record)).toEqual(fields('project.json'));
});

test('exit codes, error codes and statuses are those of the page', () => {
  const promised = tableOf(page, 'Exit codes').flatMap(([code, , names = '']) =>
    codeWords(names).map((name) => [name, Number(code)]),
  );
  expect(Object.fromEntries(promised)).toEqual(EXIT_CODES);
  expect(fieldsOf(page, 'Status')).toEqual(SESSION_STATUSES);
});

test('every code that explains a failed session is on the page', () => {
  const ofAgents = AGENTS.map(({ name }) => `agents/${name}/explain`).filter((file) =>
    existsSync(repositoryFile(`src/${file}.ts`)),
  );
  const files = [...ofAgents, 'manager/turn/explain-failure', 'manager/session/session-state'];
  const sources = files.map((file) => readPage(`src/${file}.ts`));
  const codes = sources.flatMap((source) => [
    ...source.matchAll(/(?:code: |error\(\s*|case |\/i?,\s*)'([a-z_]+)'/g),
  ]);
  const known = `${page} \`not_run\` \`cancelled\``;
  expect(codes.filter(([, code]) => !known.includes(`\`${code}\``))).toEqual([]);
  expect(codes.length).toBeGreaterThan(20);
});

test('every environment variable that is read is on the page, and no other', () => {
  const read = readdirSync(repositoryFile('src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [
      ...readPage(`src/${path}`).matchAll(
        /(?:env\[|variable: |(?:env|place), |MARK_VARIABLE = )'([A-Z_]+)'/g,
      ),
    ])
    .map(([, name = '']) => name);
  const early = /const \{ (.*) \} = process\.env;/.exec(readPage('bin/compiled.js'))?.[1]?.split(', ') ?? [];
  expect(early).toContain('XDG_STATE_HOME');
  expect(fields('Read by zwarm')).toEqual([...new Set([...read, ...early])].sort());
});

test('every marker of an agent that no turn gets is on the page', () => {
  const said = page.slice(page.indexOf('### Given to agents'));
  for (const { markers } of AGENTS) for (const name of markers) expect(said).toContain(`\`${name}\``);
});

test('an agent is given the variables that the page names', async () => {
  const project = createProject();
  const id = await project.start(['stay'], { env: { FAKE_AGENT_HANG: '1' } });
  const run = await eventually('the agent runs', () => project.runs()[0]);
  // It may be becoming another program at this moment, which has no environment.
  await eventually('it is seen', () => processesWith(`ZWARM_SESSION_ID=${id}`).includes(run.pid));
  const environment = readFileSync(`/proc/${run.pid}/environ`, 'utf8').split('\0');
  const given = environment.flatMap((entry) => /^(ZWARM_\w+)=/.exec(entry)?.[1] ?? []);
  expect(given.filter((name) => !(name in project.env)).sort()).toEqual(fields('Given to agents'));
});
