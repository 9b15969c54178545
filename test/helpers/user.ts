import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { place } from './config.ts';
import { createProject, repositoryFile, SHELL_AGENT } from './project.ts';

/** A session file of an agent, as the real one has written it. */
export const sessionFile = (name: string): string => repositoryFile(`fixtures/session-files/${name}.jsonl`);

export const CODEX_THREAD = '01a1f881-ec1e-7f12-b7c6-f75110187463';
export const CLAUDE_THREAD = '11111111-2222-4333-8444-555555555555';

/** A project whose user has a thread of Codex and one of Claude Code, which worked in it. */
export function createUser() {
  const project = createProject();
  const home = join(project.base, 'home');
  Object.assign(project.env, { CODEX_HOME: join(home, '.codex'), CLAUDE_CONFIG_DIR: join(home, '.claude') });
  const put = (path: string, name: string, minutes: number): string => {
    const text = readFileSync(sessionFile(name), 'utf8').replaceAll('/workspace', project.directory);
    place(join(home, path), text);
    const then = Date.now() / 1000 - minutes * 60;
    utimesSync(join(home, path), then, then);
    return join(home, path);
  };
  const rollout = `.codex/sessions/2026/11/20/rollout-2026-11-20T10-30-26-${CODEX_THREAD}.jsonl`;
  const codex = put(rollout, 'codex-0.169-thread', 5);
  const claude = put(`.claude/projects/-w/${CLAUDE_THREAD}.jsonl`, 'claude-2.1.328', 60);
  return { ...project, codex, claude };
}

/** The same, whose thread of Codex is a session and holds one turn; and what is said in it when it goes on: two more. */
export async function createGoingOn() {
  const user = createUser();
  Object.assign(user.env, { ZWARM_CODEX_BIN: SHELL_AGENT, FAKE_AGENT_THREADS: '1' });
  const lines = readFileSync(user.codex, 'utf8').split('\n');
  const second = lines.findIndex((line, i) => i > 5 && line.includes('"task_started"'));
  const third = lines.findLastIndex((line) => line.includes('"task_started"'));
  const said = [lines.slice(second, third), lines.slice(third)].map((part) => part.join('\n'));
  writeFileSync(user.codex, `${lines.slice(0, second).join('\n')}\n`);
  const id = await user.ok(['import', '-q', CODEX_THREAD]);
  return {
    ...user,
    id,
    said,
    say: (text = ''): void => appendFileSync(user.codex, `${text}\n`),
    turns: async () =>
      (await user.show(id)).turns.map(({ kind, how, status, answer }) =>
        [kind, how, status, answer].join(' '),
      ),
  };
}

/** Its turns as `turns` tells them. */
export const FIRST = 'imported fresh completed My name is Fake. What next?';
export const SECOND = 'external native completed Second turn done.';
export const THIRD = 'external native completed Third turn done.';
