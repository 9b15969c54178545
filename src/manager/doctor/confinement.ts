import { realpathSync } from 'node:fs';
import type { AgentAdapter } from '../../agents/agent.ts';
import { type Finding, finding } from '../../core/check.ts';
import { findConfiner } from '../../process/confine.ts';
import { projectOf } from '../../store/git.ts';
import { textsOf } from '../access/reach.ts';
import type { ManagerContext } from '../context.ts';

const HINT =
  'on Linux, install bubblewrap (bwrap) and allow unprivileged user namespaces; what it means: docs/agents.md';

/** Which agents are kept within a sandbox that is one, by what, and what that leaves open. */
export async function checkConfinement(
  { cwd, env }: ManagerContext,
  agents: readonly AgentAdapter[],
): Promise<Finding> {
  const directory = realpathSync(cwd);
  const confiner = await findConfiner(env, projectOf(directory));
  const parts = agents.flatMap(({ name, confinement }) => {
    if (confinement === null) return [];
    if (confinement.by === 'nobody')
      return confiner === null ? [`${name} is unconfined`] : [`${name} by ${confiner.path}`];
    const files = confinement.configurationFiles(env, directory, []);
    const gap = confinement.gap([...textsOf(files).values()].flatMap((text) => text ?? []));
    return [`${name} by itself${gap === null ? '' : `, but ${gap}`}`];
  });
  const message = parts.join('; ');
  if (confiner === null) return finding('note', message, HINT);
  return message.includes(', but ') ? finding('note', message) : finding('ok', message);
}
