import { defineConfig } from 'vitest/config';

/** For test/process/killed-run.test.ts, which kills a run. */
export default defineConfig({
  test: {
    include: ['test/support/killed-run/run.check.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/register-children.ts'],
    pool: 'forks',
    testTimeout: 300_000,
  },
});
