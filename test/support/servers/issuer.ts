import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { type Clock, systemClock } from '../../../src/clock/clock.ts';
import { startLoopbackServer } from './loopback-server.ts';

const AUDIENCE = 'steward-tests';
const KEY_ID = 'test-key';
const HOUR_SECONDS = 3_600;

export interface TestIssuer {
  /** Variables that make a service accept this issuer's tokens. */
  env: { OIDC_ISSUER: string; OIDC_AUDIENCE: string };
  /** The published key. */
  publicKey: JWK;
  keyFetches(): number;
  /** Requests so far, also those that are held. */
  requests(): number;
  /** Requests for the discovery document. */
  discoveries(): number;
  /** Publishes more: members of the discovery document, and keys. */
  publishes(discovery: object, keys: readonly object[]): void;
  /** What the token endpoint responds, instead of tokens. */
  respondsWith(body: string): void;
  /** What the token endpoint responds to a form; null: nothing is issued. */
  issues(respond: (form: URLSearchParams) => Promise<object | null>): void;
  /** The client's secret, without which the token endpoint issues nothing. */
  requires(secret: string): void;
  /** An ID token of `<user>@example.com`. @param claims replace the usual ones; undefined removes one */
  sign(user: string, claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
  /** Leaves every request without a response until the returned function is called. */
  hold(): () => void;
  /** Ends every connection without a response, until {@link goUp}. */
  goDown(): void;
  goUp(): void;
  close(): Promise<void>;
}

/** An OpenID Connect issuer on loopback: discovery, one RS256 key, and tokens with any claims, dated by the clock. */
export async function startIssuer(clock: Clock = systemClock): Promise<TestIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: KEY_ID, use: 'sig', alg: 'RS256' };
  let held = Promise.resolve();
  let isDown = false;
  let keyFetches = 0;
  let requests = 0;
  let discoveries = 0;
  let published: { discovery: object; keys: readonly object[] } = { discovery: {}, keys: [] };
  let tokenBody: string | undefined;
  let issue: (form: URLSearchParams) => Promise<object | null> = async () => null;
  let required: string | undefined;
  const { url, close } = await startLoopbackServer(async (request, response) => {
    requests += 1;
    await held;
    if (isDown) return void request.socket.destroy();
    if (request.url === '/token' && tokenBody !== undefined) {
      response.setHeader('content-type', 'application/json').end(tokenBody);
      return;
    }
    if (request.url === '/token') {
      const form = new URLSearchParams(await text(request));
      const { authorization } = request.headers;
      response.setHeader('content-type', 'application/json');
      if (required !== undefined && secretIn(authorization, form) !== required) {
        // RFC 6749, 5.2: with the scheme that the client has used.
        const headers = authorization === undefined ? {} : { 'www-authenticate': 'Basic realm="issuer"' };
        response.writeHead(authorization === undefined ? 400 : 401, headers).end(JSON.stringify({ error: 'invalid_client' }));
        return;
      }
      const tokens = await issue(form);
      response.writeHead(tokens === null ? 400 : 200).end(JSON.stringify(tokens ?? { error: 'invalid_grant' }));
      return;
    }
    const isKeys = request.url === '/jwks';
    if (isKeys) keyFetches += 1;
    else discoveries += 1;
    const endpoints = { authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` };
    const body = isKeys
      ? { keys: [jwk, ...published.keys] }
      : { issuer: url, jwks_uri: `${url}/jwks`, ...endpoints, ...published.discovery };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  return {
    env: { OIDC_ISSUER: url, OIDC_AUDIENCE: AUDIENCE },
    publicKey: jwk,
    keyFetches: () => keyFetches,
    requests: () => requests,
    discoveries: () => discoveries,
    publishes(discovery, keys) {
      published = { discovery, keys };
    },
    respondsWith(body) {
      tokenBody = body;
    },
    issues(respond) {
      issue = respond;
    },
    requires(secret) {
      required = secret;
    },
    sign(user, claims = {}, header = {}) {
      const now = Math.floor(clock.now() / 1000);
      const identity = { iss: url, aud: AUDIENCE, sub: user, email: `${user}@example.com`, email_verified: true };
      const times = { iat: now, auth_time: now, exp: now + HOUR_SECONDS };
      return new SignJWT({ ...identity, ...times, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: KEY_ID, ...header })
        .sign(privateKey);
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    goDown() {
      isDown = true;
    },
    goUp() {
      isDown = false;
    },
    close,
  };
}

/** The secret of a client, in the header or in the form (RFC 6749, 2.3.1). */
function secretIn(authorization: string | undefined, form: URLSearchParams): string | null {
  const [, credentials] = /^Basic (\S+)$/.exec(authorization ?? '') ?? [];
  if (credentials === undefined) return form.get('client_secret');
  const [, secret = ''] = Buffer.from(credentials, 'base64').toString().split(':');
  return decodeURIComponent(secret);
}
