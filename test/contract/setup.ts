import { CODEX } from '../helpers/codex.ts';
import { install, orWhyNot } from '../helpers/installed.ts';
import { OPENCODE } from '../helpers/opencode.ts';
import { FIRST_SDK } from '../helpers/tools-client.ts';

/** Run once by vitest, before the contract tests, and by install.js: has the real programs at hand. */
export async function setup(): Promise<void> {
  await Promise.all([...[CODEX, FIRST_SDK].map(install), orWhyNot(OPENCODE)]);
}
