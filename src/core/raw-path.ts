/**
 * A path as the file system has it: a character for each of its bytes, which need not be UTF-8. Relative to the directory
 * that is looked at, with `/` between its names.
 */
export type RawPath = string;

/** The text of a path; what is not UTF-8 becomes U+FFFD. */
export function textOfPath(path: RawPath): string {
  return new TextDecoder().decode(Uint8Array.from(path, (byte) => byte.charCodeAt(0)));
}

/** The path that a text names. */
export function pathOfText(text: string): RawPath {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/** Whether the text of a path says all of it. */
export const isText = (path: RawPath): boolean => pathOfText(textOfPath(path)) === path;

/** The directories above a path, the nearest last; the whole path's own is not among them. */
export function directoriesAbove(path: RawPath): readonly RawPath[] {
  const names = path.split('/');
  return names.slice(1).map((_, i) => names.slice(0, i + 1).join('/'));
}
