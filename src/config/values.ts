import type { Sandbox } from '../core/session.ts';

/** What can be configured; the same names in both files. */
export interface Values {
  readonly agent: string;
  readonly model: string;
  readonly sandbox: Sandbox;
  readonly allowed_dirs: readonly string[];
  readonly max_depth: number;
  readonly max_sessions: number;
  readonly end_others: boolean;
  readonly wait_sec: number;
  readonly reachable_state: boolean;
}

export type Key = keyof Values;

/** What one source says; a key that is left out is unset there. */
export type Given = { readonly [K in Key]?: Values[K] | undefined };

/** Every key, in the order in which people see them. */
export const KEYS: readonly Key[] = [
  'agent',
  'model',
  'sandbox',
  'allowed_dirs',
  'max_depth',
  'max_sessions',
  'end_others',
  'wait_sec',
  'reachable_state',
];

/** Whether a word is one of the keys. */
export function isKey(word: string): word is Key {
  return (KEYS as readonly string[]).includes(word);
}
