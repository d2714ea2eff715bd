import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/emulators/*.check.ts'],
    globalSetup: ['test/support/runner/global-setup.ts'],
    reporters: ['verbose'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
