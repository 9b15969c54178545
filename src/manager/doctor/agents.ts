import { readFileSync, realpathSync, statSync } from 'node:fs';
import type { AgentAdapter, AgentProbe, ProbeQuestion } from '../../agents/agent.ts';
import { DEFAULT_AGENT } from '../../agents/registry.ts';
import { type Check, type Finding, finding } from '../../core/check.ts';
import { toZwarmError, type ZwarmError } from '../../core/errors.ts';
import { shellWord } from '../../core/shell-word.ts';
import { isReplaceable } from '../../process/find-program.ts';
import { ask } from '../../process/run.ts';
import type { ManagerContext } from '../context.ts';
import { type Program, programOf, projectOf } from '../launch/agent-program.ts';
import { isolated } from './isolated.ts';

/** Who asks, and how long an agent has for each answer. */
type Asking = ManagerContext & { readonly timeoutMs: number };

type Found = Program | { readonly error: ZwarmError };

async function find(context: ManagerContext, adapter: AgentAdapter): Promise<Found> {
  try {
    return await programOf(context, adapter, realpathSync(context.cwd));
  } catch (error) {
    return { error: toZwarmError(error) };
  }
}

function missing(
  { env }: ManagerContext,
  { name, program }: AgentAdapter,
  { code, message, hint }: ZwarmError,
  needed: boolean,
): Finding {
  if (needed || code === 'io') return finding('failed', message, hint);
  // Nobody needs every agent; but one that was set up and does not work, somebody wants.
  const named = program.kind === 'path' && Boolean(env[program.variable]);
  const wanted = named || name === DEFAULT_AGENT || code !== 'agent_not_found';
  return finding(wanted ? 'warning' : 'skipped', message, hint);
}

function present({ cwd }: ManagerContext, { program: spec }: AgentAdapter, program: Program): Finding {
  if (spec.kind === 'embedded') return finding('ok', 'part of zwarm');
  const { path, version } = program;
  const project = projectOf(realpathSync(cwd));
  if (isReplaceable(path, project)) {
    return finding(
      'warning',
      `${path} is found in ${project}, where an agent could put another program in its place`,
      `set ${spec.variable} to a program elsewhere`,
    );
  }
  if (version !== null) return finding('ok', `${version}, ${path}`);
  const hint = `see what it says: ${shellWord(path)} --version`;
  return finding('warning', `${path} does not tell its version`, hint);
}

function configurationOf(probe: AgentProbe, env: ManagerContext['env']): string | null {
  const path = probe.configurationFile(env);
  // The user's own file, which may well be a link.
  if (path === null || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  return readFileSync(path, 'utf8');
}

/** Asks one question; without an answer, all its checks have failed. */
async function answers(
  { cwd, env, timeoutMs }: Asking,
  program: Program,
  probe: AgentProbe,
  question: ProbeQuestion,
): Promise<Readonly<Record<string, Finding>>> {
  const args = [...program.args, ...question.args];
  try {
    const answer = await ask(program.path, args, { cwd, env, timeoutMs });
    return question.judge(answer, { env, configuration: configurationOf(probe, env) });
  } catch (error) {
    const typed = [program.path, ...args].map(shellWord).join(' ');
    const why = toZwarmError(error).message;
    const failed = finding('failed', `\`${typed}\`: ${why}`, 'see what it says when you type it');
    return Object.fromEntries(question.names.map((name) => [name, failed]));
  }
}

async function checkAgent(
  context: Asking,
  adapter: AgentAdapter,
  found: Found,
  needed: boolean,
): Promise<Check[]> {
  const { name, probe } = adapter;
  const own = await isolated(name, () =>
    'error' in found ? missing(context, adapter, found.error, needed) : present(context, adapter, found),
  );
  if (probe === null) return [own];
  const skipped = finding(
    'skipped',
    'error' in found ? `there is no ${name} to ask` : 'it could not be told',
  );
  const groups = probe.questions.map(async (question) => {
    const findings = 'error' in found ? {} : await answers(context, found, probe, question);
    return question.names.map((topic) => ({ name: `${name}-${topic}`, ...(findings[topic] ?? skipped) }));
  });
  return [own, ...(await Promise.all(groups)).flat()];
}

/**
 * Every agent: its program with its version, and what it says of itself when it is asked. A missing one has failed
 * only if it is the one that `start` takes, and there is no other to take.
 */
export async function checkAgents(
  context: ManagerContext,
  agents: readonly AgentAdapter[],
  timeoutMs: number,
): Promise<Check[]> {
  const all = await Promise.all(
    agents.map(async (adapter) => ({ adapter, found: await find(context, adapter) })),
  );
  const another = all.some(({ adapter, found }) => adapter.program.kind === 'path' && !('error' in found));
  const checks = all.map(({ adapter, found }) =>
    checkAgent({ ...context, timeoutMs }, adapter, found, adapter.name === DEFAULT_AGENT && !another),
  );
  return (await Promise.all(checks)).flat();
}
