import type { TestProject } from 'vitest/node';
import { openRun, type TestServer } from '../database/test-server.ts';
import { openRunFolder } from '../processes/run-folder.ts';
import { announceSeed } from './seed.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Postgres of this run; null where there is none. */
    postgres: TestServer | null;
    /** Whether tests use the embedded database though there is a Postgres. */
    embedded: boolean;
  }
}

const RUN = Symbol.for('steward.run');
const shared = globalThis as { [RUN]?: Promise<Run> };

interface Run {
  server: TestServer | undefined;
  close(): Promise<void>;
}

/**
 * Prints the seed. Looks for a Postgres, removes what killed runs left there and on this machine, and at the end what this run did. With
 * TEST_BUNDLE=1, writes the bundle that processes then run: see process.ts.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Once: Vitest calls this for each project, from a module of its own.
  shared[RUN] ??= open();
  const { server, close } = await shared[RUN];
  project.provide('postgres', server ?? null);
  return close;
}

async function open(): Promise<Run> {
  announceSeed();
  openRunFolder();
  if (process.env.TEST_BUNDLE !== undefined) await (await import('../../../scripts/bundle.ts')).writeBundle();
  const run = await openRun();
  let closing: Promise<void> | undefined;
  return {
    server: run?.server,
    close() {
      closing ??= run?.close();
      return closing ?? Promise.resolve();
    },
  };
}
