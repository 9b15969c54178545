import { fileURLToPath } from 'node:url';
import type { McpServer } from '@modelcontextprotocol/server';

/** How long a client may take to tell its roots, in milliseconds: the first call of a tool waits for that. */
const LONGEST_MS = 2000;

/** The path of a `file:` address on this machine; null for any other text. */
function pathOf(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    // It is of another machine or kind, has a slash in disguise, or is not an address: it names nothing.
    return null;
  }
}

/**
 * The directories that a client has open, as it says; none of a client that does not offer to tell them. Only the older
 * protocol lets a server ask. @throws Error where it does not answer in time, or with something else
 */
export async function rootsOf({ server }: McpServer): Promise<readonly string[]> {
  if (server.getClientCapabilities()?.roots === undefined) return [];
  try {
    const { roots } = await server.listRoots(undefined, { timeout: LONGEST_MS });
    return roots.flatMap(({ uri }) => pathOf(uri) ?? []);
  } catch (error) {
    throw new Error('does not know which directories its client has open', { cause: error });
  }
}
