import { realpathSync } from 'node:fs';
import type { AgentAdapter } from '../../agents/agent.ts';
import { AGENTS } from '../../agents/registry.ts';
import type { AgentChoice, AgentInfo } from '../../core/agent-info.ts';
import { ZwarmError } from '../../core/errors.ts';
import { findConfiner } from '../../process/confine.ts';
import { isNamedOrOnPath } from '../../process/find-program.ts';
import { projectOf } from '../../store/git.ts';
import { settingsFor } from '../access/permissions.ts';
import { type ManagerContext, openForReading } from '../context.ts';
import { askProgram } from '../doctor/agents.ts';
import { type Program, programOf } from '../launch/agent-program.ts';
import { defaultAgent } from '../launch/choose-agent.ts';

/** How long an agent has to say who is logged in. */
const ANSWER_MS = 10_000;

async function isLoggedIn(
  context: ManagerContext,
  { probe }: AgentAdapter,
  program: Program,
): Promise<boolean | null> {
  const question = probe?.questions.find(({ names }) => names.includes('login'));
  if (probe === null || question === undefined) return null;
  const { login } = await askProgram({ ...context, timeoutMs: ANSWER_MS }, program, probe, question);
  return login?.status === 'ok' ? true : login?.status === 'failed' ? false : null;
}

/** Every agent that zwarm knows, and what it can do here. Asks their programs; changes nothing. */
export async function agents(context: ManagerContext): Promise<readonly AgentInfo[]> {
  const directory = realpathSync(context.cwd);
  const { settings } = await settingsFor(context, openForReading(context));
  const usual = defaultAgent(context, settings);
  const confiner = await findConfiner(context.env, projectOf(directory));
  return Promise.all(
    AGENTS.map(async (adapter): Promise<AgentInfo> => {
      const { name, aliases, summary, confinement } = adapter;
      const found = await programOf(context, adapter, directory).catch((error: unknown) => {
        if (error instanceof ZwarmError) return error;
        throw error;
      });
      const program = found instanceof ZwarmError ? null : found;
      return {
        name,
        aliases,
        summary,
        default: name === usual,
        found: program !== null,
        program: program?.path ?? null,
        version: program?.version ?? null,
        logged_in: program === null ? null : await isLoggedIn(context, adapter, program),
        hint: found instanceof ZwarmError ? `${found.message}; ${found.hint}` : null,
        resume: true,
        fork: adapter.canFork(program?.version ?? null),
        schema: adapter.takesSchema,
        sandbox: confinement?.by === 'nobody' ? (confiner?.name ?? null) : (confinement?.by ?? null),
        cost: adapter.reportsCost,
      };
    }),
  );
}

/** The agents that can be chosen. Their programs are looked for, and not run. */
export const agentChoices = ({ env }: ManagerContext): readonly AgentChoice[] =>
  AGENTS.map(({ name, summary, program }) => ({ name, summary, found: isNamedOrOnPath(program, env) }));
