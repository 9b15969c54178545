import { shortBytes } from '../core/bytes.ts';
import type { CleanItem, CleanPlan } from '../core/rules/clean-plan.ts';
import { safeLine } from './text/safe-text.ts';

/** What `clean` would do with something, in one line: what it is, its size, and why it is not safe. */
export function renderItem({ kind, id, name, path, branch, bytes, reasons }: CleanItem): string {
  const what = kind === 'session' || kind === 'trash' ? [id, name, path] : [kind, path ?? branch];
  const size = bytes === null || kind === 'branch' ? '' : ` (${shortBytes(bytes)})`;
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return safeLine(`${what.filter((word) => word !== null).join(' ')}${size}${why}`);
}

/** What goes unsaid in a table of sessions. */
const isMore = ({ kind, path }: CleanItem): boolean => kind !== 'session' || path !== null;

const HEADS = [
  ['safe', 'safe: what is in it is elsewhere, too'],
  ['saved_first', 'saved first: in the trash for seven days'],
  ['kept', 'kept'],
] as const;

/** The groups of a plan for a terminal, without what is only a record; empty where nothing else is in it. */
export function renderPlan(plan: CleanPlan): string {
  return HEADS.map(([group, head]) => {
    const lines = plan[group].filter(isMore).map((item) => `  ${renderItem(item)}\n${renderIgnored(item)}`);
    return lines.length === 0 ? '' : `${head}\n${lines.join('')}`;
  }).join('');
}

/** Files that git ignores are in no commit: those that would go are named. */
function renderIgnored({ ignored }: CleanItem): string {
  return ignored.length === 0 ? '' : `    with what git ignores: ${safeLine(ignored.join(', '))}\n`;
}
