import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An API of mailboxes in which nothing arrives. */
export interface Mailboxes {
  url: string;
  /** How many requests it has answered. */
  readonly requests: number;
  close(): void;
}

export async function startMailboxes(): Promise<Mailboxes> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    // Of both users.getProfile and users.history.list.
    response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' }).end('{"historyId":"1000"}');
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
