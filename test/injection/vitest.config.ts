import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/injection/*.test.ts'],
    globalSetup: ['test/support/runner/global-setup.ts'],
    reporters: ['default'],
    hookTimeout: 300_000,
    // One at a time.
    maxWorkers: 1,
    fileParallelism: false,
    pool: 'forks',
  },
});
