import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { duplexPair } from 'node:stream';
import { CompactSign, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OidcSettings } from '../../../src/config/config.ts';
import { createVerifier, type VerifyIdToken } from '../../../src/identity/verifier.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { alarmsIn, encodePart, refusalOf } from '../../support/id-tokens.ts';
import { vulnerableKeyPair } from '../../support/vulnerable-key.ts';

const AUDIENCE = 'steward-test';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.parse('2030-01-01T00:00:00Z');

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

const pairs: Record<string, Pair> = {};
for (const name of ['one', 'two', 'stranger']) pairs[name] = await generateKeyPair('RS256', { extractable: true });

function pair(name: string): Pair {
  const found = pairs[name];
  if (found === undefined) throw new Error(`no key ${name}`);
  return found;
}

async function publicJwk(name: string): Promise<Record<string, unknown>> {
  return { ...(await exportJWK(pair(name).publicKey)), kid: name, use: 'sig', alg: 'RS256' };
}

/** An issuer over real HTTP, whose documents and manners a test can change. */
class Issuer {
  readonly #server: Server;
  url = '';
  issuer = '';
  keys: Record<string, unknown>[] = [];
  cacheControl: string | undefined;
  fetches = 0;
  discoveries = 0;
  jwksUri: string | undefined;
  /** Answers in place of the key set. */
  instead: RequestListener | undefined;

  constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.issuer = this.url;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  readonly #answer: RequestListener = (request, response) => {
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

let issuer: Issuer;
let now: number;
let log: string[];
let verify: VerifyIdToken;

function settings(): OidcSettings {
  return { kind: 'oidc', issuer: issuer.url, audience: AUDIENCE, discoveryUrl: `${issuer.url}/.well-known/openid-configuration` };
}

function verifier(options: { keysMaxAge?: number } = {}): VerifyIdToken {
  const logger = createLogger('info', { write: (line: string) => void log.push(line) });
  return createVerifier(settings(), { logger, now: () => now, timeouts: { keys: 2_000, lookUp: 2_000 }, ...options });
}

const seconds = () => Math.floor(now / SECOND);

function claims(changes: Record<string, unknown> = {}): JWTPayload {
  return {
    iss: issuer.url,
    aud: AUDIENCE,
    sub: 'user-1',
    iat: seconds(),
    exp: seconds() + 3_600,
    auth_time: seconds() - 5,
    email: 'ada@example.com',
    email_verified: true,
    ...changes,
  };
}

function sign(payload: JWTPayload = claims(), header: Record<string, unknown> = {}, key = 'one'): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: key, ...header }).sign(pair(key).privateKey);
}

const refusal = (token: string) => refusalOf(verify, token);
const codeOf = async (token: string) => (await refusal(token)).code;
const alarms = () => alarmsIn(log);

beforeEach(async () => {
  issuer = new Issuer();
  await issuer.start();
  issuer.keys = [await publicJwk('one')];
  now = START;
  log = [];
  verify = verifier();
});

afterEach(() => issuer.stop());

describe('an ID token of an OIDC issuer', () => {
  it('yields the identity it was signed for', async () => {
    expect(await verify(await sign())).toEqual({
      issuer: issuer.url,
      subject: 'user-1',
      email: 'ada@example.com',
      emailVerified: true,
      authTime: seconds() - 5,
      issuedAt: seconds(),
      expiresAt: seconds() + 3_600,
    });
  });

  it('counts an address as verified only where email_verified is true itself', async () => {
    expect(await verify(await sign(claims({ email_verified: 'true' })))).toMatchObject({ emailVerified: false });
    expect(await verify(await sign(claims({ email_verified: undefined })))).toMatchObject({ emailVerified: false });
    expect(await verify(await sign(claims({ email: 'ada@example.com\r\nbcc: x@y' })))).toMatchObject({ email: undefined });
  });

  it.each(['PS256', 'ES256', 'EdDSA'])('may be signed with %s', async (alg) => {
    const other = await generateKeyPair(alg);
    issuer.keys.push({ ...(await exportJWK(other.publicKey)), kid: alg });
    const token = await new SignJWT(claims()).setProtectedHeader({ alg, kid: alg }).sign(other.privateKey);
    expect(await verify(token)).toMatchObject({ subject: 'user-1' });
  });

  it('may omit the key id only while the issuer has a single key', async () => {
    const token = await sign(claims(), { kid: undefined });
    expect(await verify(token)).toMatchObject({ subject: 'user-1' });
    issuer.keys.push(await publicJwk('two'));
    verify = verifier();
    expect(await codeOf(token)).toBe('invalid_token');
  });

  it('is refused with one message that says nothing about why', async () => {
    const error = await refusal(await sign(claims({ aud: 'somebody-else' })));
    expect(error).toMatchObject({ code: 'invalid_token', status: 401, message: 'The ID token is not valid.' });
    expect(await refusal(await sign(claims({ exp: seconds() })))).toMatchObject({
      code: 'token_expired',
      status: 401,
      message: 'The ID token has expired.',
    });
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['of another issuer', () => ({ iss: 'https://issuer.example' })],
    ['whose issuer differs by a slash', () => ({ iss: `${issuer.url}/` })],
    ['for another audience', () => ({ aud: 'other' })],
    ['for several audiences without us', () => ({ aud: ['other', 'third'] })],
    ['made for another of several audiences', () => ({ aud: [AUDIENCE, 'other'], azp: 'other' })],
    ['without an audience', () => ({ aud: undefined })],
    ['issued 10 minutes ahead', () => ({ iat: seconds() + 600 })],
    ['without iat', () => ({ iat: undefined })],
    ['whose user signed in 10 minutes ahead', () => ({ auth_time: seconds() + 600 })],
    ['not valid before the next 10 minutes', () => ({ nbf: seconds() + 600 })],
    ['without exp', () => ({ exp: undefined })],
    ['whose exp is text', () => ({ exp: '9999999999' })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['with a subject of 256 characters', () => ({ sub: 'a'.repeat(256) })],
    ['with a subject beyond ASCII', () => ({ sub: 'usér' })],
    ['with a NUL in its subject', () => ({ sub: 'user\u0000' })],
  ])('is refused: %s', async (_, changes) => {
    expect(await codeOf(await sign(claims(changes())))).toBe('invalid_token');
  });

  it('is accepted for several audiences where it was made for us, and 60 s ahead of our clock', async () => {
    expect(await verify(await sign(claims({ aud: ['other', AUDIENCE], azp: AUDIENCE })))).toMatchObject({ subject: 'user-1' });
    expect(await verify(await sign(claims({ iat: seconds() + 60, auth_time: seconds() + 60, nbf: seconds() + 60 })))).toMatchObject({
      subject: 'user-1',
    });
  });

  it('expires at exp', async () => {
    const token = await sign(claims({ exp: seconds() + 10 }));
    now += 9 * SECOND;
    await verify(token);
    now += SECOND;
    expect(await codeOf(token)).toBe('token_expired');
  });
});

describe('a forged ID token', () => {
  it('is refused without a signature', async () => {
    const [header, payload] = (await sign()).split('.');
    expect(await codeOf(`${header}.${payload}.`)).toBe('invalid_token');
    expect(await codeOf(`${encodePart({ alg: 'none', kid: 'one' })}.${payload}.`)).toBe('invalid_token');
    expect(await codeOf(`${encodePart({ alg: 'none' })}.${payload}.AAAA`)).toBe('invalid_token');
    expect(await codeOf(`${encodePart({ alg: 'nOnE', kid: 'one' })}.${payload}.`)).toBe('invalid_token');
    expect(issuer.fetches).toBe(1);
  });

  it.each(['HS256', 'HS384', 'HS512'])('is refused: %s with the public key as its secret', async (alg) => {
    const spki = await exportSPKI(pair('one').publicKey);
    for (const secret of [spki, spki.trim(), JSON.stringify(await publicJwk('one'))]) {
      const token = await new SignJWT(claims()).setProtectedHeader({ alg, kid: 'one' }).sign(new TextEncoder().encode(secret));
      expect(await codeOf(token)).toBe('invalid_token');
    }
    expect(issuer.fetches).toBe(0);
  });

  it('is refused with anything around it', async () => {
    const token = await sign();
    for (const dressed of [` ${token}`, `${token}\n`, `${token}=`, `${token}.`, `Bearer ${token}`])
      expect(await codeOf(dressed)).toBe('invalid_token');
  });

  it('is refused when another key signed it, or when it was changed', async () => {
    expect(await codeOf(await sign(claims(), { kid: 'one' }, 'stranger'))).toBe('invalid_token');
    const [header, , signature] = (await sign()).split('.');
    expect(await codeOf(`${header}.${encodePart(claims({ sub: 'admin' }))}.${signature}`)).toBe('invalid_token');
  });

  it('is refused when it uses a key for another algorithm than its own', async () => {
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'PS256', kid: 'one' }).sign(await pssKey());
    expect(await codeOf(token)).toBe('invalid_token');
  });

  it('cannot bring its own key', async () => {
    const jwk = await exportJWK(pair('stranger').publicKey);
    const jku = `${issuer.url}/theirs`;
    for (const header of [{ jwk }, { jku }, { x5u: jku }, { jwk, kid: 'stranger' }, { jku, kid: 'stranger' }]) {
      const token = await new SignJWT(claims())
        .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
        .sign(pair('stranger').privateKey);
      expect(await codeOf(token)).toBe('invalid_token');
    }
    expect(issuer.fetches).toBe(1);
    // The headers themselves do no harm to a token that is good.
    expect(await verify(await sign(claims(), { jku, x5u: jku }))).toMatchObject({ subject: 'user-1' });
  });

  it.each(['../../jwks', '/etc/passwd', '__proto__', 'constructor', 'one\u0000', 'x'.repeat(300), ''])(
    'is refused: key id %j',
    async (kid) => {
      expect(await codeOf(await sign(claims(), { kid }, 'one'))).toBe('invalid_token');
    },
  );

  it('is refused with a critical header, known or not', async () => {
    const payload = encodePart(claims());
    for (const extra of [{ crit: ['exp'], exp: 1 }, { crit: [] }, { crit: ['b64'], b64: true }]) {
      expect(await codeOf(`${encodePart({ alg: 'RS256', kid: 'one', ...extra })}.${payload}.AAAA`)).toBe('invalid_token');
    }
    const signed = await new CompactSign(Buffer.from(JSON.stringify(claims())))
      .setProtectedHeader({ alg: 'RS256', kid: 'one', crit: ['b64'], b64: true })
      .sign(pair('one').privateKey);
    expect(await codeOf(signed)).toBe('invalid_token');
  });

  it.each(['at+jwt', 'logout+jwt'])('is refused: a token of type %s', async (typ) => {
    expect(await codeOf(await sign(claims(), { typ }))).toBe('invalid_token');
    expect(await verify(await sign(claims(), { typ: 'JWT' }))).toMatchObject({ subject: 'user-1' });
  });

  it('is refused when its claims are no JSON object', async () => {
    for (const text of ['', '[]', 'null', '"x"', '{"iss":', '\u00ff']) {
      const token = await new CompactSign(Buffer.from(text, 'latin1'))
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .sign(pair('one').privateKey);
      expect(await codeOf(token)).toBe('invalid_token');
    }
  });

  it.each([
    '',
    '.',
    '..',
    '...',
    'a.b.c',
    'a'.repeat(100_000),
    `${'a'.repeat(50_000)}.${'b'.repeat(50_000)}.c`,
    '💥.💥.💥',
    'a.b.c.d.e',
    ' ',
    'e30.e30.e30',
    '\u0000',
  ])('is refused without a fetch: garbage %#', async (token) => {
    expect(await codeOf(token)).toBe('invalid_token');
    expect(issuer.fetches).toBe(0);
  });

  it('of more than 8 kB is refused whatever its signature', async () => {
    expect(await codeOf(await sign(claims({ padding: 'x'.repeat(8_192) })))).toBe('invalid_token');
  });
});

async function pssKey() {
  const jwk = { ...(await exportJWK(pair('one').privateKey)), alg: 'PS256' };
  return crypto.subtle.importKey('jwk', jwk, { name: 'RSA-PSS', hash: 'SHA-256' }, false, ['sign']);
}

describe("an OIDC issuer's keys", () => {
  it('are fetched once for any number of first tokens at a time', async () => {
    const token = await sign();
    await Promise.all(Array.from({ length: 100 }, () => verify(token)));
    expect([issuer.discoveries, issuer.fetches]).toEqual([1, 1]);
  });

  it('are fetched at most once a minute for 1,000 unknown key ids', async () => {
    await verify(await sign());
    const tokens = await Promise.all(Array.from({ length: 1_000 }, (_, index) => sign(claims(), { kid: `unknown-${index}` })));
    const flood = async () => new Set(await Promise.all(tokens.map(codeOf)));
    // Any of them may be a key that the issuer began to use a moment ago: "invalid" would sign its users out.
    expect(await flood()).toEqual(new Set(['unavailable']));
    expect(issuer.fetches).toBe(1);
    now += MINUTE;
    expect(await flood()).toEqual(new Set(['invalid_token']));
    expect(issuer.fetches).toBe(2);
    now += MINUTE - 1;
    expect(await flood()).toEqual(new Set(['unavailable']));
    expect(issuer.fetches).toBe(2);
  });

  it('are fetched again for a key that is new at the issuer', async () => {
    await verify(await sign());
    issuer.keys.push(await publicJwk('two'));
    now += MINUTE;
    const token = await sign(claims(), {}, 'two');
    const identities = await Promise.all([verify(token), verify(token), verify(token)]);
    expect(identities).toHaveLength(3);
    expect(issuer.fetches).toBe(2);
  });

  it('put a token off whose key is new, until they may be fetched again; the log has a line of it a minute', async () => {
    await verify(await sign());
    issuer.keys.push(await publicJwk('two'));
    now += 20 * SECOND;
    const token = await sign(claims(), {}, 'two');
    for (let times = 0; times < 50; times += 1) expect(await refusal(token)).toMatchObject({ code: 'unavailable', retryAfter: 40 });
    expect(issuer.fetches).toBe(1);
    expect(log.filter((line) => JSON.parse(line).level >= 40)).toHaveLength(1);
    now += 40 * SECOND;
    expect(await verify(token)).toMatchObject({ subject: 'user-1' });
    expect(issuer.fetches).toBe(2);
  });

  it('refuse a key that was withdrawn, however lately they were fetched', async () => {
    const old = await sign();
    await verify(old);
    issuer.keys = [await publicJwk('two')];
    now += MINUTE;
    await verify(await sign(claims(), {}, 'two'));
    now += 1;
    expect(await codeOf(old)).toBe('invalid_token');
    // Nor is there anything to wait for without a key id.
    issuer.keys.push(await publicJwk('one'));
    now += MINUTE;
    await verify(await sign());
    expect(await codeOf(await sign(claims(), { kid: undefined }))).toBe('invalid_token');
  });

  it('are used no longer than the operator allows, whatever the issuer says', async () => {
    issuer.cacheControl = 'max-age=86400';
    const short = verifier({ keysMaxAge: 10 * MINUTE });
    const token = await sign(claims({ exp: seconds() + 7_200 }));
    await short(token);
    issuer.keys = [await publicJwk('two')];
    now += 10 * MINUTE - 1;
    await short(token);
    now += 1;
    await expect(short(token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('no longer verify once the issuer has removed them', async () => {
    const token = await sign(claims({ exp: seconds() + 7_200 }));
    await verify(token);
    issuer.keys = [await publicJwk('two')];
    now += HOUR - 1;
    await verify(token);
    now += 1;
    expect(await codeOf(token)).toBe('invalid_token');
  });

  it.each<[string, number]>([
    ['max-age=0', 5 * MINUTE],
    ['no-store', HOUR],
    ['public, max-age=600', 10 * MINUTE],
    ['max-age=999999999999', 24 * HOUR],
    ['max-age=-1', HOUR],
  ])('stay fresh as "%s" asks, between 5 minutes and 24 hours', async (cacheControl, life) => {
    issuer.cacheControl = cacheControl;
    const token = await sign(claims({ exp: seconds() + 200_000 }));
    await verify(token);
    now += life - 1;
    await verify(token);
    expect(issuer.fetches).toBe(1);
    now += 1;
    await verify(token);
    expect(issuer.fetches).toBe(2);
  });

  it('serve for 24 hours while the issuer is out of reach, with an alarm a minute at most', async () => {
    const token = await sign(claims({ exp: seconds() + 200_000 }));
    await verify(token);
    await issuer.stop();
    now += HOUR;
    await Promise.all(Array.from({ length: 50 }, () => verify(token)));
    expect(alarms()).toHaveLength(1);
    now += MINUTE;
    await verify(token);
    expect(alarms()).toHaveLength(2);
    now = START + 25 * HOUR - 1;
    await verify(token);
    now += 1;
    expect(await refusal(token)).toMatchObject({ code: 'unavailable', status: 503, retryAfter: 5 });
    expect(log.join()).not.toContain(token);
  });

  it('are asked for every 5 s, not by every caller, while there are none', async () => {
    issuer.instead = (_, response) => void response.writeHead(503).end();
    const token = await sign();
    expect(await refusal(token)).toMatchObject({ code: 'unavailable', retryAfter: 5 });
    for (let index = 0; index < 100; index += 1) expect(await codeOf(token)).toBe('unavailable');
    expect(issuer.fetches).toBe(1);
    now += 5 * SECOND;
    expect(await codeOf(token)).toBe('unavailable');
    expect(issuer.fetches).toBe(2);
    expect(alarms()).toHaveLength(1);
    issuer.instead = undefined;
    now += 5 * SECOND;
    expect(await verify(token)).toMatchObject({ subject: 'user-1' });
  });

  it('are asked for again after the clock was set back', async () => {
    issuer.instead = (_, response) => void response.writeHead(503).end();
    expect(await codeOf(await sign())).toBe('unavailable');
    issuer.instead = undefined;
    now -= 10 * MINUTE;
    expect(await verify(await sign())).toMatchObject({ subject: 'user-1' });
  });

  it.each<[string, RequestListener]>([
    ['HTML with 200', (_, response) => void response.setHeader('content-type', 'text/html').end('<h1>Sign in</h1>')],
    ['an empty answer', (_, response) => void response.end()],
    ['truncated JSON', (_, response) => void response.end('{"keys":[{"kty"')],
    ['a list', (_, response) => void response.end('[]')],
    ['keys that are no list', (_, response) => void response.end('{"keys":{}}')],
    ['no key', (_, response) => void response.end('{"keys":[]}')],
    ['only what is no key', (_, response) => void response.end('{"keys":[null,1,"x",{},{"kty":"RSA","kid":"one","n":"AQAB","e":"AQAB"}]}')],
    [
      'bytes that are not UTF-8',
      (_, response) => void response.end(Buffer.from(JSON.stringify({ keys: issuer.keys, note: '\u00ff' }), 'latin1')),
    ],
    ['404', (_, response) => void response.writeHead(404).end(JSON.stringify({ keys: issuer.keys }))],
    ['a closed connection', (request) => void request.socket.destroy()],
    ['an answer that never comes', () => undefined],
    ['an answer that never ends', (_, response) => void response.write('{"keys":[')],
  ])('are kept over %s', async (_, instead) => {
    const token = await sign(claims({ exp: seconds() + 200_000 }));
    await verify(token);
    issuer.instead = instead;
    now += HOUR;
    expect(await verify(token)).toMatchObject({ subject: 'user-1' });
    expect(issuer.fetches).toBe(2);
    expect(alarms()).toHaveLength(1);
    verify = verifier();
    expect(await codeOf(token)).toBe('unavailable');
  });

  it('are refused beyond 256 kB, and from where a redirect leads', async () => {
    const body = JSON.stringify({ keys: issuer.keys });
    const token = await sign();
    issuer.instead = (_, response) => void response.end(body + ' '.repeat(1_000_000));
    expect(await codeOf(token)).toBe('unavailable');
    issuer.instead = (request, response) => {
      if (request.url === '/moved') response.end(body);
      else response.writeHead(302, { location: '/moved' }).end(body);
    };
    now += 5 * SECOND;
    expect(await codeOf(token)).toBe('unavailable');
    expect(issuer.fetches).toBe(2);
    issuer.instead = (_, response) => void response.end(body + ' '.repeat(1_000));
    now += 5 * SECOND;
    expect(await verify(token)).toMatchObject({ subject: 'user-1' });
  });

  it('count only where they are public keys for signatures, the first of each id', async () => {
    const one = await publicJwk('one');
    const stranger = { ...(await publicJwk('stranger')), kid: 'one' };
    issuer.keys = [
      { ...stranger, use: 'enc' },
      { ...stranger, key_ops: ['encrypt'] },
      { ...(await exportJWK(pair('stranger').privateKey)), kid: 'one' },
      { kty: 'oct', k: 'c2VjcmV0', kid: 'one' },
      one,
      stranger,
    ];
    expect(await verify(await sign())).toMatchObject({ subject: 'user-1' });
    expect(await codeOf(await sign(claims(), { kid: 'one' }, 'stranger'))).toBe('invalid_token');
  });

  it('do not count where anybody can compute their private half (CVE-2017-15361)', async () => {
    const weak = vulnerableKeyPair();
    issuer.keys.push({ ...weak.publicKey.export({ format: 'jwk' }), kid: 'weak' });
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: 'weak' }).sign(weak.privateKey);
    expect(await codeOf(token)).toBe('invalid_token');
    expect(await verify(await sign())).toMatchObject({ subject: 'user-1' });
  });

  it('do not count once their private half is published', async () => {
    const leaked = await generateKeyPair('ES256', { extractable: true });
    issuer.keys.push({ ...(await exportJWK(leaked.privateKey)), kid: 'leaked' });
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', kid: 'leaked' }).sign(leaked.privateKey);
    expect(await codeOf(token)).toBe('invalid_token');
  });

  it('are refused where the discovery document names another issuer, with an alarm a minute at most', async () => {
    const token = await sign(claims({ exp: seconds() + 200_000 }));
    await verify(token);
    issuer.issuer = `${issuer.url}/`;
    now += HOUR;
    for (let index = 0; index < 20; index += 1) expect(await codeOf(token)).toBe('invalid_token');
    expect(alarms()).toHaveLength(1);
    expect(issuer.fetches).toBe(1);
    issuer.issuer = issuer.url;
    now += MINUTE;
    expect(await verify(token)).toMatchObject({ subject: 'user-1' });
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/jwks', 'data:application/json,{}', 'jwks'])('are not taken from %s', async (address) => {
    issuer.jwksUri = address;
    expect(await codeOf(await sign())).toBe('unavailable');
    expect(issuer.fetches).toBe(0);
  });

  it('are not fetched over plain HTTP where discovery was not', async () => {
    const discovery = JSON.stringify({ issuer: 'https://issuer.example', jwks_uri: `${issuer.url}/jwks` });
    let discoveries = 0;
    const httpAgent = new (class extends Agent {
      override createConnection() {
        const [client, server] = duplexPair();
        discoveries += 1;
        server.once('data', () =>
          server.end(`HTTP/1.1 200 OK\r\ncontent-length: ${discovery.length}\r\nconnection: close\r\n\r\n${discovery}`),
        );
        return client;
      }
    })();
    const discoveryUrl = 'https://issuer.example/.well-known/openid-configuration';
    verify = createVerifier(
      { kind: 'oidc', issuer: 'https://issuer.example', audience: AUDIENCE, discoveryUrl },
      { logger: createLogger('silent'), now: () => now, httpAgent },
    );
    expect(await codeOf(await sign(claims({ iss: 'https://issuer.example' })))).toBe('unavailable');
    expect([discoveries, issuer.fetches]).toEqual([1, 0]);
  });
});
