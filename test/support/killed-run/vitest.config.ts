import { defineConfig } from 'vitest/config';

/** For test/process/killed-run.test.ts, which kills a run. */
export default defineConfig({
  test: {
    include: ['test/support/killed-run/run.check.ts'],
    globalSetup: ['test/support/runner/global-setup.ts'],
    setupFiles: ['test/support/processes/register-children.ts'],
    pool: 'forks',
    testTimeout: 300_000,
  },
});
