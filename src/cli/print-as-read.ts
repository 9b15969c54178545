import type { OutputStream } from './context.ts';

/** Characters that are written at a time. */
const CHUNK = 1 << 16;

/** Prints a text as it comes, and waits until each chunk of it was taken: no more of it is in memory than that. */
export async function printAsRead(stream: OutputStream, pieces: Iterable<string>): Promise<void> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    await stream.send(chunk);
    // Nobody reads any more (`| head`).
    if (stream.closed.aborted) return;
    chunk = '';
  }
  await stream.send(chunk);
}
