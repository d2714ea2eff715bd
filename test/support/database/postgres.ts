import { inject } from 'vitest';
import { withClient } from './pg-client.ts';
import { createEmptyDatabase, createMigratedDatabase, dropDatabase, type TestServer } from './test-server.ts';

/** Whether tests that need a Postgres can run: on CI it is always there. */
export const hasPostgres = inject('postgres') !== null;

export interface PostgresDatabase {
  url: string;
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Lets it be dropped. The end of the run drops those that are still there. */
  drop(): Promise<void>;
}

/** Drops databases one after another, which nobody awaits: for each, Postgres writes all files of all databases to the disk. */
let dropping = Promise.resolve();

/** A new database with the schema and the job queue in it. */
export function createPostgresDatabase(): Promise<PostgresDatabase> {
  return provide(createMigratedDatabase);
}

/** A new database that holds nothing yet. */
export function createEmptyPostgresDatabase(): Promise<PostgresDatabase> {
  return provide(createEmptyDatabase);
}

async function provide(create: (server: TestServer) => Promise<string>): Promise<PostgresDatabase> {
  const server = inject('postgres');
  if (server === null) throw new Error('There is no Postgres for this test: set TEST_DATABASE_URL.');
  const url = await create(server);
  return {
    url,
    sql: (text, values) => run(url, text, values),
    async drop() {
      dropping = dropping.then(() => dropDatabase(server, url)).catch(() => {});
    },
  };
}

async function run<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  return withClient(url, async (client) => (await client.query<Row>(text, values)).rows);
}
