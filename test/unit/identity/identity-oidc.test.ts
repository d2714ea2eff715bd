import { CompactSign, exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { AUDIENCE, pair, publicJwk, SECOND, useOidcScene } from '../../support/scenes/oidc-scene.ts';
import { encodePart } from '../../support/users/id-tokens.ts';

const scene = useOidcScene();
const { claims, sign, rejection, codeOf } = scene;

describe('an ID token of an OIDC issuer', () => {
  it('returns the identity in its claims', async () => {
    expect(await scene.verify(await sign())).toEqual({
      issuer: scene.issuer.url,
      subject: 'user-1',
      email: 'ada@example.com',
      emailVerified: true,
      authTime: scene.seconds - 5,
      issuedAt: scene.seconds,
      expiresAt: scene.seconds + 3_600,
    });
  });

  it('has a verified address only if email_verified is the boolean true', async () => {
    expect(await scene.verify(await sign(claims({ email_verified: 'true' })))).toMatchObject({ emailVerified: false });
    expect(await scene.verify(await sign(claims({ email_verified: undefined })))).toMatchObject({ emailVerified: false });
    expect(await scene.verify(await sign(claims({ email: 'ada@example.com\r\nbcc: x@y' })))).toMatchObject({ email: undefined });
  });

  it('may name what it does not say as null', async () => {
    const said = { azp: null, auth_time: null, email: null, email_verified: null };
    expect(await scene.verify(await sign(claims(said)))).toMatchObject({ subject: 'user-1', authTime: undefined, email: undefined });
    expect(await scene.verify(await sign(claims({ aud: ['other', AUDIENCE], azp: null })))).toMatchObject({ subject: 'user-1' });
    expect(await codeOf(await sign(claims({ sub: null })))).toBe('invalid_token');
  });

  it.each(['PS256', 'ES256', 'EdDSA'])('may be signed with %s', async (alg) => {
    const other = await generateKeyPair(alg);
    scene.issuer.keys.push({ ...(await exportJWK(other.publicKey)), kid: alg });
    const token = await new SignJWT(claims()).setProtectedHeader({ alg, kid: alg }).sign(other.privateKey);
    expect(await scene.verify(token)).toMatchObject({ subject: 'user-1' });
  });

  it('may omit the key id only while the issuer has a single key', async () => {
    const token = await sign(claims(), { kid: undefined });
    expect(await scene.verify(token)).toMatchObject({ subject: 'user-1' });
    scene.issuer.keys.push(await publicJwk('two'));
    scene.verify = scene.verifier();
    expect(await codeOf(token)).toBe('invalid_token');
  });

  it('is rejected with one message that does not tell the reason', async () => {
    const error = await rejection(await sign(claims({ aud: 'another-client' })));
    expect(error).toMatchObject({ code: 'invalid_token', status: 401, message: 'The ID token is not valid.' });
    expect(await rejection(await sign(claims({ exp: scene.seconds })))).toMatchObject({
      code: 'token_expired',
      status: 401,
      message: 'The ID token has expired.',
    });
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['of another issuer', () => ({ iss: 'https://issuer.example' })],
    ['whose issuer differs by a slash', () => ({ iss: `${scene.issuer.url}/` })],
    ['for another audience', () => ({ aud: 'other' })],
    ['for several audiences without ours', () => ({ aud: ['other', 'third'] })],
    ['issued to another of several audiences', () => ({ aud: [AUDIENCE, 'other'], azp: 'other' })],
    ['without an audience', () => ({ aud: undefined })],
    ['issued 61 s ahead', () => ({ iat: scene.seconds + 61 })],
    ['without iat', () => ({ iat: undefined })],
    ['whose user signed in 61 s ahead', () => ({ auth_time: scene.seconds + 61 })],
    ['not valid before the next 61 s', () => ({ nbf: scene.seconds + 61 })],
    ['without exp', () => ({ exp: undefined })],
    ['whose exp is a string', () => ({ exp: '9999999999' })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['with a subject of 256 characters', () => ({ sub: 'a'.repeat(256) })],
    ['with a subject beyond ASCII', () => ({ sub: 'usér' })],
    ['with a NUL in its subject', () => ({ sub: 'user\u0000' })],
  ])('is rejected: %s', async (_, changes) => {
    expect(await codeOf(await sign(claims(changes())))).toBe('invalid_token');
  });

  it('is accepted for several audiences if issued to ours, and with times up to 60 s ahead of our clock', async () => {
    expect(await scene.verify(await sign(claims({ aud: ['other', AUDIENCE], azp: AUDIENCE })))).toMatchObject({ subject: 'user-1' });
    expect(
      await scene.verify(await sign(claims({ iat: scene.seconds + 60, auth_time: scene.seconds + 60, nbf: scene.seconds + 60 }))),
    ).toMatchObject({
      subject: 'user-1',
    });
  });

  it('expires at exp', async () => {
    const token = await sign(claims({ exp: scene.seconds + 10 }));
    await scene.clock.advance(9 * SECOND);
    await scene.verify(token);
    await scene.clock.advance(SECOND);
    expect(await codeOf(token)).toBe('token_expired');
  });
});

describe('a forged ID token', () => {
  it('is rejected without a signature', async () => {
    const [header, payload] = (await sign()).split('.');
    expect(await codeOf(`${header}.${payload}.`)).toBe('invalid_token');
    expect(await codeOf(`${encodePart({ alg: 'none', kid: 'one' })}.${payload}.`)).toBe('invalid_token');
    expect(await codeOf(`${encodePart({ alg: 'none' })}.${payload}.AAAA`)).toBe('invalid_token');
    expect(await codeOf(`${encodePart({ alg: 'nOnE', kid: 'one' })}.${payload}.`)).toBe('invalid_token');
    expect(scene.issuer.fetches).toBe(1);
  });

  it.each(['HS256', 'HS384', 'HS512'])('is rejected: %s with the public key as its secret', async (alg) => {
    const spki = await exportSPKI(pair('one').publicKey);
    for (const secret of [spki, spki.trim(), JSON.stringify(await publicJwk('one'))]) {
      const token = await new SignJWT(claims()).setProtectedHeader({ alg, kid: 'one' }).sign(new TextEncoder().encode(secret));
      expect(await codeOf(token)).toBe('invalid_token');
    }
    expect(scene.issuer.fetches).toBe(0);
  });

  it('is rejected with any character added', async () => {
    const token = await sign();
    for (const changed of [` ${token}`, `${token}\n`, `${token}=`, `${token}.`, `Bearer ${token}`])
      expect(await codeOf(changed)).toBe('invalid_token');
  });

  it('is rejected when signed by another key or altered', async () => {
    expect(await codeOf(await sign(claims(), { kid: 'one' }, 'stranger'))).toBe('invalid_token');
    const [header, , signature] = (await sign()).split('.');
    expect(await codeOf(`${header}.${encodePart(claims({ sub: 'admin' }))}.${signature}`)).toBe('invalid_token');
  });

  it('is rejected when it uses a key with another algorithm than the key is for', async () => {
    await scene.verify(await sign());
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: 'PS256', kid: 'one' }).sign(await pssKey());
    expect(await codeOf(token)).toBe('invalid_token');
  });

  it('cannot bring its own key', async () => {
    const jwk = await exportJWK(pair('stranger').publicKey);
    const jku = `${scene.issuer.url}/theirs`;
    for (const header of [{ jwk }, { jku }, { x5u: jku }, { jwk, kid: 'stranger' }, { jku, kid: 'stranger' }]) {
      const token = await new SignJWT(claims())
        .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
        .sign(pair('stranger').privateKey);
      expect(await codeOf(token)).toBe('invalid_token');
    }
    expect(scene.issuer.fetches).toBe(1);
    // The parameters are ignored in a valid token.
    expect(await scene.verify(await sign(claims(), { jku, x5u: jku }))).toMatchObject({ subject: 'user-1' });
  });

  it.each(['../../jwks', '/etc/passwd', '__proto__', 'constructor', 'one\u0000', 'x'.repeat(300), ''])(
    'is rejected: key id %j',
    async (kid) => {
      expect(await codeOf(await sign(claims(), { kid }, 'one'))).toBe('invalid_token');
    },
  );

  it('is rejected with a critical header parameter, even one that jose supports', async () => {
    const payload = encodePart(claims());
    for (const extra of [{ crit: ['exp'], exp: 1 }, { crit: [] }, { crit: ['b64'], b64: true }]) {
      expect(await codeOf(`${encodePart({ alg: 'RS256', kid: 'one', ...extra })}.${payload}.AAAA`)).toBe('invalid_token');
    }
    const signed = await new CompactSign(Buffer.from(JSON.stringify(claims())))
      .setProtectedHeader({ alg: 'RS256', kid: 'one', crit: ['b64'], b64: true })
      .sign(pair('one').privateKey);
    expect(await codeOf(signed)).toBe('invalid_token');
  });

  it.each(['at+jwt', 'logout+jwt'])('is rejected: a token of type %s', async (typ) => {
    expect(await codeOf(await sign(claims(), { typ }))).toBe('invalid_token');
    expect(await scene.verify(await sign(claims(), { typ: 'JWT' }))).toMatchObject({ subject: 'user-1' });
  });

  it('is rejected when its claims are not a JSON object', async () => {
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
    `${encodePart({ alg: 'none' })}.bnVsbA.`,
    '\u0000',
  ])('is rejected without a fetch: garbage %#', async (token) => {
    expect(await codeOf(token)).toBe('invalid_token');
    expect(scene.issuer.fetches).toBe(0);
  });

  it('of more than 8 kB is rejected even with a valid signature', async () => {
    expect(await codeOf(await sign(claims({ padding: 'x'.repeat(8_192) })))).toBe('invalid_token');
  });
});

async function pssKey() {
  const jwk = { ...(await exportJWK(pair('one').privateKey)), alg: 'PS256' };
  return crypto.subtle.importKey('jwk', jwk, { name: 'RSA-PSS', hash: 'SHA-256' }, false, ['sign']);
}
