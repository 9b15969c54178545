import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../src/core/ids.ts';
import { FOLD_VERSION } from '../../src/manager/session/session-summary.ts';
import { createSummaryReader } from '../../src/store/summary.ts';
import { createShellProject, FAKE_AGENT } from '../helpers/project.ts';

/* The two ways to a row of a list: from the summary, and from the session's own files. */

const LISTS = `ls --json|ls --all|ls -q --sort updated|ls --tree|ls --all --json --grep LINE
  |ls --status failed,killed -n 2|ls --source you`.split(/\s*\|/);

test('the row of every session is the same with its summary and without it, byte for byte', async () => {
  const project = createShellProject();
  const completed = await project.ended(['one line', '--name', 'docs']);
  await project.ended([`  Eine „lange“ Geschichte,\n${'äöü 漢字 👩‍👩‍👧 \x1b[2J\t\u202e '.repeat(100)}`]);
  const silent = {
    ZWARM_CODEX_BIN: FAKE_AGENT,
    FAKE_AGENT_STREAM: undefined,
    FAKE_AGENT_STDERR: 'no – 💥\n',
  };
  await project.start(['exit 42']);
  await project.start(['die']);
  await project.start(['says nothing'], { env: silent });
  await project.ok(['kill', await project.begin('hang')]);
  await project.ok(['inject', completed, '--wait', 'again']);
  await project.settled(completed, 2);
  const rewound = await project.ended(['is wound back']);
  await project.ok(['inject', rewound, '--wait', 'forget this']);
  await project.ok(['rewind', rewound, '--to', '1']);
  await project.ok(['fork', completed, '--turn', '1']);
  await project.start(['of an agent'], { env: { ZWARM_SESSION_ID: completed } });
  const root = project.store();
  const ended = readdirSync(join(root, 'sessions')) as SessionId[];
  await project.zwarm(['wait', ...ended]);
  const read = createSummaryReader({ root, projectRoot: project.directory }, FOLD_VERSION);
  // What is compared is the fast way with the plain one: each of them has a summary that is current.
  for (const id of ended) if (read(id) === null) await project.settled(id);
  expect(ended.filter((id) => read(id) === null)).toEqual([]);
  const damaged = await project.ended(['is damaged']);
  rmSync(join(root, 'sessions', damaged, 'summary.json'));
  writeFileSync(join(root, 'sessions', damaged, 'session.json'), '{');
  await project.begin('hang');

  const statuses = (await project.list()).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(['running', 'damaged', 'completed', 'failed', 'killed']));
  /** What each of the lists prints, but for how long the one that runs has been running. */
  const lists = async (): Promise<string[]> => {
    const texts = await Promise.all(LISTS.map((line) => project.$(line)));
    return texts.map((text) => text.replace(/(?<="running",[^}]*"duration_ms": )\d+/g, '0'));
  };
  const before = await lists();
  expect(JSON.parse(before[0] ?? '')).toHaveLength(ended.length + 2);
  for (const id of ended) rmSync(join(root, 'sessions', id, 'summary.json'));
  expect(await lists()).toEqual(before);
});
