/** What a turn of one kind is. */
interface KindOfTurn {
  /**
   * What runs in it: an agent that zwarm starts; something `else` that ran before zwarm knew of it; the `user`, in the agent's
   * own program; null for a mark, which only says something of other turns, or of the session.
   */
  readonly runBy: 'zwarm' | 'else' | 'user' | null;
  /** Whether its prompt is what the user said. */
  readonly isSaid: boolean;
  /** Whether its answer stands for the whole conversation before it. */
  readonly sumsUp: boolean;
}

const KINDS = {
  /** A message, and the run that answers it. */
  prompt: { runBy: 'zwarm', isSaid: true, sumsUp: false },
  /** The conversation goes on from its answer. */
  compact: { runBy: 'zwarm', isSaid: false, sumsUp: true },
  /** A message once more, which was said in an earlier turn. */
  retry: { runBy: 'zwarm', isSaid: false, sumsUp: false },
  /** The conversation is what it was after an earlier turn. */
  rewind: { runBy: null, isSaid: false, sumsUp: false },
  /** Of a thread that an agent held without zwarm. */
  imported: { runBy: 'else', isSaid: true, sumsUp: false },
  /** The session is open in the agent's own program, while that lives or the command that claimed it; then it is a mark. */
  open: { runBy: null, isSaid: false, sumsUp: false },
  /** What was said there, behind such a mark; or in the same thread without zwarm. */
  external: { runBy: 'user', isSaid: true, sumsUp: false },
  /** The session is being removed. */
  tombstone: { runBy: null, isSaid: false, sumsUp: false },
} as const satisfies Readonly<Record<string, KindOfTurn>>;

export type TurnKind = keyof typeof KINDS;

/** What a newer zwarm has written may run, and its prompt is not to be lost. */
const UNKNOWN: KindOfTurn = { runBy: 'zwarm', isSaid: true, sumsUp: false };

/** Whether a word is a kind that this version knows; a newer one may have written another. */
export const isTurnKind = (word: string): word is TurnKind => Object.hasOwn(KINDS, word);

/** What a turn of a kind is; what is not known of a word that a newer zwarm has written has to be told otherwise. */
export const kindOf = (word: string): KindOfTurn => (isTurnKind(word) ? KINDS[word] : UNKNOWN);

/** Whether nothing runs in turns of a kind that we know. */
export const isMarkerKind = (word: string): boolean => kindOf(word).runBy === null;

/** Whether a turn was run by something else than zwarm, and taken over with what it did. */
export function isAdopted(word: string): boolean {
  const { runBy } = kindOf(word);
  return runBy === 'else' || runBy === 'user';
}

/** Whether a turn is of what was said in the agent's own program: a turn before it may still hold the session open. */
export const isExternal = (word: string): boolean => kindOf(word).runBy === 'user';

/** Whether the prompt of a turn is what the user said. */
export const isSaid = (word: string): boolean => kindOf(word).isSaid;
