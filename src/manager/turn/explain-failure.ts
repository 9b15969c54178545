import type { AgentAdapter, Explanation } from '../../agents/agent.ts';
import type { SessionId } from '../../core/ids.ts';
import { resetTime } from '../../core/rules/reset-time.ts';
import { type Breach, breachWords } from '../../core/rules/run-limits.ts';
import { cutLine, type SessionError } from '../../core/session.ts';
import type { FailureReason, Terminal, TurnVerdict } from '../../core/status.ts';
import { isoTime } from '../../core/time.ts';

/** What putting a verdict into words needs beside it. */
export interface Circumstances {
  readonly id: SessionId;
  readonly adapter: AgentAdapter | null;
  readonly workingDir: string;
  readonly terminal: Terminal | null;
  /** Whether its runner has shown itself. */
  readonly launched: boolean;
  /** Whether something else than zwarm ran it. */
  readonly adopted: boolean;
  /** Where it was started, in words. */
  readonly where: string;
  /** When it ended (ms since the epoch), and the time zone of the agent; null where they are not known. */
  readonly endedMs: number | null;
  readonly timeZone: string | null;
  /** The limit at which it was stopped, or null. */
  readonly limit: Breach | null;
  /** The end of the agent's stderr; read only when it is needed. */
  stderr(): string;
  /** The file with what the setup of its worktree printed, and its last line. */
  setup(): { readonly log: string; readonly last: string };
}

// In a hint `ID` stands for the id of the session.
const CONTINUE = 'zwarm inject ID "…"';
const CONTINUE_HINT = 'continue with: zwarm inject ID "go on"';
const SEE = 'see what it did: zwarm show ID --full';

function error(code: string, message: string, hint: string, retryable = false): Explanation {
  return { code, message, hint, retryable };
}

function notRun(
  why: string,
  detail: string | null,
  { workingDir, setup }: Circumstances,
): Explanation | null {
  const notStarted = (cause: string) => `the agent could not be started${cause}`;
  switch (why) {
    case 'cancelled':
      return null;
    case 'no_working_dir': {
      const gone = `its directory is gone or cannot be read: ${workingDir}`;
      return error(
        why,
        gone,
        `make it available again, then: ${CONTINUE}; or elsewhere: zwarm fork ID -C DIR "…"`,
      );
    }
    case 'no_agent': {
      const gone = "the agent's program was gone when the turn began";
      return error(why, gone, `install it again, then: ${CONTINUE}`);
    }
    case 'setup': {
      const { log, last } = setup();
      const hint = `see ${log}; once that is mended: ${CONTINUE}`;
      return error(why, `the setup of its worktree failed: ${last}`, hint);
    }
    case 'not_launched':
      return error(why, notStarted(' (no more processes or memory?)'), `try again: ${CONTINUE}`, true);
    case 'spawn_error':
      return error(why, notStarted(`: ${detail ?? 'no reason was given'}`), `try again: ${CONTINUE}`, true);
    default: {
      const word = cutLine(why, 100);
      const more = detail === null ? '' : `: ${detail}`;
      return error(word, `it ended for a reason that only a newer zwarm knows, ${word}${more}`, SEE);
    }
  }
}

function failed(reason: FailureReason, circumstances: Circumstances): Explanation | null {
  const { adapter, terminal } = circumstances;
  const explained = (message: string) => adapter?.explain({ message, stderr: '' });
  const fromStderr = () => adapter?.explain({ message: null, stderr: circumstances.stderr() });
  switch (reason.kind) {
    case 'not_run':
      return notRun(reason.why, reason.detail, circumstances);
    case 'agent_failed':
      return explained(reason.message) ?? error('agent_failed', reason.message, SEE);
    case 'exit_code': {
      const ended = `ended with exit code ${reason.code}`;
      if (terminal?.kind !== 'completed')
        return fromStderr() ?? error('exit_code', `the agent ${ended}`, SEE);
      const contradiction = `the agent said that it had completed, then ${ended}`;
      return error('exit_code', contradiction, 'its answer is kept; see: zwarm show ID');
    }
    case 'signal': {
      const killed = reason.signal === 'SIGKILL' ? 'out of memory, or killed from outside; ' : '';
      return error('signal', `the agent was ended by ${reason.signal}`, `${killed}${CONTINUE_HINT}`);
    }
    case 'no_result':
      return fromStderr() ?? error('no_result', 'the agent ended without a result', SEE);
  }
}

function lost({ launched, adopted }: Circumstances): Explanation {
  const untold = 'how it ended was not recorded: it was cut off, or its agent still works on it';
  if (adopted) return error('lost', untold, CONTINUE_HINT);
  const silent = 'its processes are gone, and no end was recorded';
  if (launched) return error('lost', silent, CONTINUE_HINT);
  const unlaunched = 'it was never launched: the command that asked for it ended first';
  const hint = `its message is kept, but never reached the agent; send it again: ${CONTINUE}`;
  return error('lost', unlaunched, hint, true);
}

function unknown({ where }: Circumstances): Explanation {
  const message = `it was started ${where}: whether it runs cannot be determined here`;
  return error('elsewhere', message, 'look and act from there');
}

function inWords(verdict: TurnVerdict, circumstances: Circumstances): Explanation | null {
  switch (verdict.status) {
    case 'failed':
      return failed(verdict.reason, circumstances);
    case 'lost':
      return lost(circumstances);
    case 'unknown':
      return unknown(circumstances);
    case 'killed': {
      const { limit } = circumstances;
      return limit === null ? null : { code: 'limit', ...breachWords(limit), retryable: false };
    }
    default:
      return null;
  }
}

/** Failures of which an agent says when they will be over. */
const PASSES: readonly string[] = ['usage_limit', 'rate_limited'];

function retryAt({ code, message }: Explanation, { endedMs, timeZone }: Circumstances): string | null {
  const ms = endedMs === null || !PASSES.includes(code) ? null : resetTime(message, endedMs, timeZone);
  return ms === null ? null : isoTime(ms);
}

/** Why a turn has failed, was stopped at a limit, or is unknown, and what to do about it; null when there is nothing to explain. */
export function explainVerdict(verdict: TurnVerdict, circumstances: Circumstances): SessionError | null {
  const explained = inWords(verdict, circumstances);
  if (explained === null) return null;
  const hint = explained.hint?.replaceAll(/\bID\b/g, circumstances.id) ?? null;
  return { ...explained, hint, retry_at: retryAt(explained, circumstances) };
}
