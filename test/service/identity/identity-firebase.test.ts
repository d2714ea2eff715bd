import { execFileSync } from 'node:child_process';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { Agent, createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';
import { createVerifier, type VerifyIdToken } from '../../../src/identity/verifier.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { startSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';
import { alarmsIn, encodePart, rejectionOf } from '../../support/users/id-tokens.ts';

const PROJECT = 'steward-test';
const ISSUER = `https://securetoken.google.com/${PROJECT}`;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const HOSTS = ['www.googleapis.com', 'oauth2.googleapis.com', 'identitytoolkit.googleapis.com'];

const folder = mkdtempSync(join(tmpdir(), 'identity-'));

/** A self-signed certificate and its key, in PEM. */
function makeCertificate(name: string, hosts: string[] = []): { certificate: string; key: string } {
  const files = { key: join(folder, `${name}.key`), certificate: join(folder, `${name}.pem`) };
  const alternatives = hosts.length === 0 ? [] : ['-addext', `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`];
  const args = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    files.key,
    '-out',
    files.certificate,
  ];
  execFileSync('openssl', [...args, ...alternatives], { stdio: 'ignore' });
  return { certificate: readFileSync(files.certificate, 'utf8'), key: readFileSync(files.key, 'utf8') };
}

const tls = makeCertificate('authority', HOSTS);
const signers = { one: makeCertificate('one'), two: makeCertificate('two'), stranger: makeCertificate('stranger') };
type Signer = keyof typeof signers;

/** Google's hosts, over TLS and under their names. */
class Google {
  readonly #server: Server;
  port = 0;
  certificates: Record<string, string> = {};
  cacheControl: string | undefined;
  fetches = 0;
  lookUps = 0;
  user: Record<string, unknown> = {};
  /** Respond in place of the certificates, or of the lookup of a user. */
  insteadOfCertificates: RequestListener | undefined;
  insteadOfUser: RequestListener | undefined;

  constructor() {
    this.#server = createServer({ key: tls.key, cert: tls.certificate }, (request, response) => this.#respond(request, response));
  }

  async start(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** Directs every connection here and trusts only this authority. */
  agent(): Agent {
    const port = () => this.port;
    return new (class extends Agent {
      override createConnection(...[options, done]: Parameters<Agent['createConnection']>) {
        return super.createConnection({ ...options, host: '127.0.0.1', port: port(), ca: tls.certificate } as typeof options, done);
      }
    })();
  }

  readonly #respond: RequestListener = (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.headers.host === 'oauth2.googleapis.com') {
      response.end(JSON.stringify({ access_token: 'access', expires_in: 3_600, token_type: 'Bearer' }));
    } else if (request.headers.host === 'identitytoolkit.googleapis.com') {
      this.lookUps += 1;
      if (this.insteadOfUser !== undefined) this.insteadOfUser(request, response);
      else response.end(JSON.stringify({ users: [this.user] }));
    } else {
      this.fetches += 1;
      if (this.cacheControl !== undefined) response.setHeader('cache-control', this.cacheControl);
      if (this.insteadOfCertificates !== undefined) this.insteadOfCertificates(request, response);
      else response.end(JSON.stringify(this.certificates));
    }
  };
}

let google: Google;
let clock: TestClock;
let log: string[];
let verify: VerifyIdToken;

function verifier(checkRevoked = false): VerifyIdToken {
  const logger = createLogger('info', { write: (line: string) => void log.push(line) });
  return createVerifier(
    { kind: 'firebase', projectId: PROJECT, checkRevoked },
    { logger, clock, httpAgent: google.agent(), timeouts: { keys: 2_000, lookUp: 2_000 } },
  );
}

const seconds = () => Math.floor(clock.now() / SECOND);

/** Valid for three days, so that tests can set the clock ahead. */
function claims(changes: Record<string, unknown> = {}): JWTPayload {
  return {
    iss: ISSUER,
    aud: PROJECT,
    sub: 'user-1',
    iat: seconds() - 10,
    exp: seconds() + 259_200,
    auth_time: seconds() - 10,
    email: 'ada@example.com',
    email_verified: true,
    firebase: { identities: {}, sign_in_provider: 'password' },
    ...changes,
  };
}

const privateKey = (signer: Signer): KeyObject => createPrivateKey(signers[signer].key);

function sign(payload: JWTPayload = claims(), header: Record<string, unknown> = {}, signer: Signer = 'one'): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: signer, ...header }).sign(privateKey(signer));
}

const rejection = (token: string) => rejectionOf(verify, token);
const codeOf = async (token: string) => (await rejection(token)).code;
const alarms = () => alarmsIn(log);

beforeEach(async () => {
  google = new Google();
  await google.start();
  google.certificates = { one: signers.one.certificate };
  clock = new TestClock({ standsAt: systemClock.now() });
  log = [];
  verify = verifier();
});

afterEach(() => google.stop());
afterAll(() => rmSync(folder, { recursive: true }));

describe('an ID token of Firebase', () => {
  it('returns the identity in its claims', async () => {
    const token = await sign();
    expect(await verify(token)).toEqual({
      issuer: ISSUER,
      subject: 'user-1',
      email: 'ada@example.com',
      emailVerified: true,
      authTime: seconds() - 10,
      issuedAt: seconds() - 10,
      expiresAt: seconds() + 259_200,
    });
    expect([google.fetches, google.lookUps]).toEqual([1, 0]);
  });

  it('is valid for its own project only, where several are served', async () => {
    const logger = createLogger('silent');
    const other = createVerifier(
      { kind: 'firebase', projectId: 'other', checkRevoked: false },
      { logger, clock, httpAgent: google.agent() },
    );
    const foreign = await sign(claims({ iss: 'https://securetoken.google.com/other', aud: 'other' }));
    expect(await other(foreign)).toMatchObject({ issuer: 'https://securetoken.google.com/other' });
    expect(await codeOf(foreign)).toBe('invalid_token');
    await expect(other(await sign())).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['of another issuer', () => ({ iss: 'https://securetoken.google.com/other' })],
    ['for another project', () => ({ aud: 'other' })],
    ['for several projects', () => ({ aud: [PROJECT, 'other'] })],
    ['issued 10 minutes ahead', () => ({ iat: seconds() + 600 })],
    ['without iat', () => ({ iat: undefined })],
    ['whose user signed in 10 minutes ahead', () => ({ auth_time: seconds() + 600 })],
    ['without auth_time', () => ({ auth_time: undefined })],
    ['not valid before the next 10 minutes', () => ({ nbf: seconds() + 600 })],
    ['without exp', () => ({ exp: undefined })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['with a subject of 256 characters', () => ({ sub: 'a'.repeat(256) })],
    ['with a NUL in its subject', () => ({ sub: 'user\u0000' })],
  ])('is rejected: %s', async (_, changes) => {
    const error = await rejection(await sign(claims(changes())));
    expect(error).toMatchObject({ code: 'invalid_token', status: 401, message: 'The ID token is not valid.' });
  });

  it('expires', async () => {
    expect(await rejection(await sign(claims({ exp: seconds() - 1 })))).toMatchObject({
      code: 'token_expired',
      message: 'The ID token has expired.',
    });
    const token = await sign();
    await clock.advance(259_200 * SECOND);
    expect(await codeOf(token)).toBe('token_expired');
  });
});

describe('a forged ID token of Firebase', () => {
  it('is rejected without a signature', async () => {
    const [header, payload] = (await sign()).split('.');
    expect(await codeOf(`${header}.${payload}.`)).toBe('invalid_token');
    expect(await codeOf(`${encodePart({ alg: 'none', kid: 'one' })}.${payload}.`)).toBe('invalid_token');
    expect(await codeOf(`${encodePart({ alg: 'none' })}.${payload}.`)).toBe('invalid_token');
    expect(google.fetches).toBe(1);
  });

  it('is rejected: HS256 with the certificate or its key as the secret', async () => {
    for (const secret of [signers.one.certificate, signers.one.certificate.trim(), JSON.stringify(await exportJWK(privateKey('one')))]) {
      const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(new TextEncoder().encode(secret));
      expect(await codeOf(token)).toBe('invalid_token');
    }
  });

  it('is rejected when signed by another key or altered', async () => {
    expect(await codeOf(await sign(claims(), { kid: 'one' }, 'stranger'))).toBe('invalid_token');
    const [header, , signature] = (await sign()).split('.');
    expect(await codeOf(`${header}.${encodePart(claims({ sub: 'admin' }))}.${signature}`)).toBe('invalid_token');
  });

  it('cannot bring its own key', async () => {
    const { kty, n, e } = await exportJWK(privateKey('stranger'));
    const jku = 'https://www.googleapis.com/theirs';
    for (const header of [
      { jwk: { kty, n, e } as { kty: string } },
      { jku },
      { x5u: jku },
      { x5c: [signers.stranger.certificate.replace(/-----[^-]+-----|\s/g, '')] },
    ]) {
      expect(await codeOf(await sign(claims(), { kid: 'one', ...header }, 'stranger'))).toBe('invalid_token');
    }
    expect(google.fetches).toBe(1);
  });

  it.each(['../../certificates', '__proto__', 'constructor', 'hasOwnProperty', 'x'.repeat(300), '', undefined])(
    'is rejected: key id %j',
    async (kid) => {
      expect(await codeOf(await sign(claims(), { kid }))).toBe('invalid_token');
    },
  );
});

describe("Firebase's certificates", () => {
  it('are fetched again for a new key id, and do not verify once removed', async () => {
    const old = await sign();
    await verify(old);
    google.certificates = { two: signers.two.certificate };
    await clock.advance(MINUTE);
    expect(await verify(await sign(claims(), {}, 'two'))).toMatchObject({ subject: 'user-1' });
    expect(google.fetches).toBe(2);
    expect(await codeOf(old)).toBe('invalid_token');
  });

  it('are fresh for the max-age of Cache-Control', async () => {
    google.cacheControl = 'public, max-age=19302, must-revalidate, no-transform';
    const token = await sign();
    await verify(token);
    await clock.advance(19_302 * SECOND - 1);
    await verify(token);
    expect(google.fetches).toBe(1);
    await clock.advance(1);
    await verify(token);
    expect(google.fetches).toBe(2);
  });

  it('are not fetched from a host with a certificate of another authority', async () => {
    const logger = createLogger('silent');
    const port = google.port;
    const untrusting = new (class extends Agent {
      override createConnection(...[options, done]: Parameters<Agent['createConnection']>) {
        return super.createConnection({ ...options, host: '127.0.0.1', port } as typeof options, done);
      }
    })();
    const strict = createVerifier({ kind: 'firebase', projectId: PROJECT, checkRevoked: false }, { logger, clock, httpAgent: untrusting });
    await expect(strict(await sign())).rejects.toMatchObject({ code: 'unavailable' });
    expect(google.fetches).toBe(0);
  });

  it.each<[string, RequestListener]>([
    ['an error object', (_, response) => void response.end('{"error":"backend"}')],
    ['an empty object', (_, response) => void response.end('{}')],
    ['an array', (_, response) => void response.end('[]')],
    [
      'an invalid certificate',
      (_, response) => void response.end('{"one":"-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----"}'),
    ],
  ])('are kept after %s', async (_, instead) => {
    const token = await sign();
    await verify(token);
    google.insteadOfCertificates = instead;
    await clock.advance(HOUR);
    expect(await verify(token)).toMatchObject({ subject: 'user-1' });
    expect(google.fetches).toBe(2);
    expect(alarms()).toHaveLength(1);
    verify = verifier();
    expect(await codeOf(token)).toBe('unavailable');
  });
});

describe('an ID token of Firebase, where revocation is checked', () => {
  let file: string;
  beforeAll(() => {
    file = join(folder, 'service-account.json');
    const account = {
      type: 'service_account',
      project_id: PROJECT,
      private_key_id: 'k',
      private_key: signers.two.key,
      client_email: `test@${PROJECT}.iam.gserviceaccount.com`,
      client_id: '1',
      token_uri: 'https://oauth2.googleapis.com/token',
    };
    writeFileSync(file, JSON.stringify(account), { mode: 0o600 });
  });

  beforeEach(() => {
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
    google.user = { localId: 'user-1', validSince: String(seconds() - 3_600) };
    verify = verifier(true);
  });

  it('is accepted when its user may still use it', async () => {
    expect(await verify(await sign())).toMatchObject({ subject: 'user-1' });
    expect(google.lookUps).toBe(1);
  });

  it('is rejected once revoked', async () => {
    const token = await sign();
    google.user.validSince = String(seconds() - 5);
    expect(await rejection(token)).toMatchObject({ code: 'invalid_token', message: 'The ID token is not valid.' });
  });

  it('is rejected for a disabled or deleted user', async () => {
    google.user.disabled = true;
    expect(await codeOf(await sign())).toBe('invalid_token');
    google.insteadOfUser = (_, response) => void response.end('{"kind":"identitytoolkit#GetAccountInfoResponse"}');
    expect(await codeOf(await sign())).toBe('invalid_token');
  });

  it('is verified before the look-up of its user', async () => {
    expect(await codeOf(await sign(claims(), { kid: 'one' }, 'stranger'))).toBe('invalid_token');
    expect(google.lookUps).toBe(0);
  });

  it('authenticates HTTP requests until it is revoked', async () => {
    const env = { FIREBASE_PROJECT_ID: PROJECT, GOOGLE_APPLICATION_CREDENTIALS: process.env.GOOGLE_APPLICATION_CREDENTIALS ?? '' };
    const steward = await startSteward(env, { identity: { httpAgent: google.agent() } });
    try {
      const accepted = await steward.call('/integrations', { token: await sign() });
      expect(accepted.status).toBe(200);
      google.user.validSince = String(seconds() - 5);
      // Another token of the same user, since the first one is cached for a minute.
      const rejected = await steward.call('/integrations', { token: await sign(claims({ iat: seconds() - 11 })) });
      expect([rejected.status, rejected.body.code]).toEqual([401, 'invalid_token']);
      expect(rejected.headers.get('www-authenticate')).toMatch(/^Bearer /);
    } finally {
      await steward.stop();
    }
  });

  it.each<[string, RequestListener]>([
    ['403', (_, response) => void response.writeHead(403).end('{"error":{"message":"INSUFFICIENT_PERMISSION"}}')],
    ['quota exceeded', (_, response) => void response.writeHead(429).end('{"error":{"message":"QUOTA_EXCEEDED : x"}}')],
    ['HTML with 200', (_, response) => void response.end('<h1>Sorry</h1>')],
  ])('is neither valid nor invalid while the lookup of its user fails with %s', async (_, instead) => {
    const token = await sign();
    google.insteadOfUser = instead;
    expect(await rejection(token)).toMatchObject({ code: 'unavailable', status: 503, retryAfter: 5 });
    expect(alarms()).toHaveLength(1);
    expect(log.join()).not.toContain(token);
  });

  it.each<[string, RequestListener]>([
    // The library repeats the request.
    ['is 500', (_, response) => void response.writeHead(500).end('{"error":{"message":"INTERNAL"}}')],
    ['is missing', () => undefined],
  ])('waits two seconds for the lookup of its user when the response %s', async (_, instead) => {
    const token = await sign();
    google.insteadOfUser = instead;
    const rejected = rejection(token);
    await eventually(() => google.lookUps > 0);
    await clock.advance(2_000);
    expect(await rejected).toMatchObject({ code: 'unavailable', status: 503, retryAfter: 5 });
    expect(alarms()).toHaveLength(1);
    expect(log.join()).not.toContain(token);
  });
});

describe("an ID token of Firebase's emulator", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it('is accepted unsigned, for a user of the emulator', async () => {
    const users = [{ localId: 'user-1' }];
    const emulator = createHttpServer(
      (_, response) => void response.setHeader('content-type', 'application/json').end(JSON.stringify({ users })),
    );
    emulator.listen(0, '127.0.0.1');
    await once(emulator, 'listening');
    vi.stubEnv('FIREBASE_AUTH_EMULATOR_HOST', `127.0.0.1:${(emulator.address() as AddressInfo).port}`);
    const unsigned = `${encodePart({ alg: 'none', typ: 'JWT' })}.${encodePart(claims())}.`;
    const emulated = verifier();
    expect(await emulated(unsigned)).toMatchObject({ subject: 'user-1', issuer: ISSUER });
    for (const signed of [await sign(), await sign(claims(), { kid: 'unknown' }), await sign(claims(), {}, 'stranger')]) {
      await expect(emulated(signed)).rejects.toMatchObject({ code: 'invalid_token' });
    }
    users.length = 0;
    await expect(emulated(unsigned)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(google.fetches).toBe(0);
    vi.unstubAllEnvs();
    await expect(verifier()(unsigned)).rejects.toMatchObject({ code: 'invalid_token' });
    emulator.close();
  });
});
