import { CLAUDE } from '../helpers/claude.ts';
import { CODEX } from '../helpers/codex.ts';
import { install, orWhyNot } from '../helpers/installed.ts';
import { OPENCODE, settleOpencode } from '../helpers/opencode.ts';
import { FIRST_SDK } from '../helpers/tools-client.ts';

/** Run once by vitest, before the contract tests: has the real programs at hand. */
export async function setup(): Promise<void> {
  await Promise.all([...[CODEX, FIRST_SDK].map(install), orWhyNot(CLAUDE), orWhyNot(OPENCODE)]);
  await settleOpencode();
}
