/** Columns and lines of text as pixels. */
const COLUMN = 8.4;
const LINE = 19;
const MARGIN = 20;
const BAR = 36;

/** The classes of the picture by the codes that turn them on; those that turn them off by the code before. */
const CLASSES: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'magenta',
  36: 'cyan',
};
const OFF: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  39: ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'],
};

const STYLE = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d8dee9}
.bold{font-weight:700}.dim{fill:#7f8a9c}.italic{font-style:italic}.underline{text-decoration:underline}
.red{fill:#f07178}.green{fill:#a3d977}.yellow{fill:#e6c06c}.blue{fill:#82aaff}.magenta{fill:#d6a0e6}.cyan{fill:#7fd5e0}
.typed{fill:#fff;font-weight:700}`;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A line with colour codes as pieces of text, each at its column: a font of other widths does not shift what follows. */
function piecesOf(line: string): string {
  const classes = new Set<string>();
  let column = 0;
  let pieces = '';
  for (const [i, part] of line.split(/\x1b\[(\d+)m/).entries()) {
    if (i % 2 === 1) {
      const code = Number(part);
      for (const name of OFF[code] ?? []) classes.delete(name);
      if (CLASSES[code] !== undefined) classes.add(CLASSES[code]);
      continue;
    }
    const length = [...part].length;
    const at = `x="${(MARGIN + column * COLUMN).toFixed(1)}" textLength="${(length * COLUMN).toFixed(1)}"`;
    const how = classes.size === 0 ? '' : ` class="${[...classes].join(' ')}"`;
    if (part.trim() !== '') pieces += `<tspan ${at}${how}>${escapeXml(part)}</tspan>`;
    column += length;
  }
  return pieces;
}

/** A picture of a terminal (SVG) with some lines of text, colours included; typed lines begin with `$ `. */
export function pictureOf(text: string, columns: number): string {
  const lines = text.trimEnd().split('\n');
  const width = Math.ceil(columns * COLUMN + 2 * MARGIN);
  const height = BAR + lines.length * LINE + MARGIN;
  const lights = ['#f07178', '#e6c06c', '#a3d977'].map(
    (fill, i) => `<circle cx="${MARGIN + 6 + i * 20}" cy="18" r="6" fill="${fill}"/>`,
  );
  const texts = lines.map((line, i) => {
    const typed = line.startsWith('$ ') ? ' class="typed"' : '';
    const pieces = piecesOf(line);
    return pieces === ''
      ? []
      : `<text y="${BAR + (i + 1) * LINE - 5}"${typed} xml:space="preserve">${pieces}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#1b2230"/>`,
    ...lights,
    ...texts.flat(),
    '</svg>\n',
  ].join('\n');
}
