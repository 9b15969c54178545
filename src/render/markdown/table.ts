import type { Tokens } from 'marked';
import type { Style } from '../style.ts';
import { widthOf } from '../text/width.ts';
import { readable, type Span, type WrappedLine, wrapLines, wrapSpans } from '../text/wrap.ts';
import { inlineSpans } from './inline.ts';

const GAP = 2;
/** A narrower column is not worth reading. */
const NARROWEST = 8;

interface Cell {
  readonly spans: readonly Span[];
  readonly width: number;
}

function cellOf({ tokens }: Tokens.TableCell, { paint }: Style, header: boolean): Cell {
  const spans = inlineSpans(tokens, paint, header ? paint.bold : paint);
  const text = spans.map((span) => span.text).join('');
  return { spans, width: Math.max(...text.split('\n').map(widthOf)) };
}

/** Widths that fit together: the widest columns give way first. Null when they would become too narrow. */
function fittingWidths(natural: readonly number[], room: number): number[] | null {
  const widths = [...natural];
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = (widths[widest] ?? 0) - 1;
    if (width < NARROWEST) return null;
    widths[widest] = width;
  }
  return widths;
}

type Aligns = Tokens.Table['align'];

function aligned(line: WrappedLine | undefined, columns: number, align: Aligns[number] | undefined): string {
  const room = Math.max(0, columns - (line?.columns ?? 0));
  const left = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0;
  return ' '.repeat(left) + (line?.text ?? '') + ' '.repeat(room - left);
}

function rowLines(cells: readonly Cell[], widths: readonly number[], align: Aligns): string[] {
  const wrapped = cells.map((cell, i) => [...wrapLines(cell.spans, widths[i] ?? NARROWEST)]);
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    wrapped
      .map((lines, i) => aligned(lines[row], widths[i] ?? NARROWEST, align[i]))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

/** Where the columns do not fit beside one another: a line for each cell, behind the head of its column. */
function cellByCell(head: readonly Cell[], rows: readonly (readonly Cell[])[], width: number): string[] {
  return rows.flatMap((cells, row) => [
    ...(row === 0 ? [] : ['']),
    ...head.flatMap(({ spans: name }, i) => {
      const colon = { text: ': ', paint: name.at(-1)?.paint ?? String };
      return wrapSpans([...name, colon, ...(cells[i]?.spans ?? [])], readable(width));
    }),
  ]);
}

/** A table as lines: without borders, the head above a rule, cells wrapped within their columns. */
export function tableLines({ header, rows, align }: Tokens.Table, style: Style): string[] {
  const { paint, width } = style;
  const head = header.map((cell) => cellOf(cell, style, true));
  const body = rows.map((row) => row.map((cell) => cellOf(cell, style, false)));
  const natural = head.map((cell, i) => Math.max(cell.width, ...body.map((row) => row[i]?.width ?? 0), 1));
  const widths = fittingWidths(natural, width - GAP * (head.length - 1));
  if (widths === null) return cellByCell(head, body.length === 0 ? [[]] : body, width);
  return [
    ...rowLines(head, widths, align),
    paint.dim(widths.map((columns) => '─'.repeat(columns)).join(' '.repeat(GAP))),
    ...body.flatMap((cells) => rowLines(cells, widths, align)),
  ];
}
