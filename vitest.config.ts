import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { leaveCaller } from './test/environment.ts';
import { COUNTING_SYSCALLS, SYSCALLS } from './test/faults/replace-syscalls.ts';

leaveCaller();

// Limits end what hangs; they do not judge speed. Tests that start no process have a shorter one: test/limits.ts.
const LIMITS = { testTimeout: 300_000, hookTimeout: 300_000 };

const ORDINARY = {
  setupFiles: ['test/strict-expect.ts', 'test/limits.ts'],
  // A file leaves nothing behind for the next one; a process and all modules anew for each would be a tenth of the time.
  isolate: false,
  hookTimeout: 180_000,
};

export default defineConfig({
  test: {
    globalSetup: 'test/build.ts',
    // Tests mostly wait for other processes.
    maxWorkers: 2 * availableParallelism(),
    tags: [{ name: 'root', description: 'Only root can run it.' }],
    projects: [
      {
        test: {
          name: 'fast',
          ...ORDINARY,
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/contract/**', 'test/faults/**', 'test/clock/**', 'test/soak/**'],
        },
      },
      { test: { name: 'e2e', ...ORDINARY, include: ['test/e2e/**/*.test.ts'] } },
      {
        plugins: [
          {
            name: 'counting-syscalls',
            enforce: 'pre',
            resolveId: (source) => (SYSCALLS.test(source) ? COUNTING_SYSCALLS : null),
          },
        ],
        test: {
          name: 'faults',
          setupFiles: 'test/strict-expect.ts',
          include: ['test/faults/**/*.test.ts'],
          globalSetup: 'test/faults/setup.ts',
          ...LIMITS,
        },
      },
      {
        test: {
          name: 'clock',
          setupFiles: 'test/strict-expect.ts',
          include: ['test/clock/**/*.test.ts'],
          // It sets the clock of the machine.
          fileParallelism: false,
          ...LIMITS,
        },
      },
      {
        test: {
          name: 'soak',
          setupFiles: 'test/strict-expect.ts',
          include: ['test/soak/**/*.test.ts'],
          testTimeout: 3_600_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'contract',
          setupFiles: 'test/strict-expect.ts',
          include: ['test/contract/**/*.test.ts'],
          globalSetup: 'test/contract/setup.ts',
          // The tests of a file start together; each runs several processes, so no more than this at a time.
          maxConcurrency: 2,
          ...LIMITS,
        },
      },
    ],
  },
});
