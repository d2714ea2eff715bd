import pg from 'pg';

const DEFAULT_URL = 'postgres://postgres@127.0.0.1:5432/postgres';
const CONNECT_MS = 30_000;

/**
 * Connects to the server of TEST_DATABASE_URL, else to a Postgres of this machine.
 *
 * @returns undefined when TEST_DATABASE_URL is not set and no Postgres listens at the default address
 * @throws the driver's error when the server of TEST_DATABASE_URL can't be reached
 */
export async function connectToPostgres(): Promise<{ url: string; client: pg.Client } | undefined> {
  const named = process.env.TEST_DATABASE_URL;
  const url = named ?? DEFAULT_URL;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  // The connection may be idle for long; if it breaks, the next statement fails.
  client.on('error', () => {});
  try {
    await client.connect();
    return { url, client };
  } catch (error) {
    if (named === undefined) return undefined;
    throw error;
  }
}

/** The address of the Postgres that tests use; undefined where there is none. */
export async function findPostgres(): Promise<string | undefined> {
  const found = await connectToPostgres();
  await found?.client.end();
  return found?.url;
}
