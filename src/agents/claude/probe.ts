import * as z from 'zod/mini';
import { type Answer, finding } from '../../core/check.ts';
import { decodeOrNull } from '../../core/decode.ts';
import { parseJson } from '../../core/json.ts';
import type { AgentProbe } from '../agent.ts';

const status = z.object({ loggedIn: z.boolean() });

function judgeLogin({ stdout }: Answer) {
  const reported = decodeOrNull(status, parseJson(stdout));
  if (reported === null) return finding('note', 'this Claude Code cannot tell whether anybody is logged in');
  if (reported.loggedIn) return finding('ok', 'logged in');
  return finding(
    'failed',
    'nobody is logged in to Claude Code',
    'log in: claude auth login (or set ANTHROPIC_API_KEY)',
  );
}

/** What `doctor` asks of Claude Code: `claude auth status` prints JSON (2.1.197 to 2.1.328), and asks no server. */
export const claudeProbe: AgentProbe = {
  configurationFile: () => null,
  questions: [
    { names: ['login'], args: ['auth', 'status'], judge: (answer) => ({ login: judgeLogin(answer) }) },
  ],
};
