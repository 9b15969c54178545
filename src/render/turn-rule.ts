import type { TurnReader } from '../core/conversation/session-reader.ts';
import { retryWords } from '../core/rules/retry.ts';
import { cutLine } from '../core/session.ts';
import { isMarkerKind, isTurnKind } from '../core/turn-kinds.ts';
import type { Style } from './style.ts';
import { safeLine } from './text/safe-text.ts';
import { localTime, longSpan } from './text/units.ts';
import { cutToWidth, widthOf } from './text/width.ts';

/** Turns as a person writes them: `1`, `1–3`, `1, 3–5`. */
export function rangesOf(turns: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const turn of turns) {
    const last = ranges.at(-1);
    if (last?.[1] === turn - 1) last[1] = turn;
    else ranges.push([turn, turn]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}

/** A newer zwarm may have written a longer one. */
const LONGEST_WORD = 100;

/** Whether a turn only says something of other turns: a rewind, or what a newer zwarm has written and nothing ran in. */
export const ranNothing = ({ kind, prompt, started_at, ended_at }: TurnReader['view']): boolean =>
  isMarkerKind(kind) || (!isTurnKind(kind) && prompt === null && started_at === null && ended_at === null);

/** The kind of a turn, unless it is a message, its status, and its agent where that is not the one of the session now. */
export function kindWords(view: TurnReader['view'], now: string | null): string[] {
  const { kind, to, covers, retry, status, agent } = view;
  const by = agent === now ? [] : [agent];
  if (kind === 'rewind') return [`rewound to ${to === 0 ? 'the beginning' : `turn ${to}`}`];
  if (kind === 'open') {
    if (status === 'unknown') return [`open in ${agent}`, status];
    return [`${status === 'running' ? 'open' : 'opened'} in ${agent}`];
  }
  if (kind === 'compact') return [...by, `summary of ${rangesOf(covers)}`, status];
  if (kind === 'retry' && retry !== null) return [...by, retryWords(retry), status];
  if (kind === 'prompt' || kind === 'retry') return [...by, status];
  return [...by, cutLine(kind, LONGEST_WORD), ...(ranNothing(view) ? [] : [status])];
}

/** Says of a turn that it was rewound, or of a rewind that it was undone by another; nothing of any other. */
export const undoneWords = ({ undone, kind }: Pick<TurnReader['view'], 'undone' | 'kind'>): string[] => {
  if (!undone) return [];
  return [kind === 'rewind' ? 'undone' : 'rewound'];
};

/** What is said of how a turn reached its agent: nothing where the conversation went on as usual. */
export function howWords({ how, turn }: Pick<TurnReader['view'], 'how' | 'turn'>): string[] {
  if (how === null || how === 'native' || turn === 1) return [];
  if (how === 'fresh') return ['new thread'];
  return [how === 'replay' ? 'new thread, with a transcript' : cutLine(how, LONGEST_WORD)];
}

/** The line above a turn, with its number and status. */
export function turnRule(words: string, { paint, width }: Style): string {
  const said = `── ${safeLine(words)} `;
  if (widthOf(said) > width) return paint.dim(cutToWidth(said, width));
  return paint.dim(said + '─'.repeat(Math.max(0, Math.min(width, 80) - widthOf(said))));
}

/** How to head a turn. */
export interface HeadingOptions {
  /** When it began. */
  readonly time: boolean;
  /** The agent of its session now. */
  readonly agent: string | null;
}

/** The line above a turn of a page: its number, how it stands, who asked for it, and how long it took. */
export function turnHeading(view: TurnReader['view'], style: Style, { time, agent }: HeadingOptions): string {
  const { started_at: started, duration_ms: duration, by } = view;
  const words = [
    `turn ${view.turn}`,
    ...kindWords(view, agent),
    ...undoneWords(view),
    ...(by === null || by === 'user' ? [] : [`by ${by}`]),
    ...(duration === null ? [] : [longSpan(duration)]),
    ...(time && started !== null ? [localTime(Date.parse(started))] : []),
    ...howWords(view),
  ];
  return turnRule(words.join(' · '), style);
}
