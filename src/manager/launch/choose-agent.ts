import type { AgentAdapter } from '../../agents/agent.ts';
import { AGENTS, requireAgent } from '../../agents/registry.ts';
import { ZwarmError } from '../../core/errors.ts';
import { isModelName } from '../../core/model.ts';
import type { Settings } from '../../core/rules/policy.ts';
import type { Sandbox } from '../../core/session.ts';
import type { Confiner } from '../../process/confine.ts';
import { isNamedOrOnPath } from '../../process/find-program.ts';
import { type KnownRecord, type Runs, recordOfTurn } from '../../store/records.ts';
import type { ManagerContext } from '../context.ts';
import type { SessionNow } from '../session/current-turn.ts';

/** Which agent is to run a turn, and which model it is to use, where that is said. */
export interface AskedAgent {
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
}

/** The agent of a turn, and what its request records of it. */
export interface ChosenAgent {
  readonly adapter: AgentAdapter;
  readonly runs: Runs;
  /** What zwarm confines it by, or null. */
  readonly confiner: Confiner | null;
}

function requireModel(text: string): string {
  if (isModelName(text)) return text;
  const what = `${JSON.stringify(text)} is not a model name`;
  throw new ZwarmError('usage', what, 'write it as the agent does: -m gpt-5.5');
}

function requireAble(adapter: AgentAdapter, ability: 'takesTools' | 'takesSchema', cannot: string): void {
  if (adapter[ability]) return;
  const others = AGENTS.filter((agent) => agent[ability]).map(({ name }) => `-a ${name}`);
  const hint = `choose one that can: ${others.join(' or ')}`;
  throw new ZwarmError('usage', `${adapter.name} cannot ${cannot}`, hint);
}

const requireTools = (adapter: AgentAdapter): void => requireAble(adapter, 'takesTools', 'run other agents');
const requireSchema = (adapter: AgentAdapter): void =>
  requireAble(adapter, 'takesSchema', 'be made to answer in JSON of a schema');

/** Whether a sandbox means something that the agent does not bring. */
function needsConfiner({ confinement }: AgentAdapter, sandbox: Sandbox): boolean {
  return confinement?.by === 'nobody' && sandbox !== 'danger-full-access';
}

/** What zwarm confines an agent by, and whether nothing does although its sandbox is one. */
async function confinementOf(
  context: ManagerContext,
  adapter: AgentAdapter,
  session: Pick<KnownRecord, 'sandbox' | 'working_dir'>,
): Promise<{ confiner: Confiner | null; unconfined: boolean }> {
  if (!needsConfiner(adapter, session.sandbox)) return { confiner: null, unconfined: false };
  const { confinerFor } = await import('./confinement.ts');
  const confiner = await confinerFor(context, session);
  return { confiner, unconfined: confiner === null };
}

/** The agent of a session for which none is named: the configured one, else the first that is here; or null. */
export function defaultAgent({ env }: ManagerContext, { agent }: Pick<Settings, 'agent'>): string | null {
  const first = AGENTS.find(({ program }) => program.kind === 'path' && isNamedOrOnPath(program, env));
  return agent ?? first?.name ?? null;
}

/** The same. @throws ZwarmError `agent_not_found` */
export function requireDefaultAgent(context: ManagerContext, settings: Pick<Settings, 'agent'>): string {
  const found = defaultAgent(context, settings);
  if (found !== null) return found;
  const programs = AGENTS.flatMap(({ program }) => (program.kind === 'path' ? [program] : []));
  const names = programs.map(({ binary }) => binary).join(', ');
  const [first] = programs;
  throw new ZwarmError(
    'agent_not_found',
    `no agent was found on your PATH: ${names}`,
    `install one, such as with \`${first?.install}\`; to try zwarm without it: zwarm start -a demo "…"`,
  );
}

/** The agent of a first turn. @throws ZwarmError `usage` */
export async function firstAgent(
  context: ManagerContext,
  adapter: AgentAdapter,
  model: string | null,
  given: Pick<KnownRecord, 'sandbox' | 'orchestrates' | 'schema' | 'working_dir'>,
): Promise<ChosenAgent> {
  if (given.orchestrates) requireTools(adapter);
  if (given.schema !== null) requireSchema(adapter);
  const { confiner, unconfined } = await confinementOf(context, adapter, given);
  return {
    adapter,
    confiner,
    runs: { agent: adapter.name, model: model === null ? null : requireModel(model), unconfined },
  };
}

/** A session whose words are known. */
export type KnownNow = SessionNow & { readonly record: KnownRecord };

/**
 * The agent of the next turn of a session, and the record for it: that of the turn before, unless another one is asked
 * for. The model is the agent's, and so is not kept for another. @throws ZwarmError `usage`, `not_resumable`
 */
export async function nextAgent(
  context: ManagerContext,
  now: KnownNow,
  { agent, model }: AskedAgent,
): Promise<ChosenAgent & { readonly record: KnownRecord }> {
  const { last: before, record } = now;
  const last = before === null ? record : recordOfTurn(record, before.request);
  const adapter = requireAgent(agent ?? last.agent);
  const kept = adapter.name === last.agent ? last.model : null;
  const { confiner, unconfined } = await confinementOf(context, adapter, last);
  const runs = {
    agent: adapter.name,
    model: model === undefined ? kept : requireModel(model),
    unconfined,
  };
  const isUnpacked = last.unpacked !== null && (before?.turn ?? 0) <= last.unpacked.turn;
  // To what is in an archive somebody else has agreed.
  const isAgreed = last.unconfined && !isUnpacked;
  if (unconfined && adapter.name === last.agent && !isAgreed) {
    const what = `nothing here keeps ${last.agent} within ${last.sandbox}${isUnpacked ? '' : ' any more'}`;
    throw new ZwarmError('not_resumable', what, 'see what is missing: zwarm doctor');
  }
  if (last.orchestrates) requireTools(adapter);
  if (last.schema !== null) requireSchema(adapter);
  return { adapter, confiner, runs, record: recordOfTurn(record, { runs }) };
}
