import type { Place } from '../core/search/places.ts';
import type { Style } from './style.ts';
import { safeLine } from './text/safe-text.ts';
import { cutToWidth, lineOf, widthOf } from './text/width.ts';

/** A line in which something was found, and where. */
interface Hit {
  readonly id: string;
  readonly project: string;
  readonly turn: number;
  readonly undone: boolean;
  readonly in: Place;
  readonly path: string | null;
  readonly line: string;
  readonly match: string;
}

/** A line of a diff behind the name of its file; any other line as it is. */
function textOf({ path, line }: Hit): string {
  return path === null || path === line ? line : `${path}: ${line}`;
}

/** A hit for pipes: id, turn, place, line and, if asked for, project, between tabs. */
export function renderHitRow(hit: Hit, withProject: boolean): string {
  const { id, turn, in: place, project } = hit;
  const columns = [id, turn, place, safeLine(textOf(hit)), ...(withProject ? [safeLine(project)] : [])];
  return `${columns.join('\t')}\n`;
}

/** Columns of a turn, of the longest place, and of a project. */
const [TURN, PLACE, PROJECT] = [3, 7, 16];
const LEAST = 12;
/** Below it there is no room for the turn and the project. */
const WIDE = 60;

/** A hit on one line of a terminal: where there is no room for all of its text, what was found is in it. */
export function renderHit(hit: Hit, withProject: boolean, { paint, width }: Style): string {
  const project = lineOf(hit.project.split('/').at(-1) ?? '', PROJECT);
  const where = [
    hit.id,
    ...(width < WIDE ? [] : [String(hit.turn).padStart(TURN)]),
    hit.in.padEnd(PLACE),
    ...(withProject && width >= WIDE ? [project + ' '.repeat(PROJECT - widthOf(project))] : []),
  ].join('  ');
  const room = Math.max(LEAST, width - widthOf(where) - 2);
  const text = `${hit.undone ? '(rewound) ' : ''}${safeLine(textOf(hit))}`;
  const match = safeLine(hit.match);
  const at = text.indexOf(match);
  const isNear = at < 0 || widthOf(text.slice(0, at + match.length)) < room;
  const from = at - Math.floor(room / 4);
  const shown = isNear ? text : `…${text.slice(from).replace(/^[\udc00-\udfff]/, '')}`;
  const [before, ...behind] = match === '' ? [cutToWidth(shown, room)] : cutToWidth(shown, room).split(match);
  const marked = behind.length === 0 ? before : before + paint.red(match) + behind.join(match);
  return `${paint.dim(where)}  ${marked}\n`;
}
