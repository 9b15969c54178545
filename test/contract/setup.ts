import { CODEX } from '../helpers/codex.ts';
import { install } from '../helpers/installed.ts';
import { FIRST_SDK } from '../helpers/tools-client.ts';

/** Run once by vitest, before the contract tests: has the real programs at hand. */
export async function setup(): Promise<void> {
  await Promise.all([CODEX, FIRST_SDK].map(install));
}
