import { inject } from 'vitest';
import { copyEmbeddedTemplate } from './embedded-template.ts';
import { createPostgresDatabase } from './postgres.ts';

export interface TestDatabase {
  /** Environment that makes a service use it. */
  env: Record<string, string>;
  drop(): Promise<void>;
}

/** Whether tests run on the embedded database. */
export function usesEmbedded(): boolean {
  return inject('embedded') || inject('postgres') === null;
}

/** Creates a migrated database: on the Postgres of the run, or the embedded one in `dataDir`. */
export async function createDatabase(dataDir: string): Promise<TestDatabase> {
  if (usesEmbedded()) {
    await copyEmbeddedTemplate(dataDir);
    return { env: {}, drop: async () => {} };
  }
  const { url, drop } = await createPostgresDatabase();
  return { env: { DATABASE_URL: url }, drop };
}
