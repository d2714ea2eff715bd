import pg from 'pg';
import { createClient } from './pg-client.ts';

const DEFAULT_URL = 'postgres://postgres@127.0.0.1:5432/postgres';
/** Connections of a run of all files, whose six workers took 54; and of a run of few. */
const NEEDED = { all: 60, few: 15 } as const;
/** Errors of a server that runs, but not for this run: it is full, starts, or stops. */
const UNUSABLE = new Set(['53300', '57P03', '57P01']);

/** The Postgres of a run, with a connection to administer and watch it. */
export interface FoundPostgres {
  url: string;
  client: pg.Client;
}

/**
 * Connects to the server of TEST_DATABASE_URL, else to a Postgres of this machine. TEST_DATABASE_URL=embedded is none:
 * all tests then use the embedded database. A server that can't serve a run ends this process, with one line.
 *
 * @param files how many this run has, for the connections that it needs
 * @returns undefined where tests use the embedded database: no Postgres at the default address lets them in
 */
export async function connectToPostgres(files: keyof typeof NEEDED = 'few'): Promise<FoundPostgres | undefined> {
  const named = process.env.TEST_DATABASE_URL;
  if (named === 'embedded') return undefined;
  const url = named ?? DEFAULT_URL;
  const client = createClient(url);
  try {
    await client.connect();
  } catch (error) {
    if (named === undefined && !UNUSABLE.has(codeOf(error))) return undefined;
    stopRun(url, `it does not accept a connection (${reasonOf(error)}).`);
  }
  await requireAbilities(url, client, NEEDED[files]);
  return { url, client };
}

/** The address of the Postgres that tests use; undefined where there is none. */
export async function findPostgres(files: keyof typeof NEEDED): Promise<string | undefined> {
  const found = await connectToPostgres(files);
  await found?.client.end();
  return found?.url;
}

async function requireAbilities(url: string, client: pg.Client, needed: number): Promise<void> {
  const { rows } = await client.query<{ role: string; mayCreate: boolean }>(
    'select rolname::text as role, rolcreatedb or rolsuper as "mayCreate" from pg_roles where rolname = current_user',
  );
  if (rows[0]?.mayCreate !== true) stopRun(url, `the role may not create databases: alter role "${rows[0]?.role}" createdb.`);
  const free = await freeConnections(client);
  if (free < needed) {
    stopRun(url, `${free} of its connections are free and a run needs ${needed}: close others, or raise max_connections.`);
  }
}

/** How many more connections the server accepts from this role. */
export async function freeConnections(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ free: number }>(
    `select current_setting('max_connections')::int
       - case when rolsuper then 0 else current_setting('superuser_reserved_connections')::int end
       - (select count(*)::int from pg_stat_activity
          where datid is not null and coalesce(backend_type, 'client backend') = 'client backend') as free
     from pg_roles where rolname = current_user`,
  );
  return rows[0]?.free ?? 0;
}

/** Ends the run with one line: nothing that tests report after this means anything. */
export function stopRun(url: string, problem: string): never {
  const { hostname, port } = new URL(url);
  const server = `${hostname}:${port || 5432}`;
  process.stderr.write(`\nThe tests can’t use the Postgres at ${server}: ${problem} TEST_DATABASE_URL=embedded runs them without.\n`);
  process.exit(1);
}

function codeOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** @returns the driver's words, in one line. Those of a refused connection are in the errors of each address. */
export function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return String(first instanceof Error ? first.message : first).replaceAll(/\s+/g, ' ');
}
