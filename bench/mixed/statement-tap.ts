import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** A proxy before Postgres that notes the SQL it sees. */
export interface StatementTap {
  /** The database's address through it. */
  url: string;
  /** Every text that was parsed or sent, once. */
  statements: Set<string>;
  close(): void;
}

const PARSE = 0x50;
const QUERY = 0x51;

/**
 * Notes what clients send (PostgreSQL, "Message Formats": Parse and Query). Connections without TLS only.
 *
 * @param databaseUrl of a Postgres that listens on TCP
 */
export async function tapStatements(databaseUrl: string): Promise<StatementTap> {
  const target = new URL(databaseUrl);
  const statements = new Set<string>();
  const server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port || 5432) });
    const read = frontendReader((type, body) => {
      // Parse: name, text; Query: text. Both end with a zero byte.
      const from = type === PARSE ? body.indexOf(0) + 1 : 0;
      if (type === PARSE || type === QUERY) statements.add(body.toString('utf8', from, body.indexOf(0, from)));
    });
    client.on('data', read).on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href;
  return { url, statements, close: () => server.close() };
}

/** Cuts a client's stream into messages: first the one of the start-up, which has no type. */
function frontendReader(take: (type: number, body: Buffer) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const head = started ? 1 : 0;
      if (pending.length < head + 4) return;
      const end = head + pending.readInt32BE(head);
      if (pending.length < end) return;
      if (started) take(pending[0] ?? 0, pending.subarray(5, end));
      started = true;
      pending = pending.subarray(end);
    }
  };
}
