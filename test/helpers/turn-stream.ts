import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCodexParser } from '../../src/agents/codex/translate.ts';
import type { TurnStream } from '../../src/manager/turn/turn-stream.ts';
import { emptyDirectory } from './directory.ts';

/** A stream of Codex with this content, or without a file. */
export function streamOf(content: string | Uint8Array | null, ended: boolean): TurnStream {
  const path = join(emptyDirectory(), 'events.jsonl');
  if (content !== null) writeFileSync(path, content);
  return {
    path,
    range: { limit: null, ended },
    newParser: () => createCodexParser('0.169.0'),
    readsWhole: false,
    isReadable: true,
    threadId: null,
  };
}

/** Bytes that this process has read so far. */
export const bytesRead = (): number =>
  Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
