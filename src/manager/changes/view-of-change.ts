import type { ChangedFile, FileChange } from '../../core/changes.ts';
import { isText, textOfPath } from '../../core/raw-path.ts';

/** A change as verbs tell it. */
export function viewOfChange(
  { kind, path, from, added, removed }: FileChange,
  alsoOutside: boolean,
): ChangedFile {
  return {
    kind,
    path: textOfPath(path),
    path_bytes: isText(path) ? null : Buffer.from(path, 'latin1').toString('base64'),
    from: from === null ? null : textOfPath(from),
    added,
    removed,
    also_outside: alsoOutside,
  };
}
