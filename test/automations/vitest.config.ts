import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/automations/*.check.ts'],
    globalSetup: ['test/support/runner/global-setup.ts'],
    setupFiles: ['test/support/processes/register-children.ts', 'test/support/runner/setup.ts'],
    reporters: ['verbose'],
    // A hundred thousand events take hours.
    testTimeout: 24 * 3_600_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
    fileParallelism: false,
    pool: 'forks',
  },
});
