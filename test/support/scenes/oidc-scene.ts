import type { RequestListener } from 'node:http';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeEach } from 'vitest';
import type { AppError } from '../../../src/errors.ts';
import { createVerifier, type VerifierOptions, type VerifyIdToken } from '../../../src/identity/verifier.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { type LoopbackServer, startLoopbackServer } from '../servers/loopback-server.ts';
import { TestClock } from '../time/test-clock.ts';
import { alarmsIn, rejectionOf } from '../users/id-tokens.ts';

export const AUDIENCE = 'steward-test';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
/** Of one fetch of the keys. */
export const TIMEOUT = 2 * SECOND;
const START = Date.parse('2030-01-01T00:00:00Z');

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

const pairs: Record<string, Pair> = {};
for (const name of ['one', 'two', 'stranger']) pairs[name] = await generateKeyPair('RS256', { extractable: true });

export function pair(name: string): Pair {
  const found = pairs[name];
  if (found === undefined) throw new Error(`no key ${name}`);
  return found;
}

export async function publicJwk(name: string): Promise<Record<string, unknown>> {
  return { ...(await exportJWK(pair(name).publicKey)), kid: name, use: 'sig', alg: 'RS256' };
}

/** An OIDC issuer over real HTTP, whose documents and responses a test can change. */
class ScriptedIssuer {
  #server: LoopbackServer | undefined;
  url = '';
  issuer = '';
  keys: Record<string, unknown>[] = [];
  cacheControl: string | undefined;
  fetches = 0;
  discoveries = 0;
  jwksUri: string | undefined;
  /** Responds in place of the key set. */
  instead: RequestListener | undefined;

  async start(): Promise<void> {
    this.#server = await startLoopbackServer(this.#respond);
    this.url = this.#server.url;
    this.issuer = this.url;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  readonly #respond: RequestListener = (request, response) => {
    if (request.url === '/.well-known/openid-configuration') {
      this.discoveries += 1;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ issuer: this.issuer, jwks_uri: this.jwksUri ?? `${this.url}/jwks` }));
      return;
    }
    this.fetches += 1;
    if (this.instead !== undefined) {
      this.instead(request, response);
      return;
    }
    if (this.cacheControl !== undefined) response.setHeader('cache-control', this.cacheControl);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: this.keys }));
  };
}

/** An issuer and a verifier of its tokens, under a clock that stands until the test advances it. */
class OidcScene {
  issuer = new ScriptedIssuer();
  clock = new TestClock({ standsAt: START });
  log: string[] = [];
  verify: VerifyIdToken = () => Promise.reject(new Error('not set up'));

  async setUp(): Promise<void> {
    this.issuer = new ScriptedIssuer();
    await this.issuer.start();
    this.issuer.keys = [await publicJwk('one')];
    this.clock = new TestClock({ standsAt: START });
    this.log = [];
    this.verify = this.verifier();
  }

  verifier(options: Partial<VerifierOptions> = {}): VerifyIdToken {
    const { url } = this.issuer;
    const logger = createLogger('info', { write: (line: string) => void this.log.push(line) });
    return createVerifier(
      { kind: 'oidc', issuer: url, audience: AUDIENCE, discoveryUrl: `${url}/.well-known/openid-configuration` },
      { logger, clock: this.clock, timeouts: { keys: TIMEOUT, lookUp: TIMEOUT }, ...options },
    );
  }

  /** The clock, seconds since 1970. */
  get seconds(): number {
    return Math.floor(this.clock.now() / SECOND);
  }

  claims = (changes: Record<string, unknown> = {}): JWTPayload => ({
    iss: this.issuer.url,
    aud: AUDIENCE,
    sub: 'user-1',
    iat: this.seconds,
    exp: this.seconds + 3_600,
    auth_time: this.seconds - 5,
    email: 'ada@example.com',
    email_verified: true,
    ...changes,
  });

  sign = (payload: JWTPayload = this.claims(), header: Record<string, unknown> = {}, key = 'one'): Promise<string> =>
    new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: key, ...header }).sign(pair(key).privateKey);

  rejection = (token: string): Promise<AppError> => rejectionOf(this.verify, token);

  codeOf = async (token: string): Promise<string> => (await this.rejection(token)).code;

  alarms = (): string[] => alarmsIn(this.log);
}

/** A scene that is set up for each test of the file. */
export function useOidcScene(): OidcScene {
  const scene = new OidcScene();
  beforeEach(() => scene.setUp());
  afterEach(() => scene.issuer.stop());
  return scene;
}
