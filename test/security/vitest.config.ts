import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/security/*.check.ts'],
    globalSetup: ['test/support/runner/global-setup.ts'],
    reporters: ['default', join(import.meta.dirname, 'support/table-reporter.ts')],
    hookTimeout: 300_000,
    // One at a time, so that measurements are not disturbed.
    maxWorkers: 1,
    fileParallelism: false,
    pool: 'forks',
  },
});
