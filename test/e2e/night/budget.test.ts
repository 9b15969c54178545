import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { markOfTurn } from '../../../src/core/turn-mark.ts';
import { place } from '../../helpers/config.ts';
import { createProject, type Project } from '../../helpers/project.ts';

/* Each turn of the agent here uses 1,230 tokens. */

const configure = (project: Project, toml: string): void =>
  place(join(project.base, 'home/.config/zwarm/config.toml'), toml);

const A = { newId: 'aaaaaaaaaa' };
const DAY_MS = 86_400_000;

test('a session has its budget: the next message is refused before anything is written', async () => {
  const project = createProject();
  const { $ } = project;
  await project.ended(['--budget', '1k', 'x'], A);
  for (const line of ['inject aaaaaaaaaa x', 'inject aaaaaaaaaa --queue x', 'compact aaaaaaaaaa'])
    expect(await $(line), line).toMatchInlineSnapshot(`
      "zwarm: the budget is spent: 1.23k of 1k tokens in this session
      hint: go on in a copy, whose budget is new: zwarm fork aaaaaaaaaa "go on"; or raise it in the configuration ([budget])
      [exit 5]
      "
    `);
  expect((await project.show(A.newId)).turns).toHaveLength(1);
  // A copy has not spent anything.
  await project.ok(['fork', A.newId, '-q', '--wait', 'x']);
  expect(await $('start --budget 2kB x')).toMatchInlineSnapshot(`
    "zwarm: --budget: "2kB" is not an amount
    hint: write a number of tokens such as 500k or 2M, or an amount of money such as $5
    [exit 2]
    "
  `);
});

test('a day, a tag and a tree have theirs, and a project may set more', async () => {
  const project = createProject();
  const { $ } = project;
  configure(project, '[budget]\nday = "2k"\n[budget.tags]\nnightly = "1k"\n');
  await project.ended(['--tag', 'nightly', 'x'], A);
  expect(await $('start --tag nightly x')).toMatchInlineSnapshot(`
    "zwarm: the budget is spent: 1.23k of 1k tokens with the tag nightly
    hint: raise it in the configuration ([budget.tags])
    [exit 5]
    "
  `);
  await project.ended(['x']);
  expect(await $('start x')).toMatchInlineSnapshot(`
    "zwarm: the budget is spent: 2.46k of 2k tokens today in this project
    hint: go on tomorrow, or raise it in the configuration ([budget])
    [exit 5]
    "
  `);
  await project.ended(['x'], { now: Date.now() + DAY_MS });
  configure(project, '');
  place(join(project.directory, 'zwarm.toml'), '[budget]\nsession = "1k"\n');
  expect(await $('inject aaaaaaaaaa x')).toMatchInlineSnapshot(`
    "zwarm: the budget is spent: 1.23k of 1k tokens in this session
    hint: go on in a copy, whose budget is new: zwarm fork aaaaaaaaaa "go on"; or raise it in the configuration ([budget])
    [exit 5]
    "
  `);
});

test('what an orchestrator started counts for all of its tree, and nothing else', async () => {
  const project = createProject();
  const { $ } = project;
  configure(project, '[budget]\ntree = "2k"\n');
  const top = await project.ok(['orchestrate', '-q', '--wait', 'x']);
  await project.settled(top);
  // The session of somebody else.
  await project.ended();
  expect(await $(`inject ${top} -q --wait x`)).toBe(`${top}\n`);
  await project.settled(top, 2);
  const { nonce } = JSON.parse(readFileSync(project.turnFile(top, 2, 'request.json'), 'utf8'));
  const { store_id } = JSON.parse(readFileSync(join(project.store(), 'project.json'), 'utf8'));
  const mark = markOfTurn({ store: { id: store_id }, id: top as SessionId, turn: 2 }, nonce);
  const agent = { ZWARM_SESSION_ID: top, ZWARM_STORE: project.store(), ZWARM_MARK: mark };
  const child = await project.ok(['start', '-q', '--wait', 'x'], { env: agent });
  await project.settled(child);
  for (const id of [top, child])
    expect((await $(`inject ${id} x`)).replaceAll(id, 'ID')).toMatchInlineSnapshot(`
      "zwarm: the budget is spent: 2.46k of 2k tokens in this tree of sessions
      hint: raise it in the configuration ([budget])
      [exit 5]
      "
    `);
  expect(await project.zwarm(['start', 'x'], { env: agent })).toMatchObject({ code: 5 });
  await project.ended();
});

test('money is never guessed: where a cost is not known the budget refuses, and says what is missing', async () => {
  const project = createProject();
  const { $ } = project;
  configure(project, '[budget]\nday = "$5"\n');
  await project.ended(['-m', 'gpt-5.5', 'x'], A);
  expect(await $('start x')).toMatchInlineSnapshot(`
    "zwarm: a budget of $5 today in this project cannot be judged: a turn of codex has no known cost: gpt-5.5 has no price
    hint: add the price of the model to your configuration, as [prices."MODEL"], or set the budget in tokens
    [exit 5]
    "
  `);
  configure(project, '[budget]\nday = "$5"\n[prices."gpt-5.5"]\ninput = 2\noutput = 10\n');
  await project.ended(['-m', 'gpt-5.5', 'x']);
  configure(project, '[budget]\nday = "0.001 USD"\n[prices."gpt-5.5"]\ninput = 2\noutput = 10\n');
  expect(await $('start x')).toMatchInlineSnapshot(`
    "zwarm: the budget is spent: $0.0054 of $0.0010 today in this project
    hint: go on tomorrow, or raise it in the configuration ([budget])
    [exit 5]
    "
  `);
});

test('a table that cannot be understood is refused', async () => {
  const project = createProject();
  for (const toml of [
    'budget = "2M"',
    '[budget]\nweek = "2M"',
    '[budget]\nday = 5',
    '[budget.tags]\n"A b" = "2M"',
  ]) {
    configure(project, `${toml}\n`);
    expect((await project.$('start x')).replaceAll(project.base, 'BASE'), toml).toMatch(
      /budget.*[\s\S]*\[exit 2\]/,
    );
  }
});
