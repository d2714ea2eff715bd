import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const AUDIENCE = 'steward-tests';
const HOUR_SECONDS = 3_600;

export interface TestIssuer {
  /** Variables that make a service take this issuer's tokens. */
  env: Record<string, string>;
  /** An ID token of `<user>@example.com`; `claims` replace or, being undefined, take away. */
  sign(user: string, claims?: Record<string, unknown>): Promise<string>;
  /** Leaves every request without a response until the returned function is called. */
  hold(): () => void;
  close(): void;
}

/** An OpenID Connect issuer on loopback: discovery, one key, tokens of any life. */
export async function startIssuer(): Promise<TestIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test', use: 'sig', alg: 'RS256' };
  let held = Promise.resolve();
  const server = createServer(async (request, response) => {
    await held;
    const body = request.url === '/jwks.json' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/jwks.json` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { OIDC_ISSUER: issuer, OIDC_AUDIENCE: AUDIENCE },
    sign(user, claims = {}) {
      const now = Math.floor(Date.now() / 1000);
      const email = `${user}@example.com`;
      const usual = {
        iss: issuer,
        aud: AUDIENCE,
        sub: user,
        email,
        email_verified: true,
        iat: now,
        auth_time: now,
        exp: now + HOUR_SECONDS,
      };
      return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'test' }).sign(privateKey);
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
