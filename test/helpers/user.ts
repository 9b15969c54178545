import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { place } from './config.ts';
import { createProject, repositoryFile } from './project.ts';

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
