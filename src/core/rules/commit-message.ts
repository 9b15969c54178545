/** What a commit of a session's work is to say. */
export interface CommitSource {
  readonly id: string;
  /** The agent, with its model and version where these are known. */
  readonly agent: string;
  readonly task: string;
  /** The last answer, or null. */
  readonly answer: string | null;
}

const SUBJECT_LENGTH = 72;
const BODY_LENGTH = 4000;

/** A text of others without what could drive a terminal, or hide words: a log is read there. */
const plain = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '')
    .trim();

/** A text of at most so many characters, cut behind a word. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const whole = text.slice(0, length - 1);
  return `${(/^.*\S(?=\s)/s.exec(whole)?.[0] ?? whole).trimEnd()}…`;
}

/** The message of a commit: the task as its subject, the answer, and by which session and agent it came to be. */
export function commitMessage({ id, agent, task, answer }: CommitSource): string {
  const subject = cut(plain(task).replace(/\s+/g, ' '), SUBJECT_LENGTH) || `Work of session ${id}`;
  const body = cut(plain(answer ?? ''), BODY_LENGTH);
  const trailers = `Zwarm-Session: ${id}\nZwarm-Agent: ${plain(agent).replace(/\s+/g, ' ')}`;
  // Where the answer ends with lines that look like trailers, ours are the last paragraph: git reads that alone.
  return [subject, body, trailers].filter((part) => part !== '').join('\n\n') + '\n';
}
