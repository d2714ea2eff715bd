import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface HostileIssuer {
  /** Environment that makes the service trust it. */
  env: { OIDC_ISSUER: string; OIDC_AUDIENCE: string };
  /** The published key, which an attacker has. */
  publicKey: object;
  keyFetches(): number;
  /** A good token of ada@example.org, changed by `claims` (undefined removes one) and `header`. */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  goDown(): void;
  goUp(): void;
  stop(): Promise<void>;
}

const AUDIENCE = 'steward-test';
const KID = 'test-key';

/** An OpenID Connect issuer that signs whatever a test wants and goes out of reach on demand. */
export async function startHostileIssuer(): Promise<HostileIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: KID, alg: 'RS256', use: 'sig' };
  let down = false;
  let keyFetches = 0;
  const server = createServer((request, response) => {
    if (down) {
      request.socket.destroy();
      return;
    }
    const isKeys = request.url === '/keys';
    if (isKeys) keyFetches += 1;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { OIDC_ISSUER: issuer, OIDC_AUDIENCE: AUDIENCE },
    publicKey: jwk,
    keyFetches: () => keyFetches,
    token(claims = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: issuer, aud: AUDIENCE, sub: 'ada', email: 'ada@example.org', email_verified: true };
      const payload = { ...usual, iat: now, auth_time: now, exp: now + 3_600, ...claims } as JWTPayload;
      return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: KID, ...header }).sign(privateKey);
    },
    goDown() {
      down = true;
    },
    goUp() {
      down = false;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
