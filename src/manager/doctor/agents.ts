import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import type { AgentAdapter, AgentProbe, ProbeQuestion } from '../../agents/agent.ts';
import { AGENTS } from '../../agents/registry.ts';
import { type Check, type Finding, finding } from '../../core/check.ts';
import { toZwarmError, ZwarmError } from '../../core/errors.ts';
import { shellWord } from '../../core/shell-word.ts';
import { isReplaceable } from '../../process/find-program.ts';
import { ask } from '../../process/run.ts';
import { projectOf } from '../../store/git.ts';
import type { ManagerContext } from '../context.ts';
import { type Program, programOf } from '../launch/agent-program.ts';

/** Runs one check; whatever breaks in it is its own failure, and no other's. Never throws. */
export async function isolated(name: string, check: () => Finding | Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    const { message, hint } = toZwarmError(error);
    return { name, ...finding('failed', message, hint) };
  }
}

/** Who asks, and how long an agent has for each answer. */
type Asking = ManagerContext & { readonly timeoutMs: number };

function missing(
  { env }: ManagerContext,
  { program }: AgentAdapter,
  { code, message, hint }: ZwarmError,
  needed: boolean,
): Finding {
  if (needed || code === 'io') return finding('failed', message, hint);
  // Not every agent is needed; but one that was set up should work.
  const named = program.kind === 'path' && Boolean(env[program.variable]);
  const wanted = named || code !== 'agent_not_found';
  return finding(wanted ? 'warning' : 'skipped', message, hint);
}

function present({ cwd }: ManagerContext, { program: spec }: AgentAdapter, program: Program): Finding {
  if (spec.kind === 'embedded') return finding('ok', 'part of zwarm');
  const { path, version } = program;
  const project = projectOf(realpathSync(cwd));
  if (isReplaceable(path, project)) {
    const what = `${path} is found in ${project}, where an agent could put another program in its place`;
    return finding('warning', what, `set ${spec.variable} to a program elsewhere`);
  }
  if (version !== null) return finding('ok', `${version}, ${path}`);
  const hint = `see what it says: ${shellWord(path)} --version`;
  return finding('warning', `${path} does not tell its version`, hint);
}

function configurationOf(probe: AgentProbe, env: ManagerContext['env']): string | null {
  const path = probe.configurationFile(env);
  if (path === null || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  return readFileSync(path, 'utf8');
}

function reservedFor(probe: AgentProbe, uid: number) {
  const path = probe.reservedPath?.(uid);
  const stat = path === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
  if (path === undefined || stat === undefined) return {};
  return { reserved: { path, owner: stat.uid === uid ? null : stat.uid } };
}

/** Asks one question; without an answer, all its checks have failed. */
export async function askProgram(
  { cwd, env, uid, timeoutMs }: Asking,
  program: Program,
  probe: AgentProbe,
  question: ProbeQuestion,
): Promise<Readonly<Record<string, Finding>>> {
  const args = [...program.args, ...question.args];
  try {
    const answer = await ask(program.path, args, { cwd, env, timeoutMs });
    const configuration = configurationOf(probe, env);
    return question.judge(answer, { env, configuration, ...reservedFor(probe, uid) });
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
  found: Program | ZwarmError,
  needed: boolean,
): Promise<Check[]> {
  const { name, probe } = adapter;
  const isMissing = found instanceof ZwarmError;
  const own = await isolated(name, () =>
    isMissing ? missing(context, adapter, found, needed) : present(context, adapter, found),
  );
  if (probe === null) return [own];
  const skipped = finding('skipped', isMissing ? `there is no ${name} to ask` : 'it could not be told');
  const groups = probe.questions.map(async (question) => {
    const findings = isMissing ? {} : await askProgram(context, found, probe, question);
    return question.names.map((topic) => ({ name: `${name}-${topic}`, ...(findings[topic] ?? skipped) }));
  });
  return [own, ...(await Promise.all(groups)).flat()];
}

/** Every agent: its program, and what that says of itself. Where none is there, the first is missing. */
export async function checkAgents(
  context: ManagerContext,
  agents: readonly AgentAdapter[],
  timeoutMs: number,
): Promise<Check[]> {
  const all = await Promise.all(
    agents.map(async (adapter) => {
      const find = async () => programOf(context, adapter, realpathSync(context.cwd));
      return { adapter, found: await find().catch(toZwarmError) };
    }),
  );
  const another = all.some(
    ({ adapter, found }) => adapter.program.kind === 'path' && !(found instanceof ZwarmError),
  );
  const checks = all.map(({ adapter, found }) =>
    checkAgent({ ...context, timeoutMs }, adapter, found, adapter === AGENTS[0] && !another),
  );
  return (await Promise.all(checks)).flat();
}
