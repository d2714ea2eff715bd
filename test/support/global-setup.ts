import type { TestProject } from 'vitest/node';
import { announceSeed } from './seed.ts';
import { openRun, type TestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Postgres of this run; null where there is none. */
    postgres: TestServer | null;
    /** Whether tests use the embedded database though there is a Postgres. */
    embedded: boolean;
  }
}

/**
 * Prints the seed. Looks for a Postgres, removes the databases of killed runs there, and at the end those of this run. With TEST_BUNDLE=1,
 * writes the bundle that processes then run: see process.ts.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  announceSeed();
  if (process.env.TEST_BUNDLE !== undefined) await (await import('../../scripts/bundle.ts')).writeBundle();
  const run = await openRun();
  project.provide('postgres', run?.server ?? null);
  return async () => run?.close();
}
