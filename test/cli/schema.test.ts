import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, repositoryFile } from '../helpers/project.ts';

const SCHEMA = '{\n  "type": "object", "properties": {"ok": {"type": "boolean"}}\n}\n';
const COMPACT = '{"type":"object","properties":{"ok":{"type":"boolean"}}}';

/** A project with files beside each other: a schema, and what is none. */
function createWithFiles() {
  const project = createProject();
  const files = { 'schema.json': SCHEMA, list: '[]', text: 'no', long: `{"a":"${'x'.repeat(40_000)}"}` };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project.directory, name), text);
  return project;
}

/** What follows an option in the arguments of each run of an agent. */
const given = (project: ReturnType<typeof createProject>, option: string) =>
  project.runs().map(({ argv }) => (argv.includes(option) ? argv[argv.indexOf(option) + 1] : null));

test('Codex is given the schema on every turn, as it was at the start, but for a summary', async () => {
  const project = createWithFiles();
  const id = await project.ended(['--schema', 'schema.json', 'first']);
  rmSync(join(project.directory, 'schema.json'));
  await project.ok(['inject', id, '--wait', 'second']);
  await project.ok(['compact', id, '--wait']);
  const fork = JSON.parse(await project.ok(['fork', id, '--turn', '1', '--wait', '--json', 'go on'])).id;
  const paths = [project.turnFile(id, 1, 'schema.json'), project.turnFile(id, 2, 'schema.json')];
  expect(given(project, '--output-schema')).toEqual([
    ...paths,
    null,
    project.turnFile(fork, 2, 'schema.json'),
  ]);
  for (const path of paths) expect(readFileSync(path, 'utf8')).toBe(COMPACT);
});

test('Claude Code is given its text, and answers in its result', async () => {
  const project = createWithFiles();
  const { base, env } = project;
  const stream = readFileSync(repositoryFile('fixtures/streams/claude-2.1.328/text.jsonl'), 'utf8');
  const structured = stream.replace(
    /"result":"[^"]*"/,
    '"result":"{\\"ok\\":true}","structured_output":{"ok":true}',
  );
  expect(structured).not.toBe(stream);
  writeFileSync(join(base, 'structured.jsonl'), structured);
  Object.assign(env, {
    ZWARM_CLAUDE_BIN: env['ZWARM_CODEX_BIN'],
    FAKE_AGENT_STREAM: join(base, 'structured.jsonl'),
  });
  const line = 'start -a claude -s danger-full-access --schema schema.json --wait x';
  expect(await project.$(line)).toBe('{"ok":true}\n');
  expect(given(project, '--json-schema')).toEqual([COMPACT]);
});

test('what is no schema, and an agent that takes none, is refused before anything is written', async () => {
  const { $, list, ended } = createWithFiles();
  const all: string[] = [];
  for (const words of [
    'missing',
    'list',
    'text',
    'long',
    'schema.json -a demo',
    "schema.json '--agent-arg=--output-schema=x'",
  ])
    all.push(await $(`start --schema ${words} x`));
  expect(all.join('\n')).toMatchInlineSnapshot(`
    "zwarm: cannot read the schema from missing
    hint: give a readable file with --schema FILE
    [exit 2]

    zwarm: the schema is not a JSON object
    hint: write it as {"type": "object", "properties": …}
    [exit 2]

    zwarm: the schema is not a JSON object
    hint: write it as {"type": "object", "properties": …}
    [exit 2]

    zwarm: the schema has 40008 characters
    hint: give one of at most 40000
    [exit 2]

    zwarm: demo cannot be made to answer in JSON of a schema
    hint: choose one that can: -a codex or -a claude
    [exit 2]

    zwarm: --agent-arg=--output-schema=x cannot be passed on: zwarm states the schema itself
    hint: zwarm start --schema FILE "…"
    [exit 2]
    "
  `);
  expect(await list()).toEqual([]);
  const id = await ended(['--schema', 'schema.json', 'x']);
  expect(await $(`inject ${id} -a demo x`)).toMatchInlineSnapshot(`
    "zwarm: demo cannot be made to answer in JSON of a schema
    hint: choose one that can: -a codex or -a claude
    [exit 2]
    "
  `);
});
