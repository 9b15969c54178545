import type { Style } from '../style.ts';
import type { Span } from './wrap.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Programs that are terminals with hyperlinks (OSC 8), by `TERM_PROGRAM`. */
const PROGRAMS = ['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'mintty', 'rio', 'WarpTerminal'];
/** By `TERM`. */
const TERMS = /^(xterm-kitty|xterm-ghostty|alacritty|foot|contour|wezterm)/;
/** The first version of the library below GNOME's terminals that has them without a fault (0.50). */
const VTE = 5000;

/** Whether a terminal has hyperlinks, as far as its variables tell; `FORCE_HYPERLINK` decides where it is set. */
export function hasHyperlinks(env: Environment): boolean {
  const forced = env['FORCE_HYPERLINK'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return (
    PROGRAMS.includes(env['TERM_PROGRAM'] ?? '') ||
    TERMS.test(env['TERM'] ?? '') ||
    Number(env['VTE_VERSION'] ?? 0) > VTE ||
    env['WT_SESSION'] !== undefined ||
    env['KONSOLE_VERSION'] !== undefined
  );
}

/** The address of a file on a host: nothing in it can end the escape sequence in which it stands. */
function fileUrl(host: string, path: string): string {
  return `file://${encodeURIComponent(host)}${path
    .replace(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/')}`;
}

/** How to write the name of a file, which may lie in a directory: as a hyperlink where the terminal has them. */
export function linkTo(path: string, directory: string | null, { linkHost }: Style): Span['paint'] {
  const absolute = path.startsWith('/') || directory === null ? path : `${directory}/${path}`;
  if (linkHost === null || !absolute.startsWith('/')) return String;
  const url = fileUrl(linkHost, absolute);
  return (text) => `\x1b]8;;${url}\x1b\\${text}\x1b]8;;\x1b\\`;
}
