/*
 * The fields of what agents print, each read in the one form that it may have; in any other the reading throws, within
 * `unlessMisshapen`. By hand: a library for this takes longer to load than most turns take to read.
 */

/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;

// One for all: a stream may hold millions of lines that are not of their shape.
const MISSHAPEN = new Error('not of the shape of its type');

function sound<T>(value: T | undefined): T {
  if (value === undefined) throw MISSHAPEN;
  return value;
}

/** What `read` reads, or null where a field did not have its form. */
export function unlessMisshapen<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error === MISSHAPEN) return null;
    throw error;
  }
}

/** Whether a value is an object: no list, and not null. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object of this name. */
export function object(json: Json, key: string): Json {
  const value = json[key];
  return sound(isObject(value) ? value : undefined);
}

/** A text of this name. */
export function string(json: Json, key: string): string {
  const value = json[key];
  return sound(typeof value === 'string' ? value : undefined);
}

/** A text; null where there is no field of this name. */
export function optionalString(json: Json, key: string): string | null {
  return json[key] === undefined ? null : string(json, key);
}

/** A number; null where that is the value or there is no such field. */
export function optionalNumber(json: Json, key: string): number | null {
  const value = json[key] ?? null;
  return sound(value === null || (typeof value === 'number' && Number.isFinite(value)) ? value : undefined);
}

/** A yes or no of this name. */
export function boolean(json: Json, key: string): boolean {
  const value = json[key];
  return sound(typeof value === 'boolean' ? value : undefined);
}

/** A number of tokens. */
export function count(json: Json, key: string): number {
  const value = json[key];
  return sound(typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined);
}

/** A list of this name, each item of it read by `read`. */
export function list<T>(json: Json, key: string, read: (item: Json) => T): readonly T[] {
  const value = json[key];
  return sound(Array.isArray(value) ? value : undefined).map((item: unknown) =>
    read(sound(isObject(item) ? item : undefined)),
  );
}

/** A list of texts, empty where there is no field of this name. */
export function optionalStrings(json: Json, key: string): readonly string[] {
  const value = json[key] === undefined ? [] : json[key];
  const texts = sound(Array.isArray(value) ? (value as unknown[]) : undefined);
  return texts.map((text) => sound(typeof text === 'string' ? text : undefined));
}
