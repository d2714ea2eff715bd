import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The Postgres that tests use which can't do without one: on CI it is always there. */
export const POSTGRES_URL = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export interface PostgresDatabase {
  url: string;
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

export async function postgresAnswers(): Promise<boolean> {
  try {
    await run(POSTGRES_URL, 'select 1');
    return true;
  } catch {
    return false;
  }
}

/** A fresh, empty database. */
export async function createPostgresDatabase(): Promise<PostgresDatabase> {
  const name = `steward_test_${randomBytes(6).toString('hex')}`;
  await run(POSTGRES_URL, `create database ${name}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    sql: (text, values) => run(url.href, text, values),
    async drop() {
      await run(POSTGRES_URL, `drop database ${name} with (force)`);
    },
  };
}

async function run<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
