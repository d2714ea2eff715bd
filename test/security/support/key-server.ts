import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An issuer that publishes the given keys, valid or not. */
export async function startKeyServer(keys: object[]) {
  const server = createServer((request, response) => {
    const body = request.url === '/jwks.json' ? { keys } : { issuer, jwks_uri: `${issuer}/jwks.json` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: { kind: 'oidc' as const, issuer, audience: 'steward-tests', discoveryUrl: issuer },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
