import { installCodex } from '../helpers/codex.ts';

/** Run once by vitest, before the contract tests: has the real Codex at hand. */
export async function setup(): Promise<void> {
  await installCodex();
}
