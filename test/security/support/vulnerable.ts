import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PGlite } from '@electric-sql/pglite';

/** A service with the vulnerabilities that the scanners look for, which proves that they find them. */
export async function startVulnerable(): Promise<{ url: string; close(): Promise<void> }> {
  const db = await PGlite.create();
  await db.exec(`create table waitlist (email text); insert into waitlist values ('ada@example.com')`);
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    if (request.method === 'POST') {
      const email = new URLSearchParams(await bodyOf(request)).get('email') ?? '';
      const found = await db.query(`select email from waitlist where email = '${email}'`).then(
        ({ rows }) => rows.length > 0,
        () => false,
      );
      response.end(found ? 'known to us already' : 'new');
      return;
    }
    response.setHeader('content-type', 'text/html').end(`<h1>${url.searchParams.get('q') ?? ''}</h1><a href="/?q=a">again</a>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await db.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
