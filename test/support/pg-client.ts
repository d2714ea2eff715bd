import pg from 'pg';

const CONNECT_MS = 30_000;

/**
 * A client that is not connected yet. A broken connection fails its statements only: where nobody listens, the driver's
 * event `error` would end the process.
 */
export function createClient(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => {});
  return client;
}

/** Works on a connection of its own, which then ends. */
export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = createClient(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
