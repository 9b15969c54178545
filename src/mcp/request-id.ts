const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** More than a request needs for its id, or for the name of its method. */
const LONGEST_MEMBER = 300;

/**
 * Finds the id of a request in its JSON, which may be of any length: of the text it keeps one member of the outermost
 * object at a time, and no more than the beginning of that.
 */
export class RequestIdFinder {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #member: number[] = [];
  #id: string | number | null = null;
  #isRequest = false;

  /** The id of the request that was read; null for what is not a request, or has none. */
  get id(): string | number | null {
    return this.#isRequest ? this.#id : null;
  }

  /** Reads on. */
  read(bytes: Uint8Array): void {
    // Fields of an object would take this several times as long.
    let [depth, inString, escaped] = [this.#depth, this.#inString, this.#escaped];
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i];
      const ends = depth === 1 && !inString && (byte === COMMA || byte === CLOSE);
      if (ends) this.#endMember();
      else if (depth === 1 && byte !== undefined) this.#keep(byte);
      if (escaped) escaped = false;
      else if (byte === QUOTE) inString = !inString;
      else if (inString) escaped = byte === BACKSLASH;
      else if (byte === OPEN || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE || byte === CLOSE_LIST) depth -= 1;
    }
    [this.#depth, this.#inString, this.#escaped] = [depth, inString, escaped];
  }

  #keep(byte: number): void {
    if (this.#member.length < LONGEST_MEMBER) this.#member.push(byte);
  }

  #endMember(): void {
    const [, key, value] = /^\s*"(id|method)"\s*:(.*)$/s.exec(Buffer.from(this.#member).toString()) ?? [];
    this.#member = [];
    if (key === 'method') this.#isRequest = true;
    else if (value !== undefined) this.#id = idOf(value);
  }
}

function idOf(json: string): string | number | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' || typeof value === 'number' ? value : null;
  } catch {
    // It was cut, or is not JSON: then nobody can be told by it.
    return null;
  }
}
