/** What a host's configuration holds about our server, key by key in the order in which it is written. */
export type HostEntry = Readonly<Record<string, HostValue>>;
export type HostValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/** How a host writes its configuration. All of it works on text, and keeps what is not ours as it is. */
export interface HostFormat {
  /** What a user may paste. */
  snippet(entry: HostEntry): string;
  /** The text with our entry in it; the very same text where it was there. @throws Uneditable */
  put(text: string, entry: HostEntry): Promise<string>;
  /** The text without our entry; the very same text where there was none. @throws Uneditable */
  take(text: string): Promise<string>;
}

/** A text that cannot be edited without a doubt; the message says why. */
export class Uneditable extends Error {
  override readonly name = 'Uneditable';
}

/** What our entry is called in every host. */
export const SERVER = 'zwarm';
