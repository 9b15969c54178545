import type { ZwarmError } from '../../core/errors.ts';
import { cutText, type SessionError, type SessionSummary } from '../../core/session.ts';
import { isActive } from '../../core/status.ts';
import { errorLines } from '../error-lines.ts';
import { htmlText } from '../text/html-text.ts';
import { longSpan, shortCount } from '../text/units.ts';
import { costText } from '../usage.ts';

/** A session that was waited for, with what its newest ended turn answered and why that failed. */
interface WaitedSession {
  readonly summary: SessionSummary;
  readonly answer: string | null;
  readonly error: SessionError | null;
}

/** Several answers together: hosts of a page of at most 1 MiB take all of it or nothing, and a character may need 6 bytes. */
const LIMIT = 150_000;
const LEAST = 200;

const nameOf = ({ name, id }: SessionSummary): string => htmlText(name ?? id);

function tokensOf({ token_usage: usage }: SessionSummary): string {
  if (usage === null) return '-';
  const words = `${shortCount(usage.input_tokens)} in, ${shortCount(usage.output_tokens)} out`;
  return usage.at_least ? `≥ ${words}` : words;
}

function rowOf(summary: SessionSummary): string {
  const took = summary.duration_ms === null ? '-' : longSpan(summary.duration_ms);
  const cells = [nameOf(summary), summary.status, took, tokensOf(summary), costText(summary)];
  return `| ${cells.join(' | ')} |\n`;
}

function detailsOf({ summary, answer, error }: WaitedSession, limit: number): string {
  const { id, status, title } = summary;
  if (isActive(status)) return '';
  const texts = [error === null ? null : errorLines(error).join('\n'), answer && cutText(answer, limit)];
  const parts = texts.flatMap((text) =>
    text ? [`<pre>${htmlText(text.replace(/\n$/, ''))}</pre>\n\n`] : [],
  );
  if (answer !== null && answer.length > limit) parts.push(`All of it: \`zwarm answer ${id}\`\n\n`);
  const head = `${nameOf(summary)}: ${htmlText(title ?? '-').replace(/\s+/g, ' ')} (${status})`;
  const open = status === 'completed' ? '' : ' open';
  return `\n<details${open}>\n<summary>${head}</summary>\n\n${parts.join('')}</details>\n`;
}

/**
 * What came of sessions that were waited for, as Markdown for the page of a CI job: a table, then the answer or the error of
 * each, folded. Nothing that an agent wrote is markup in it.
 */
export function waitSummary(
  waited: readonly (WaitedSession | { readonly ref: string; readonly error: ZwarmError })[],
): string {
  const limit = Math.max(LEAST, Math.floor(LIMIT / Math.max(1, waited.length)));
  const rows = waited.flatMap((one) => ('ref' in one ? [] : [rowOf(one.summary)]));
  const details = waited.map((one) =>
    'ref' in one ? `\n<pre>${htmlText(`${one.ref}: ${one.error.message}`)}</pre>\n` : detailsOf(one, limit),
  );
  const heads = '| Session | Status | Time | Tokens | Cost |\n| --- | --- | --- | --- | --- |\n';
  return [...(rows.length > 0 ? [heads, ...rows] : []), ...details].join('');
}
