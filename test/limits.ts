import { expect, vi } from 'vitest';

/** Tests that start no process: what takes longer, also on a machine that is slow, waits for something that does not come. */
const ALONE = /\/test\/(property|unit\/(agents|core|hosts|render))\//;

vi.setConfig({ testTimeout: ALONE.test(expect.getState().testPath ?? '') ? 60_000 : 180_000 });
