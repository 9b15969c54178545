/**
 * How long one call may wait, by the client that makes it. Codex's documented limit of a call is 60 s, and Cursor's is
 * of that kind; Claude Code moves a call to the background after two minutes.
 */
const HOSTS: readonly (readonly [name: RegExp, seconds: number])[] = [[/^claude-code/i, 110]];
const ANY_HOST = 45;

/**
 * The longest wait of one call, in seconds: what the user configured, else what the client is known to bear.
 * @param client the name that the client gave itself
 */
export function longestWait(client: string, configured: number | null): number {
  if (configured !== null) return configured;
  return HOSTS.find(([name]) => name.test(client))?.[1] ?? ANY_HOST;
}
