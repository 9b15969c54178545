import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createCodexProject, type ModelRequest, requireSandbox } from '../helpers/codex.ts';

beforeAll(requireSandbox);

/** The mode of which Codex itself tells its server. */
function modeOf({ headers }: ModelRequest): string {
  return JSON.parse(headers['x-codex-turn-metadata'] ?? '{}').sandbox_mode;
}

/** What the model is told that it may write. */
function writableOf({ body }: ModelRequest): string[] {
  const texts = body.input.flatMap((item) => item.content ?? []).map((part) => part.text ?? '');
  const told = texts.findLast((text) => text.startsWith('<environment_context>')) ?? '';
  if (told.includes('type="unrestricted"')) return ['everything'];
  return [...told.matchAll(/<entry access="write"><path>([^<]*)</g)].flatMap(([, path]) => path ?? []);
}

const MODES = [
  { mode: 'read-only', told: () => [], inside: false, outside: false },
  { mode: 'workspace-write', told: (project: string) => [project], inside: true, outside: false },
  { mode: 'danger-full-access', told: () => ['everything'], inside: true, outside: true },
];

test.concurrent.for(MODES)(
  '$mode holds in the first turn and in the next',
  async ({ mode, told, inside, outside }, t) => {
    // The command names its files by the turn; that it ran at all is seen by what it prints.
    const command =
      'echo x > in-$ZWARM_TURN; echo x > "$CODEX_HOME/out-$ZWARM_TURN"; echo ran in turn $ZWARM_TURN';
    const script = { steps: [{ message: 'trying', shell: command }, { message: 'tried' }] };
    const project = await createCodexProject(t.onTestFinished, { script });
    await project.ok(['start', '-s', mode, '--wait', 'try to write']);
    await project.ok(['inject', '@last', '--wait', 'try again']);

    const session = await project.show('@last', ['--full']);
    expect(session.sandbox).toBe(mode);
    const requests = await project.model.requestsOf(session.thread_id ?? '');
    expect(requests.map(modeOf)).toEqual([mode, mode, mode, mode]);
    for (const request of requests) expect(writableOf(request)).toEqual(told(project.directory));
    for (const turn of [1, 2]) {
      const output = session.messages.filter((message) => message.turn === turn && message.role === 'tool');
      expect(output.map(({ content }) => content).join()).toContain(`ran in turn ${turn}`);
      expect(existsSync(join(project.directory, `in-${turn}`)), `turn ${turn}, inside`).toBe(inside);
      expect(existsSync(join(project.codexHome, `out-${turn}`)), `turn ${turn}, outside`).toBe(outside);
    }
  },
);
