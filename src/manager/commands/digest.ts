import type { ZwarmError } from '../../core/errors.ts';
import {
  DIGEST_SECTIONS,
  type DigestSection,
  digestSection,
  type Slept,
  sleptOf,
} from '../../core/rules/digest.ts';
import type { SessionSummary } from '../../core/session.ts';
import { isoTime } from '../../core/time.ts';
import type { UsageRow } from '../../core/usage-groups.ts';
import { type ManagerContext, stateDirectory } from '../context.ts';
import { wakerNow } from '../session/wake-time.ts';
import { list } from './ls.ts';
import { usage } from './usage.ts';

/** What a digest is about. */
export interface DigestOptions {
  /** What happened since then (ms since the epoch). */
  readonly sinceMs: number;
  /** The sessions of all projects. */
  readonly everywhere?: boolean | undefined;
}

/** What happened since a time: the JSON contract of `docs/formats.md`. */
export interface Digest extends Readonly<Record<DigestSection, readonly SessionSummary[]>> {
  readonly since: string;
  readonly until: string;
  readonly slept: readonly Slept[];
  /** What turns used that began since then. */
  readonly total: UsageRow;
}

/** What happened since a time, by what it asks of its reader, and why some stores could not be looked at. */
export async function digest(
  context: ManagerContext,
  { sinceMs, everywhere }: DigestOptions,
): Promise<Digest & { readonly refused: readonly ZwarmError[] }> {
  const asked = { sinceMs, isWoken: wakerNow(stateDirectory(context)).lives };
  const { rows, refused } = await list(context, { all: true, everywhere }, (row) => {
    const section = digestSection(row, asked);
    return section === null ? null : { section, row };
  });
  const found = rows.filter((one) => one !== null);
  const inSection = (wanted: DigestSection) =>
    found.flatMap(({ section, row }) => (section === wanted ? [row] : []));
  const sections = Object.fromEntries(DIGEST_SECTIONS.map((section) => [section, inSection(section)]));
  const { total } = await usage(context, { sinceMs, everywhere });
  return {
    since: isoTime(sinceMs),
    until: isoTime(context.now()),
    ...(sections as Record<DigestSection, SessionSummary[]>),
    slept: sleptOf(found.map(({ row }) => row)),
    total,
    refused,
  };
}
