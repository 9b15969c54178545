import { expect, vi } from 'vitest';

/** Tests that start no zwarm: what takes longer waits for something that does not come. */
const ALONE = /\/test\/(architecture|docs|property|unit)\//;

vi.setConfig({ testTimeout: ALONE.test(expect.getState().testPath ?? '') ? 20_000 : 60_000 });
