import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/judges/*.check.ts'],
    globalSetup: ['test/support/runner/global-setup.ts'],
    reporters: ['verbose'],
    // A whole run takes three minutes, one judge a minute at most; one that hangs is stopped before.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    fileParallelism: false,
    pool: 'forks',
  },
});
