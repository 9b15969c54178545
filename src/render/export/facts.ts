import type { SessionReader, TurnReader } from '../../core/conversation/session-reader.ts';
import { safeLine } from '../text/safe-text.ts';
import { counted, longSpan } from '../text/units.ts';
import { howWords, kindWords, undoneWords } from '../turn-rule.ts';
import { costText } from '../usage.ts';

/** What is worth knowing of a session as a whole, by its label; neutralised. */
export function cardRows({
  summary,
  length,
}: Pick<SessionReader, 'summary' | 'length'>): readonly (readonly [label: string, value: string])[] {
  const {
    id,
    agent,
    model,
    model_used: used,
    status,
    token_usage: usage,
    forked_from: fork,
    duration_ms: took,
  } = summary;
  const rows: readonly (readonly [string, string | null])[] = [
    ['session', id],
    ['status', [status, length === 0 ? null : counted(length, 'turn')].filter(Boolean).join(', ')],
    ['agent', [agent, used ?? model].filter((word) => word !== null).join(' ')],
    ['directory', summary.working_dir],
    ['time', took === null ? null : longSpan(took)],
    [
      'tokens',
      usage && `${usage.at_least ? 'at least ' : ''}${usage.input_tokens} in, ${usage.output_tokens} out`,
    ],
    ['cost', summary.cost_usd === null ? null : costText(summary)],
    ['tags', summary.tags.join(', ')],
    ['forked from', fork && `${fork.id}, turn ${fork.turn}`],
    ['created', summary.created_at && shortTime(summary.created_at)],
    ['ended', summary.ended_at && shortTime(summary.ended_at)],
  ];
  return rows.flatMap(([label, value]) => (value ? [[label, safeLine(value)] as const] : []));
}

/** A time as a reader of any place understands it. */
const shortTime = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

/** `Turn 2 · AGENT · completed · 4.0s · 2026-11-20 10:30 UTC`, with its agent where that is not `agent`; neutralised. */
export function turnWords(view: TurnReader['view'], agent: string | null): string {
  const { started_at: started, duration_ms: took, by } = view;
  const words = [
    `Turn ${view.turn}`,
    ...kindWords(view, agent),
    by === null || by === 'user' ? null : `by ${by}`,
    ...howWords(view),
    took === null ? null : longSpan(took),
    started === null ? null : shortTime(started),
    ...undoneWords(view),
  ];
  return safeLine(words.filter((word) => word !== null).join(' · '));
}
