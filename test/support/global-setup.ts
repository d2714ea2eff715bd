import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { Database } from '../../src/database/database.ts';
import { startEmbeddedDatabase } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createLogger } from '../../src/observability/logger.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of a migrated embedded database that tests copy; empty when they run on TEST_DATABASE_URL. */
    embeddedTemplate: string;
  }
}

/** Makes the embedded database once: creating it takes seconds, a copy doesn't. */
export default async function setup(project: TestProject): Promise<() => void> {
  if (process.env.TEST_DATABASE_URL !== undefined) {
    project.provide('embeddedTemplate', '');
    return () => {};
  }
  const directory = mkdtempSync(join(tmpdir(), 'steward-template-'));
  const embedded = await startEmbeddedDatabase(join(directory, 'database'), 2);
  const db = new Database(embedded.address, 2, createLogger('silent'));
  await migrate(db, embedded.address, createLogger('silent'));
  await db.close();
  await embedded.close();
  project.provide('embeddedTemplate', directory);
  return () => rmSync(directory, { recursive: true, force: true });
}
