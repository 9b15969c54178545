import { lstatSync } from 'node:fs';
import { AGENTS } from '../../agents/registry.ts';
import type { SessionId } from '../../core/ids.ts';
import { cutLine, messageOfRow, type SessionSummary } from '../../core/session.ts';
import { isActive } from '../../core/status.ts';
import { turnsDir } from '../../store/layout.ts';
import { listSessions } from '../../store/sessions.ts';
import type { Listed } from '../../store/summary.ts';
import { type ManagerContext, openForReading, type Session, type Store } from '../context.ts';
import { forEachSession } from '../session/each-session.ts';
import { rowOf } from '../session/session-summary.ts';

/** What a shell may ask for: a reference to a session (any, one that runs, one that does not, one in the trash), or a value of one. */
export type Looked = 'session' | 'running' | 'ended' | 'trashed' | 'agent' | 'tag' | 'model';

/** A word that can be typed, and what it stands for. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** A person waits for the answer, between two keys: of more sessions only those with the newest turns are looked at. */
const MOST = 200;

const ABOUT_LENGTH = 60;

function newestOf(store: Store, ids: readonly SessionId[]): readonly SessionId[] {
  if (ids.length <= MOST) return ids;
  const claimedMs = (id: SessionId): number =>
    lstatSync(turnsDir({ store, id }), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const byTime = ids.map((id) => ({ id, ms: claimedMs(id) })).sort((a, b) => b.ms - a.ms);
  return byTime.slice(0, MOST).map(({ id }) => id);
}

/** The sessions whose id or name begins with a text, newest first. */
async function rowsFor(context: ManagerContext, typed: string): Promise<readonly SessionSummary[]> {
  const store = openForReading(context);
  if (store === null) return [];
  const isMeant = (id: SessionId): boolean =>
    id.startsWith(typed) || (store.names.get(id)?.startsWith(typed) ?? false);
  const ids = listSessions(store.root).directories.filter(isMeant);
  const rows: SessionSummary[] = [];
  const found = { directories: [...newestOf(store, ids)], others: [] };
  const tell = (session: Session, listed: Listed) => void rows.push(rowOf(session, listed, new Map()));
  await forEachSession(store, context.now(), tell, found);
  return rows.sort((a, b) => ((a.created_at ?? '') < (b.created_at ?? '') ? 1 : -1));
}

/** A session by its name, or by its id where it has none or another beginning was typed. */
function candidateOf(row: SessionSummary, typed: string): Candidate {
  const { id, name, status } = row;
  const word = name?.startsWith(typed) ? name : id;
  const said = status === 'damaged' ? '' : cutLine(messageOfRow(row), ABOUT_LENGTH);
  return { word, about: [status, said].filter(Boolean).join(': ') };
}

/** How a session is named by its place. */
const BY_PLACE: readonly Candidate[] = [
  { word: '@last', about: 'the newest session' },
  { word: '@last~1', about: 'the one before it' },
  { word: '@here', about: 'the newest one that works in this directory' },
  { word: '@running', about: 'the newest one that runs' },
  { word: '@failed', about: 'the newest one that has failed' },
];

/** The words of a kind that can be typed after `typed`. From summaries where they tell it; nothing is written. */
export async function complete(
  context: ManagerContext,
  kind: Looked,
  typed: string,
): Promise<readonly Candidate[]> {
  if (kind === 'agent') return AGENTS.map(({ name }) => ({ word: name, about: '' }));
  if (kind === 'tag' || kind === 'model') {
    const rows = await rowsFor(context, '');
    const values = rows.flatMap(({ tags, model }) => (kind === 'tag' ? tags : (model ?? [])));
    return [...new Set(values)].map((word) => ({ word, about: '' }));
  }
  if (kind === 'trashed') {
    const store = openForReading(context);
    const all = store === null ? [] : (await import('../removal/trash.ts')).trashOf(store);
    return all.map(({ id, name, reasons }) => ({ word: name ?? id, about: reasons.join('; ') }));
  }
  if (typed.startsWith('@')) return BY_PLACE;
  const rows = await rowsFor(context, typed);
  const wanted = rows.filter(({ status }) => kind === 'session' || isActive(status) === (kind === 'running'));
  return wanted.map((row) => candidateOf(row, typed));
}
