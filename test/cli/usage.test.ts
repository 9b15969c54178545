import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../helpers/config.ts';
import { plain } from '../helpers/display.ts';
import { createProject, FAKE_AGENT, repositoryFile, withoutConfiner } from '../helpers/project.ts';

const claudeStream = (name: string) => ({
  FAKE_AGENT_STREAM: repositoryFile(`fixtures/streams/claude-2.1.328/${name}.jsonl`),
});

/** A project with a session of Codex with a model, one of Claude Code that goes on with Codex, and one that was cut off. */
async function createSpending() {
  const project = createProject();
  project.env['ZWARM_CLAUDE_BIN'] = FAKE_AGENT;
  withoutConfiner(project);
  const first = await project.ended(['-m', 'gpt-5.5', '--tag', 'a', '--tag', 'b', 'x']);
  const second = await project.ended(['-a', 'claude', '--tag', 'a', 'x'], { env: claudeStream('text') });
  await project.$(`inject ${second} -a codex --wait y`);
  await project.settled(second, 2);
  await project.zwarm(['start', '-a', 'claude', '--wait', 'x'], { env: claudeStream('bash-sigterm') });
  const prices = (toml: string) => place(join(project.base, 'home/.config/zwarm/config.toml'), toml);
  return { ...project, first, second, prices };
}

test('costs are what agents report, else what the prices say, and never a guess', async () => {
  const { $, show, first, second, prices, list } = await createSpending();
  expect((await show(first)).cost_usd).toBeNull();
  const before = await show(second);
  expect(before).toMatchObject({ cost_usd: 0.00282, cost_at_least: true });
  expect(before.turns.map(({ cost_usd }) => cost_usd)).toEqual([0.00282, null]);
  prices('[prices."gpt-5.5"]\ninput = 2\ncached_input = 0\noutput = 10\n');
  const { token_usage: tokens, cost_usd, cost_at_least } = await show(first);
  const {
    input_tokens: input = 0,
    cached_input_tokens: cached = 0,
    output_tokens: output = 0,
  } = tokens ?? {};
  expect({ cost_usd, cost_at_least }).toEqual({
    cost_usd: ((input - cached) * 2 + output * 10) / 1e6,
    cost_at_least: false,
  });
  // Also from summaries that were written before.
  expect((await list()).find(({ id }) => id === first)?.cost_usd).toBe(cost_usd);
  expect(await $(`show ${second}`)).toContain('cost       ≥ $0.0028');
});

test('usage sums by day, agent, model, session, family and tag, with the total below', async () => {
  const { zwarm, $, first, second, prices } = await createSpending();
  prices('[prices."gpt-5.5"]\ninput = 2\noutput = 10\n');
  const { stdout } = await zwarm(['usage', '--by', 'agent'], { tty: true, columns: 80 });
  expect(plain(stdout)).toMatchInlineSnapshot(`
    "AGENT   SESSIONS  TURNS     IN  CACHED  OUT  COST
    codex          2      2  2,400   2,000   60  ≥ $0.0027
    claude         2      2  2,400       0   43  ≥ $0.0028
    total          3      4  4,800   2,000  103  ≥ $0.0055
    "
  `);
  expect((await $('usage --by tag')).replace(/\t[\d.]*$/gm, '')).toMatchInlineSnapshot(`
    "a	2	3	3600	2000	102
    b	1	1	1200	1000	30
    -	1	1	1200	0	1
    -	3	4	4800	2000	103
    "
  `);
  expect(await $('usage --by model')).toMatch(/^-\t2\t3\t[\s\S]*^gpt-5\.5\t1\t1\t/m);
  const { rows, total } = JSON.parse(await $('usage --json'));
  expect(rows).toEqual([{ ...total, key: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) }]);
  expect(total).toMatchObject({ key: null, sessions: 3, turns: 4, cost_at_least: true });
  const ids = JSON.parse(await $('usage --by session --json')).rows.map(({ key }: { key: string }) => key);
  expect(ids).toEqual(expect.arrayContaining([first, second]));
  expect(JSON.parse(await $('usage --by family --json')).rows).toHaveLength(3);
  const list = await zwarm(['ls', '--cost'], { tty: true, columns: 120 });
  expect(plain(list.stdout)).toMatch(/COST[\s\S]*≥ \$0\.0028/);
});

test('where nothing was used, it says so; prices that cannot be understood are refused where they are set', async () => {
  const project = createProject();
  expect(await project.zwarm(['usage'], { tty: true })).toMatchObject({
    ...{ code: 0, stdout: '' },
    stderr: expect.stringContaining('no turn used anything yet'),
  });
  const file = join(project.base, 'home/.config/zwarm/config.toml');
  for (const toml of ['prices = 5', '[prices."m"]\ninput = "x"\noutput = 1', '[prices."m"]\ninput = 1']) {
    place(file, `${toml}\n`);
    expect(await project.$('config list')).toMatch(/prices.* must [\s\S]*\[exit 2\]/);
    expect(await project.$('ls --json')).toBe('[]\n');
  }
  place(file, '');
  place(join(project.directory, 'zwarm.toml'), '[prices.m]\ninput = 1\noutput = 1\n');
  expect(await project.$('config list')).toContain('prices has no effect: only your own file decides this');
});
