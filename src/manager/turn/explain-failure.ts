import type { AgentAdapter } from '../../agents/agent.ts';
import type { SessionId } from '../../core/ids.ts';
import type { SessionError } from '../../core/session.ts';
import type { NotRunWhy, Terminal, TurnVerdict } from '../../core/status.ts';

/** What putting a verdict into words needs beside it. */
export interface Circumstances {
  readonly id: SessionId;
  readonly adapter: AgentAdapter | null;
  readonly workingDir: string;
  readonly terminal: Terminal | null;
  /** Whether its runner has shown itself. */
  readonly launched: boolean;
  /** Where it was started, in words. */
  readonly place: string;
  /** The end of the agent's stderr; read only when it is needed. */
  stderr(): string;
}

function error(code: string, message: string, hint: string | null, retryable = false): SessionError {
  return { code, message, hint, retryable, retry_at: null };
}

const continueIt = 'zwarm inject ID "…"';

function notRun(why: NotRunWhy, detail: string | null, { workingDir }: Circumstances): SessionError | null {
  switch (why) {
    case 'cancelled':
      return null;
    case 'no_working_dir':
      return error(
        why,
        `its directory is gone or closed to us: ${workingDir}`,
        `make it available again, then: ${continueIt}`,
      );
    case 'no_agent':
      return error(
        why,
        "the agent's program was gone when the turn began",
        `install it again, then: ${continueIt}`,
      );
    case 'not_launched':
      return error(
        why,
        'the agent could not be started (no more processes or memory?)',
        `try again: ${continueIt}`,
        true,
      );
    case 'spawn_error':
      return error(
        why,
        `the agent could not be started: ${detail ?? 'no reason was given'}`,
        `try again: ${continueIt}`,
        true,
      );
  }
}

function fromStderr(circumstances: Circumstances, otherwise: SessionError): SessionError {
  const explained = circumstances.adapter?.explain({ message: null, stderr: circumstances.stderr() }) ?? null;
  return explained === null ? otherwise : { ...explained, retry_at: null };
}

function inWords({ reason }: TurnVerdict, circumstances: Circumstances): SessionError | null {
  const { id, adapter, terminal } = circumstances;
  switch (reason.kind) {
    case 'none':
      return null;
    case 'not_run':
      return notRun(reason.why, reason.detail, circumstances);
    case 'agent_failed': {
      const explained = adapter?.explain({ message: reason.message, stderr: '' }) ?? null;
      return explained === null
        ? error('agent_failed', reason.message, `see what it did: zwarm show ${id} --full`)
        : { ...explained, retry_at: null };
    }
    case 'exit_code': {
      if (terminal?.kind === 'completed') {
        const message = `the agent said that it had completed, then ended with exit code ${reason.code}`;
        return error('exit_code', message, `its answer is kept; see: zwarm show ${id}`);
      }
      return fromStderr(
        circumstances,
        error(
          'exit_code',
          `the agent ended with exit code ${reason.code}`,
          `see what it did: zwarm show ${id} --full`,
        ),
      );
    }
    case 'signal': {
      const hint = reason.signal === 'SIGKILL' ? 'out of memory, or killed from outside; ' : '';
      return error(
        'signal',
        `the agent was ended by ${reason.signal}`,
        `${hint}continue with: zwarm inject ID "go on"`,
      );
    }
    case 'no_result':
      return fromStderr(
        circumstances,
        error('no_result', 'the agent ended without a result', `see what it did: zwarm show ${id} --full`),
      );
    case 'vanished':
      if (!circumstances.launched) {
        return error(
          'lost',
          'it was never launched: the command that asked for it was ended first',
          `its message is kept, and was not given to the agent: say it again: ${continueIt}`,
          true,
        );
      }
      return error(
        'lost',
        'it stopped without telling: its processes are gone and no end was recorded',
        'continue with: zwarm inject ID "go on"',
      );
    case 'elsewhere':
      return error(
        'elsewhere',
        `it was started ${circumstances.place}: whether it runs cannot be told here`,
        'look and act from there',
      );
  }
}

/** A hint that works when it is typed: with the id. */
function hintFor(hint: string, { id }: Circumstances): string {
  return hint.replaceAll(/\bID\b/g, id);
}

/** Why a turn is in a state that nobody wished for, and what to do about it; null when there is nothing to explain. */
export function explainVerdict(verdict: TurnVerdict, circumstances: Circumstances): SessionError | null {
  const explained = inWords(verdict, circumstances);
  if (explained === null) return null;
  return { ...explained, hint: explained.hint === null ? null : hintFor(explained.hint, circumstances) };
}
