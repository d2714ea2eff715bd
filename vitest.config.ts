import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Real processes, databases and browsers: slow machines need the time, nothing is asserted about it.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    pool: 'forks',
  },
});
