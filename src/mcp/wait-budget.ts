/** The longest wait of one call, in seconds, where the user configured none. The documented limit of Codex is 60 s. */
const DEFAULT_SEC = 45;
/** Claude Code moves a call to the background after two minutes. */
const CLAUDE_CODE_SEC = 110;

/**
 * The longest wait of one call, in seconds: what the user configured, else what the client is known to accept.
 * @param client the name that the client gave itself
 */
export function longestWait(client: string, configured: number | null): number {
  return configured ?? (/^claude-code/i.test(client) ? CLAUDE_CODE_SEC : DEFAULT_SEC);
}
