import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SETUP = ['test/support/processes/register-children.ts', 'test/support/runner/setup.ts'];
/** Sources that record what runs are slow. */
const LIMIT_MS = process.env.MUTANTS_REACHED === undefined ? 60_000 : 600_000;
const order = process.env.MUTANTS_FILES?.split(' ') ?? [];

/** In the order in which they are given: what notices a change soonest comes first. */
class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => order.findIndex((file) => moduleId.endsWith(`/${file}`));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/{unit,service}/**/*.test.ts'],
    globalSetup: ['test/support/runner/global-setup.ts'],
    setupFiles: [...SETUP, ...(process.env.MUTANTS_REACHED === undefined ? [] : [join(import.meta.dirname, 'record-reached.ts')])],
    // As in the configuration of all tests, except that a change that stops something is noticed sooner.
    pool: 'forks',
    isolate: false,
    maxWorkers: Number(process.env.MUTANTS_WORKERS ?? 1),
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    sequence: { sequencer: GivenOrder },
  },
});
