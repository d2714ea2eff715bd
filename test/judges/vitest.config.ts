import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/judges/*.check.ts'],
    globalSetup: ['test/support/runner/global-setup.ts'],
    reporters: ['verbose'],
    // A whole run takes half a minute; a judge that hangs is stopped long before.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    fileParallelism: false,
    pool: 'forks',
  },
});
