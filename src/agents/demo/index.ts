import type { AgentAdapter } from '../agent.ts';
import { demoCommand } from './command.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The embedded agent (`bin/demo-agent.js`): offline, harmless, for trying zwarm and for its tests. */
export const demo: AgentAdapter = {
  name: 'demo',
  capabilities: { resume: true, sandbox: ['read-only', 'workspace-write', 'danger-full-access'] },
  program: { kind: 'embedded' },
  command: demoCommand,
  isThreadId: (text) => UUID.test(text),
  async loadParser() {
    const { createDemoParser } = await import('./translate.ts');
    return createDemoParser();
  },
  explain({ message, stderr }) {
    const said = message ?? stderr.trim().split('\n').at(-1) ?? '';
    return said === '' ? null : { code: 'agent_failed', message: said, hint: null, retryable: false };
  },
};
