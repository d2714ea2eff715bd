import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, webcrypto } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import { systemClock } from '../../src/clock/clock.ts';
import { open, seal } from '../../src/crypto/envelope.ts';
import { createVerifier } from '../../src/identity/verifier.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { check, type Outcome } from './support/check.ts';
import { startKeyServer } from './support/key-server.ts';
import { AES_GCM, HKDF, JWS } from './support/known-answers.ts';
import { tryOut } from './support/random.ts';

type Json = Record<string, any>;

const { subtle } = webcrypto;
const TAG_BYTES = 16;
const NAMES = { gcm: 'aes_gcm_test.json', hkdf: 'hkdf_sha256_test.json', jws: 'json_web_signature_test.json' };
/** As our OIDC verifier has them. */
const ASYMMETRIC = /^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/;

/** Path of a copy of C2SP/wycheproof's vectors, which no npm or Debian package contains. */
const FOLDER = process.env.WYCHEPROOF_DIR;

function vectors(name: string): Json[] | undefined {
  const file = FOLDER === undefined ? undefined : join(FOLDER, name);
  return file === undefined || !existsSync(file) ? undefined : JSON.parse(readFileSync(file, 'utf8')).testGroups;
}

function notAvailable(): Outcome {
  return { tried: 0, failed: [], missing: 'not available as a package; WYCHEPROOF_DIR may name a folder that holds the vectors' };
}

const hex = (text: string) => Buffer.from(text, 'hex');

/** Decrypts as the envelope does. */
function opens(test: Json): boolean {
  try {
    const cipher = `aes-${hex(test.key).length * 8}-gcm` as 'aes-256-gcm';
    const decipher = createDecipheriv(cipher, hex(test.key), hex(test.iv), { authTagLength: TAG_BYTES });
    decipher.setAAD(hex(test.aad));
    decipher.setAuthTag(hex(test.tag));
    const message = Buffer.concat([decipher.update(hex(test.ct)), decipher.final()]);
    return message.equals(hex(test.msg));
  } catch {
    return false;
  }
}

function seals(test: Json): boolean {
  const cipher = createCipheriv(`aes-${hex(test.key).length * 8}-gcm` as 'aes-256-gcm', hex(test.key), hex(test.iv), {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(hex(test.aad));
  const text = Buffer.concat([cipher.update(hex(test.msg)), cipher.final()]);
  return text.equals(hex(test.ct)) && cipher.getAuthTag().equals(hex(test.tag));
}

function derives(test: Json): boolean {
  try {
    return Buffer.from(hkdfSync('sha256', hex(test.ikm), hex(test.salt), hex(test.info), test.size)).equals(hex(test.okm));
  } catch {
    return false;
  }
}

check('known answers: AES-256-GCM (McGrew and Viega, cases 13 to 16)', () => ({
  tried: AES_GCM.length,
  failed: AES_GCM.filter((test) => !opens(test) || !seals(test) || opens({ ...test, tag: test.tag.slice(0, 8) })).map(({ name }) => name),
}));

check('known answers: HKDF-SHA256 (RFC 5869, A.1 to A.3)', () => ({
  tried: HKDF.length,
  failed: HKDF.filter((test) => !derives(test)).map(({ name }) => name),
}));

check('known answers: JWS (RFC 7515 A.3, RFC 8037 A.4)', async () => {
  const outcome: Outcome = { tried: 0, failed: [] };
  for (const { name, jwk, jws, alg } of JWS) {
    outcome.tried += 1;
    const altered = `${jws.slice(0, -8)}${jws.at(-8) === 'A' ? 'B' : 'A'}${jws.slice(-7)}`;
    if (!(await verifies(jws, jwk, alg))) outcome.failed.push(`${name}: refused`);
    if (await verifies(altered, jwk, alg)) outcome.failed.push(`${name}: an altered signature was taken`);
  }
  return outcome;
});

async function verifies(jws: string, jwk: Json, alg: string): Promise<boolean> {
  try {
    await compactVerify(jws, await importJWK(jwk, alg), { algorithms: [alg] });
    return true;
  } catch {
    return false;
  }
}

check('Wycheproof: AES-GCM', () => {
  const groups = vectors(NAMES.gcm);
  if (groups === undefined) return notAvailable();
  // Node does not accept nonces of over 256 bytes.
  const tests = groups.filter(({ tagSize, ivSize }) => tagSize === 128 && ivSize <= 1024).flatMap(({ tests }) => tests);
  const wrong = tests.filter((test: Json) => opens(test) !== (test.result === 'valid'));
  return { tried: tests.length, failed: wrong.map(({ tcId, comment }: Json) => `case ${tcId} ${comment}`) };
});

check('Wycheproof: HKDF-SHA256', () => {
  const tests = vectors(NAMES.hkdf)?.flatMap(({ tests }) => tests);
  if (tests === undefined) return notAvailable();
  const wrong = tests.filter((test: Json) => derives(test) !== (test.result === 'valid'));
  return { tried: tests.length, failed: wrong.map(({ tcId, comment }: Json) => `case ${tcId} ${comment}`) };
});

/** The verifier also requires claims, which no vector has: it must reject them all, and the library below it the invalid ones only. */
check('Wycheproof: JSON Web Signature, by the ID token verifier', async () => {
  const groups = vectors(NAMES.jws);
  if (groups === undefined) return notAvailable();
  const outcome: Outcome = { tried: 0, failed: [] };
  for (const group of groups) {
    const jwk = group.public ?? group.private;
    const server = await startKeyServer([jwk]);
    const verify = createVerifier(server.settings, { clock: systemClock, logger: createLogger('silent') });
    for (const { tcId, comment, jws, result } of group.tests) {
      outcome.tried += 1;
      const taken = await verify(jws).then(
        () => true,
        () => false,
      );
      if (taken) outcome.failed.push(`case ${tcId} ${comment}: taken as an ID token`);
      if (!ASYMMETRIC.test(jwk.alg ?? '')) continue;
      // A key is for one algorithm only (RFC 8725, 3.1), which two of the valid ones violate.
      const fits = result === 'valid' && decodeProtectedHeader(jws).alg === jwk.alg;
      if ((await verifies(jws, jwk, jwk.alg)) !== fits) outcome.failed.push(`case ${tcId} ${comment}: not ${result}`);
    }
    server.close();
  }
  return outcome;
});

check('the envelope, opened and created by another implementation', async () => {
  const inputs = fc.record({
    text: fc.uint8Array({ maxLength: 500 }),
    table: fc.string(),
    column: fc.string(),
    userId: fc.uuid(),
    rowId: fc.uuid(),
  });
  const result = await tryOut(
    'envelope',
    inputs,
    async ({ text, ...place }) => {
      const key = { id: 'k1', secret: randomBytes(32) };
      const theirs = await webSeal(key, place, text);
      if (!open(key, place, theirs).equals(text)) throw new Error('ours read something else');
      if (!Buffer.from(await webOpen(key, place, seal(key, place, text))).equals(text)) throw new Error('theirs read something else');
      const flipped = Buffer.from(theirs);
      const bit = randomBytes(4).readUInt32BE() % (flipped.length * 8);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      if (refuses(() => open(key, place, flipped)) === false) throw new Error(`bit ${bit} turned, and still opened`);
    },
    5,
  );
  return result;
});

function refuses(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

type Key = { id: string; secret: Buffer };
type Place = { table: string; column: string; userId: string; rowId: string };

async function webDerive({ secret }: Key, salt: Buffer) {
  const base = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const info = Buffer.from('steward/envelope/v1');
  const bytes = Buffer.from(await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, base, 76 * 8));
  const cipher = await subtle.importKey('raw', bytes.subarray(0, 32), 'AES-GCM', false, ['encrypt', 'decrypt']);
  return { cipher, nonce: bytes.subarray(32, 44), commitment: bytes.subarray(44) };
}

function additional(header: Buffer, { table, column, userId, rowId }: Place): Buffer {
  const parts = [table, column, userId, rowId].map((text) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(text));
    return Buffer.concat([length, Buffer.from(text)]);
  });
  return Buffer.concat([header, ...parts]);
}

async function webSeal(key: Key, place: Place, text: Uint8Array): Promise<Buffer> {
  const salt = randomBytes(32);
  const { cipher, nonce, commitment } = await webDerive(key, salt);
  const header = Buffer.concat([Buffer.of(1, key.id.length), Buffer.from(key.id), salt, commitment]);
  const options = { name: 'AES-GCM', iv: nonce, additionalData: additional(header, place) };
  return Buffer.concat([header, Buffer.from(await subtle.encrypt(options, cipher, new Uint8Array(text)))]);
}

async function webOpen(key: Key, place: Place, record: Buffer): Promise<ArrayBuffer> {
  const start = 2 + key.id.length;
  const { cipher, nonce } = await webDerive(key, record.subarray(start, start + 32));
  const header = record.subarray(0, start + 64);
  const options = { name: 'AES-GCM', iv: nonce, additionalData: additional(header, place) };
  return subtle.decrypt(options, cipher, record.subarray(start + 64));
}
