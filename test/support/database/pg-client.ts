import pg from 'pg';
import { eventually } from '../time/eventually.ts';

const CONNECT_MS = 30_000;
const TOO_MANY_CONNECTIONS = '53300';

/**
 * A client that is not connected yet. A broken connection fails its statements only: where nobody listens, the driver's
 * event `error` would end the process.
 */
export function createClient(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => {});
  return client;
}

/** Works on a connection of its own, which then ends. While the server is full for a moment, it waits, as services do. */
export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await eventually(() => connectUnlessFull(url));
  if (!(client instanceof pg.Client)) throw client.error;
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Whether the server accepts a connection more. */
export async function accepts(url: string): Promise<boolean> {
  const client = await connectUnlessFull(url);
  if (!(client instanceof pg.Client)) return false;
  await client.end();
  return true;
}

/** @returns undefined when the server is full */
async function connectUnlessFull(url: string): Promise<pg.Client | { error: unknown } | undefined> {
  const client = createClient(url);
  try {
    await client.connect();
    return client;
  } catch (error) {
    return error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS ? undefined : { error };
  }
}
