import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: ['test/contract/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          globalSetup: 'test/contract/setup.ts',
          // The tests of a file start together; each runs several processes, so no more than this at a time.
          maxConcurrency: 4,
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
