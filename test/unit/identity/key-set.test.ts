import type { RequestListener } from 'node:http';
import { Agent } from 'node:https';
import { duplexPair } from 'node:stream';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createVerifier } from '../../../src/identity/verifier.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { vulnerableKeyPair } from '../../support/inputs/vulnerable-key.ts';
import { AUDIENCE, HOUR, MINUTE, pair, publicJwk, SECOND, TIMEOUT, useOidcScene } from '../../support/scenes/oidc-scene.ts';
import { eventually } from '../../support/time/eventually.ts';

const scene = useOidcScene();
const { claims, sign, rejection, codeOf, alarms } = scene;

describe('signing keys', () => {
  it('are fetched once for any number of concurrent first tokens', async () => {
    const token = await sign();
    await Promise.all(Array.from({ length: 100 }, () => scene.verify(token)));
    expect([scene.issuer.discoveries, scene.issuer.fetches]).toEqual([1, 1]);
  });

  it('are fetched at most once a minute for 1,000 unknown key ids', async () => {
    await scene.verify(await sign());
    const tokens = await Promise.all(Array.from({ length: 1_000 }, (_, index) => sign(claims(), { kid: `unknown-${index}` })));
    const flood = async () => new Set(await Promise.all(tokens.map(codeOf)));
    // Any of them may name a new key of the issuer; invalid_token would sign its users out.
    expect(await flood()).toEqual(new Set(['unavailable']));
    expect(scene.issuer.fetches).toBe(1);
    await scene.clock.advance(MINUTE);
    expect(await flood()).toEqual(new Set(['invalid_token']));
    expect(scene.issuer.fetches).toBe(2);
    await scene.clock.advance(MINUTE - 1);
    expect(await flood()).toEqual(new Set(['unavailable']));
    expect(scene.issuer.fetches).toBe(2);
  });

  it('are fetched again for a key that is new at the issuer', async () => {
    await scene.verify(await sign());
    scene.issuer.keys.push(await publicJwk('two'));
    await scene.clock.advance(MINUTE);
    const token = await sign(claims(), {}, 'two');
    const identities = await Promise.all([scene.verify(token), scene.verify(token), scene.verify(token)]);
    expect(identities).toHaveLength(3);
    expect(scene.issuer.fetches).toBe(2);
  });

  it('make a token with an unknown key id unavailable until the next allowed fetch, with one log line a minute', async () => {
    await scene.verify(await sign());
    scene.issuer.keys.push(await publicJwk('two'));
    await scene.clock.advance(20 * SECOND);
    const token = await sign(claims(), {}, 'two');
    for (let times = 0; times < 50; times += 1) expect(await rejection(token)).toMatchObject({ code: 'unavailable', retryAfter: 40 });
    expect(scene.issuer.fetches).toBe(1);
    expect(scene.log.filter((line) => JSON.parse(line).level >= 40)).toHaveLength(1);
    await scene.clock.advance(40 * SECOND);
    expect(await scene.verify(token)).toMatchObject({ subject: 'user-1' });
    expect(scene.issuer.fetches).toBe(2);
  });

  it('do not include a withdrawn key, however recently they were fetched', async () => {
    const old = await sign();
    await scene.verify(old);
    scene.issuer.keys = [await publicJwk('two')];
    await scene.clock.advance(MINUTE);
    await scene.verify(await sign(claims(), {}, 'two'));
    await scene.clock.advance(1);
    expect(await codeOf(old)).toBe('invalid_token');
    // Without a key id there is no new key to wait for either.
    scene.issuer.keys.push(await publicJwk('one'));
    await scene.clock.advance(MINUTE);
    await scene.verify(await sign());
    expect(await codeOf(await sign(claims(), { kid: undefined }))).toBe('invalid_token');
  });

  it('are used no longer than IDENTITY_KEYS_MAX_AGE_SECONDS, whatever Cache-Control says', async () => {
    scene.issuer.cacheControl = 'max-age=86400';
    const short = scene.verifier({ keysMaxAge: 10 * MINUTE });
    const token = await sign(claims({ exp: scene.seconds + 7_200 }));
    await short(token);
    scene.issuer.keys = [await publicJwk('two')];
    await scene.clock.advance(10 * MINUTE - 1);
    await short(token);
    await scene.clock.advance(1);
    await expect(short(token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('no longer verify once the issuer has removed them', async () => {
    const token = await sign(claims({ exp: scene.seconds + 7_200 }));
    await scene.verify(token);
    scene.issuer.keys = [await publicJwk('two')];
    await scene.clock.advance(HOUR - 1);
    await scene.verify(token);
    await scene.clock.advance(1);
    expect(await codeOf(token)).toBe('invalid_token');
  });

  it.each<[string, number]>([
    ['max-age=0', 5 * MINUTE],
    ['no-store', HOUR],
    ['public, max-age=600', 10 * MINUTE],
    ['max-age=999999999999', 24 * HOUR],
    ['max-age=-1', HOUR],
  ])('are fresh for the max-age of "%s", between 5 minutes and 24 hours', async (cacheControl, lifetime) => {
    scene.issuer.cacheControl = cacheControl;
    const token = await sign(claims({ exp: scene.seconds + 200_000 }));
    await scene.verify(token);
    await scene.clock.advance(lifetime - 1);
    await scene.verify(token);
    expect(scene.issuer.fetches).toBe(1);
    await scene.clock.advance(1);
    await scene.verify(token);
    expect(scene.issuer.fetches).toBe(2);
  });

  it('are used for 24 hours while the issuer is unavailable, with an error in the log once a minute at most', async () => {
    const token = await sign(claims({ exp: scene.seconds + 200_000 }));
    await scene.verify(token);
    await scene.issuer.stop();
    await scene.clock.advance(HOUR);
    await Promise.all(Array.from({ length: 50 }, () => scene.verify(token)));
    expect(alarms()).toHaveLength(1);
    await scene.clock.advance(MINUTE);
    await scene.verify(token);
    expect(alarms()).toHaveLength(2);
    await scene.clock.advance(24 * HOUR - MINUTE - 1);
    await scene.verify(token);
    await scene.clock.advance(1);
    expect(await rejection(token)).toMatchObject({ code: 'unavailable', status: 503, retryAfter: 5 });
    expect(scene.log.join()).not.toContain(token);
  });

  it('are fetched every 5 s, not for every token, while there are none', async () => {
    scene.issuer.instead = (_, response) => void response.writeHead(503).end();
    const token = await sign();
    expect(await rejection(token)).toMatchObject({ code: 'unavailable', retryAfter: 5 });
    for (let index = 0; index < 100; index += 1) expect(await codeOf(token)).toBe('unavailable');
    expect(scene.issuer.fetches).toBe(1);
    await scene.clock.advance(5 * SECOND);
    expect(await codeOf(token)).toBe('unavailable');
    expect(scene.issuer.fetches).toBe(2);
    expect(alarms()).toHaveLength(1);
    scene.issuer.instead = undefined;
    await scene.clock.advance(5 * SECOND);
    expect(await scene.verify(token)).toMatchObject({ subject: 'user-1' });
  });

  it('are fetched again after the clock was set back', async () => {
    scene.issuer.instead = (_, response) => void response.writeHead(503).end();
    expect(await codeOf(await sign())).toBe('unavailable');
    scene.issuer.instead = undefined;
    scene.clock.setBy(-10 * MINUTE);
    expect(await scene.verify(await sign())).toMatchObject({ subject: 'user-1' });
  });

  it.each<[string, RequestListener]>([
    ['HTML with 200', (_, response) => void response.setHeader('content-type', 'text/html').end('<h1>Sign in</h1>')],
    ['an empty response', (_, response) => void response.end()],
    ['truncated JSON', (_, response) => void response.end('{"keys":[{"kty"')],
    ['an array', (_, response) => void response.end('[]')],
    ['keys that are not an array', (_, response) => void response.end('{"keys":{}}')],
    ['no key', (_, response) => void response.end('{"keys":[]}')],
    ['no usable key', (_, response) => void response.end('{"keys":[null,1,"x",{},{"kty":"RSA","kid":"one","n":"AQAB","e":"AQAB"}]}')],
    [
      'bytes that are not UTF-8',
      (_, response) => void response.end(Buffer.from(JSON.stringify({ keys: scene.issuer.keys, note: '\u00ff' }), 'latin1')),
    ],
    ['404', (_, response) => void response.writeHead(404).end(JSON.stringify({ keys: scene.issuer.keys }))],
    ['a closed connection', (request) => void request.socket.destroy()],
  ])('are kept after %s', async (_, instead) => {
    const token = await sign(claims({ exp: scene.seconds + 200_000 }));
    await scene.verify(token);
    scene.issuer.instead = instead;
    await scene.clock.advance(HOUR);
    expect(await scene.verify(token)).toMatchObject({ subject: 'user-1' });
    expect(scene.issuer.fetches).toBe(2);
    expect(alarms()).toHaveLength(1);
    scene.verify = scene.verifier();
    expect(await codeOf(token)).toBe('unavailable');
  });

  it.each<[string, RequestListener]>([
    ['no response', () => undefined],
    ['a response that never ends', (_, response) => void response.write('{"keys":[')],
  ])('are kept after %s within the time limit', async (_, instead) => {
    const token = await sign(claims({ exp: scene.seconds + 200_000 }));
    await scene.verify(token);
    scene.issuer.instead = instead;
    await scene.clock.advance(HOUR);
    const verified = scene.verify(token);
    await eventually(() => scene.issuer.fetches === 2);
    await scene.clock.advance(TIMEOUT);
    expect(await verified).toMatchObject({ subject: 'user-1' });
    expect(alarms()).toHaveLength(1);
    scene.verify = scene.verifier();
    const rejected = codeOf(token);
    await eventually(() => scene.issuer.fetches === 3);
    await scene.clock.advance(TIMEOUT);
    expect(await rejected).toBe('unavailable');
  });

  it('are rejected beyond 256 kB, and redirects are not followed', async () => {
    const body = JSON.stringify({ keys: scene.issuer.keys });
    const token = await sign();
    scene.issuer.instead = (_, response) => void response.end(body + ' '.repeat(1_000_000));
    expect(await codeOf(token)).toBe('unavailable');
    scene.issuer.instead = (request, response) => {
      if (request.url === '/moved') response.end(body);
      else response.writeHead(302, { location: '/moved' }).end(body);
    };
    await scene.clock.advance(5 * SECOND);
    expect(await codeOf(token)).toBe('unavailable');
    expect(scene.issuer.fetches).toBe(2);
    scene.issuer.instead = (_, response) => void response.end(body + ' '.repeat(1_000));
    await scene.clock.advance(5 * SECOND);
    expect(await scene.verify(token)).toMatchObject({ subject: 'user-1' });
  });

  it('are the public keys for signatures, the first of each key id', async () => {
    const one = await publicJwk('one');
    const stranger = { ...(await publicJwk('stranger')), kid: 'one' };
    scene.issuer.keys = [
      { ...stranger, use: 'enc' },
      { ...stranger, key_ops: ['encrypt'] },
      { ...(await exportJWK(pair('stranger').privateKey)), kid: 'one' },
      { kty: 'oct', k: 'c2VjcmV0', kid: 'one' },
      one,
      stranger,
    ];
    expect(await scene.verify(await sign())).toMatchObject({ subject: 'user-1' });
    expect(await codeOf(await sign(claims(), { kid: 'one' }, 'stranger'))).toBe('invalid_token');
  });

  it('do not include keys that can be factored (CVE-2017-15361)', async () => {
    const weak = vulnerableKeyPair();
    scene.issuer.keys.push({ ...weak.publicKey.export({ format: 'jwk' }), kid: 'weak' });
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'RS256', kid: 'weak' }).sign(weak.privateKey);
    expect(await codeOf(token)).toBe('invalid_token');
    expect(await scene.verify(await sign())).toMatchObject({ subject: 'user-1' });
  });

  it('do not include keys whose private half is published', async () => {
    const leaked = await generateKeyPair('ES256', { extractable: true });
    scene.issuer.keys.push({ ...(await exportJWK(leaked.privateKey)), kid: 'leaked' });
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', kid: 'leaked' }).sign(leaked.privateKey);
    expect(await codeOf(token)).toBe('invalid_token');
  });

  it('are none if the discovery document names another issuer, with an error in the log once a minute at most', async () => {
    const token = await sign(claims({ exp: scene.seconds + 200_000 }));
    await scene.verify(token);
    scene.issuer.issuer = `${scene.issuer.url}/`;
    await scene.clock.advance(HOUR);
    for (let index = 0; index < 20; index += 1) expect(await codeOf(token)).toBe('invalid_token');
    expect(alarms()).toHaveLength(1);
    expect(scene.issuer.fetches).toBe(1);
    scene.issuer.issuer = scene.issuer.url;
    await scene.clock.advance(MINUTE);
    expect(await scene.verify(token)).toMatchObject({ subject: 'user-1' });
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/jwks', 'data:application/json,{}', 'jwks'])(
    'are not fetched from %s',
    async (address) => {
      scene.issuer.jwksUri = address;
      expect(await codeOf(await sign())).toBe('unavailable');
      expect(scene.issuer.fetches).toBe(0);
    },
  );

  it('are not fetched over plain HTTP if the discovery document came over TLS', async () => {
    const discovery = JSON.stringify({ issuer: 'https://issuer.example', jwks_uri: `${scene.issuer.url}/jwks` });
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
    scene.verify = createVerifier(
      { kind: 'oidc', issuer: 'https://issuer.example', audience: AUDIENCE, discoveryUrl },
      { logger: createLogger('silent'), clock: scene.clock, httpAgent },
    );
    expect(await codeOf(await sign(claims({ iss: 'https://issuer.example' })))).toBe('unavailable');
    expect([discoveries, scene.issuer.fetches]).toEqual([1, 0]);
  });
});
