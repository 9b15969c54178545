import { usageError } from '../errors.ts';

/** A line of a patch, and what it is a line of. */
interface PatchLine {
  readonly text: string;
  /** Null before the first file. */
  readonly path: string | null;
  /** Its number in the file as it is now, of a line that is gone in the file as it was; null of a line between files. */
  readonly line: number | null;
  readonly isGone: boolean;
}

/** What somebody has said of one line. */
export interface Comment extends PatchLine {
  readonly comment: string;
}

/** The path in a line such as `+++ b/src/x`; null where that names no file. */
function pathIn(line: string): string | null {
  const name = line.slice(4).replace(/\t$/, '');
  return name === '/dev/null' ? null : name.replace(/^"?[ab]\//, '').replace(/"$/, '');
}

/** The lines of a patch of git, with where they are. */
function readPatch(patch: string): readonly PatchLine[] {
  let path: string | null = null;
  let [was, now] = [0, 0];
  let inHunk = false;
  return patch.split('\n').map((text): PatchLine => {
    const [, old, new_] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text) ?? [];
    if (old !== undefined && new_ !== undefined) {
      [was, now, inHunk] = [Number(old), Number(new_), true];
      return { text, path, line: now, isGone: false };
    }
    if (text.startsWith('diff --git ')) {
      [path, inHunk] = [/ b\/(.*)$/.exec(text)?.[1] ?? null, false];
    } else if (!inHunk && /^(---|\+\+\+) /.test(text)) path = pathIn(text) ?? path;
    else if (!inHunk && text.startsWith('rename to ')) path = text.slice('rename to '.length);
    if (!inHunk || !/^[ +-]/.test(text)) return { text, path, line: null, isGone: false };
    if (text.startsWith('-')) return { text, path, line: was++, isGone: true };
    if (!text.startsWith('+')) was += 1;
    return { text, path, line: now++, isGone: false };
  });
}

/** The first line of that text behind another one; some editors take away white space at the end. */
function lineBehind(lines: readonly PatchLine[], at: number, text: string): number | null {
  for (let next = at + 1; next < lines.length; next++)
    if (lines[next]?.text.trimEnd() === text.trimEnd()) return next;
  return null;
}

/** A comment at the beginning, before any line. */
const NOWHERE: PatchLine = { text: '', path: null, line: null, isGone: false };

/**
 * What was written into a patch: lines that begin with `> ` say something of the line above them. Lines of the patch may have
 * been taken out, but no others may stand there. @throws ZwarmError `usage` with the first that does
 */
export function commentsIn(edited: string, patch: string): readonly Comment[] {
  const lines = readPatch(patch);
  const comments: (Comment & { words: string[] })[] = [];
  let about = NOWHERE;
  let at = -1;
  let open: string[] | null = null;
  for (const [i, text] of edited.split(/\r?\n/).entries()) {
    if (/^>(?: |$)/.test(text)) {
      if (open === null) {
        open = [];
        comments.push({ ...about, comment: '', words: open });
      }
      open.push(text.replace(/^> ?/, ''));
      continue;
    }
    open = null;
    const next = lineBehind(lines, at, text);
    if (next !== null) [at, about] = [next, lines[next] ?? NOWHERE];
    else if (text.trim() !== '')
      throw usageError(
        `line ${i + 1} is neither a line of the patch nor a comment: ${text.slice(0, 80)}`,
        'begin each line of a comment with "> ", and leave the others as they are',
      );
  }
  return comments
    .map(({ words, ...rest }) => ({ ...rest, comment: words.join('\n').trim() }))
    .filter(({ comment }) => comment !== '');
}

/** Comments as one message: path, line, that line, and what was said of it. */
export function messageOf(comments: readonly Comment[]): string {
  const parts = comments.map(({ path, line, text, isGone, comment }) => {
    if (path === null) return comment;
    if (line === null) return `${path}\n${comment}`;
    const where = `${path}:${line}${isGone ? ' (removed)' : ''}`;
    return `${where}\n> ${text.trimEnd()}\n${comment}`;
  });
  return `I have reviewed what you changed. My comments, each below the line that it is about:\n\n${parts.join('\n\n')}\n`;
}
