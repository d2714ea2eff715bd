import { randomBytes, randomInt } from 'node:crypto';
import pg from 'pg';
import { connectToPostgres } from './find-postgres.ts';
import { installSchema } from './install-schema.ts';
import { withClient } from './pg-client.ts';
import { watchPostgres } from './watch-postgres.ts';

/** The Postgres of a run, as its workers get it from the global set-up. */
export interface TestServer {
  /** Address of a database to administer the server from. */
  url: string;
  /** Number of the run. Names of its databases begin with it, and its advisory lock is held while the run lasts. */
  run: number;
}

const PREFIX = 'steward_test_r';
const NO_SUCH_DATABASE = '3D000';
/** First key of the advisory locks, so that no other program's collide. */
export const RUNS = 0x57e0;
const TEMPLATES = 0x57e1;
/** Databases that are dropped at the same time. */
const DROPPING = 8;

/** Opens a run on the Postgres that tests use; undefined where there is none. */
export async function openRun(): Promise<{ server: TestServer; close(): Promise<void> } | undefined> {
  const found = await connectToPostgres();
  if (found === undefined) return undefined;
  const { url, client } = found;
  const endWatch = await watchPostgres(url);
  const run = randomInt(1, 2 ** 31);
  await client.query('select pg_advisory_lock($1, $2)', [RUNS, run]);
  // On a connection of its own: the lock's is idle, so that it is released as soon as this process ends.
  const removal = withClient(url, (own) => removeEndedRuns(own, url, run));
  removal.catch(() => {});
  // Begun before a worker needs it, while modules are loaded. Where this fails, that worker's own attempt reports it.
  withClient(url, (own) => makeTemplate(own, url, run, templateOf(run))).catch(() => {});
  return {
    server: { url, run },
    async close() {
      await removal;
      await endWatch();
      await dropDatabases(url, await databasesOf(client, run));
      await client.end();
    },
  };
}

/**
 * Removes the databases of runs that were killed: their locks were released with their connections. What another run
 * removes at this moment is left to it.
 */
async function removeEndedRuns(client: pg.Client, url: string, present: number): Promise<void> {
  const names = await databasesOf(client);
  for (const [run, databases] of Map.groupBy(names, runOf)) {
    if (run === present) continue;
    const { rows } = await client.query<{ ended: boolean }>('select pg_try_advisory_lock($1, $2) as ended', [RUNS, run]);
    if (rows[0]?.ended !== true) continue;
    await dropDatabases(url, databases);
    await client.query('select pg_advisory_unlock($1, $2)', [RUNS, run]);
  }
}

/** The databases of one run, or of all. */
async function databasesOf(client: pg.Client, run?: number): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select datname::text as name from pg_database where datname ~ $1', [
    `^${PREFIX}${run ?? '[0-9]+'}_`,
  ]);
  return rows.map(({ name }) => name);
}

function runOf(database: string): number {
  return Number.parseInt(database.slice(PREFIX.length), 10);
}

/** Several at a time: for each, Postgres writes all files of all databases to the disk, which those that wait for it share. */
async function dropDatabases(url: string, names: string[]): Promise<void> {
  const left = names.values();
  const drop = async (client: pg.Client) => {
    for (const name of left) await client.query(`drop database if exists ${name} with (force)`);
  };
  await Promise.all(Array.from({ length: Math.min(DROPPING, names.length) }, () => withClient(url, drop)));
}

/** Creates an empty database of the run and returns its address. */
export async function createEmptyDatabase({ url, run }: TestServer): Promise<string> {
  const name = `${PREFIX}${run}_${randomBytes(6).toString('hex')}`;
  await withClient(url, async (client) => void (await client.query(`create database ${name}`)));
  return addressOf(url, name);
}

/** Creates a database of the run with the schema and the job queue in it, and returns its address. */
export async function createMigratedDatabase({ url, run }: TestServer): Promise<string> {
  const name = `${PREFIX}${run}_${randomBytes(6).toString('hex')}`;
  const template = templateOf(run);
  await withClient(url, async (client) => {
    const copy = () => client.query(`create database ${name} template ${template}`);
    try {
      await copy();
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== NO_SUCH_DATABASE) throw error;
      await makeTemplate(client, url, run, template);
      await copy();
    }
  });
  return addressOf(url, name);
}

export async function dropDatabase({ url }: TestServer, address: string): Promise<void> {
  await dropDatabases(url, [new URL(address).pathname.slice(1)]);
}

/** Makes the template once for a run: the first worker that needs it does, and others wait for it. */
async function makeTemplate(client: pg.Client, url: string, run: number, template: string): Promise<void> {
  await client.query('select pg_advisory_lock($1, $2)', [TEMPLATES, run]);
  try {
    const { rows } = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (rows.length > 0) return;
    const draft = `${template}_draft`;
    await client.query(`create database ${draft}`);
    await installSchema({ connectionString: addressOf(url, draft) }, false);
    // A template that is in use can't be copied.
    await client.query(`alter database ${draft} with allow_connections false`);
    await client.query(`alter database ${draft} rename to ${template}`);
  } finally {
    await client.query('select pg_advisory_unlock($1, $2)', [TEMPLATES, run]);
  }
}

function templateOf(run: number): string {
  return `${PREFIX}${run}_template`;
}

function addressOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
