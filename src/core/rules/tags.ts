import { usageError } from '../errors.ts';

const TAG = /^[a-z0-9][a-z0-9_.-]{0,39}$/;

/** As many as a row of a list has room for in words. */
const MOST_TAGS = 16;

/** Whether a text can be a tag. */
export const isTag = (text: string): boolean => TAG.test(text);

/** The tags of a session, each once, as given by `--tag`. @throws ZwarmError `usage` */
export function parseTags(texts: readonly string[]): readonly string[] {
  const wrong = texts.find((text) => !TAG.test(text));
  const tags = [...new Set(texts)];
  if (tags.length > MOST_TAGS)
    throw usageError(`${tags.length} tags are too many`, `give at most ${MOST_TAGS}`);
  if (wrong === undefined) return tags;
  throw usageError(
    `${JSON.stringify(wrong.slice(0, 80))} is not a valid tag`,
    'a tag has at most 40 characters of a-z 0-9 _ . - and begins with a letter or digit',
  );
}

/** Whether a session has one of these tags; all have without any. @throws ZwarmError `usage` */
export function tagFilter(tags: readonly string[] | undefined): (of: readonly string[]) => boolean {
  if (tags === undefined) return () => true;
  const wanted = parseTags(tags);
  return (of) => of.some((tag) => wanted.includes(tag));
}
