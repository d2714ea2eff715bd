import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { deliver, eventBody, linkEmulated, sha256, WebhookSigner } from '../../support/emulators/bank-webhooks.ts';
import { sendRaw } from '../../support/servers/raw-http.ts';
import { sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';

const KEY_CALL = '/webhook_verification_key/get';

let aggregator: BankEmulator;
let steward: TestSteward;
let signer: WebhookSigner;
let itemId: string;
let body: string;
let bodies = 0;
/** Keys requested before the test. */
let asked = 0;

beforeAll(async () => {
  aggregator = await new BankEmulator().start();
  signer = new WebhookSigner('6c5516e1-92dc-479e-a8ff-5a51992e0001');
  respondWith(signer.answer());
  steward = await startSteward(aggregator.env);
  const token = await steward.signIn();
  await linkEmulated(steward, token);
  const [grant] = await steward.sql<{ subject: string }>('select subject from grants');
  itemId = grant?.subject ?? '';
});

afterAll(async () => {
  await steward.stop();
  await aggregator.stop();
});

/** Each test has a new event. */
beforeEach(() => {
  bodies += 1;
  body = eventBody('NEW_ACCOUNTS_AVAILABLE', itemId, { error: null, test: bodies });
  asked = keyCalls();
});

afterEach(() => steward.sql('delete from bank_webhooks'));

async function stored(): Promise<number> {
  return (await steward.sql('select id from bank_webhooks')).length;
}

function keyCalls(): number {
  return aggregator.calls.filter(({ path }) => path === KEY_CALL).length;
}

/** Keys that the service has requested during the test. */
function fetches(): number {
  return keyCalls() - asked;
}

function respondWith(key: object): void {
  aggregator.on(KEY_CALL, (response) => sendJson(response, 200, { ...key, request_id: 'r' }));
}

async function expectRefused(proof: string | undefined, of = body): Promise<void> {
  expectError(await deliver(steward, of, proof), 'invalid_token');
  expect(await stored()).toBe(0);
}

function unsigned(header: object, payload: object, signature = ''): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(payload)}.${signature}`;
}

describe('POST /webhooks/bank accepts', () => {
  it('accepts a signed event once, however often it arrives, with one request for the key', async () => {
    const proof = await signer.sign(body);
    const responses = await Promise.all([1, 2, 3].map(() => deliver(steward, body, proof)));
    responses.push(await deliver(steward, body, await signer.sign(body, { age: 30 })));
    for (const response of responses) expect([response.status, response.body]).toEqual([200, { success: true }]);
    expect(await stored()).toBe(1);
    expect(fetches()).toBe(1);
    expect(aggregator.calls.find(({ path }) => path === KEY_CALL)?.body).toEqual({ key_id: signer.kid });
  });

  it('up to 256 kB, also with unknown fields', async () => {
    const text = `{"__proto__":{"polluted":true},"constructor":1,${body.slice(1)}`;
    const large = `${text.slice(0, -1)},"pad":"${'x'.repeat(255 * 1024 - text.length)}"}`;
    expect((await deliver(steward, large, await signer.sign(large))).status).toBe(200);
    expect(await stored()).toBe(1);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('a proof of four minutes ago', async () => {
    expect((await deliver(steward, body, await signer.sign(body, { age: 240 }))).status).toBe(200);
  });

  it('a clock that is a little ahead', async () => {
    expect((await deliver(steward, body, await signer.sign(body, { age: -30 }))).status).toBe(200);
  });

  it('events of other kinds and for other items, and stores nothing', async () => {
    const others = [
      eventBody('ERROR', 'nobody-has-it'),
      eventBody('WEBHOOK_UPDATE_ACKNOWLEDGED', itemId),
      JSON.stringify({ webhook_type: 'INCOME', webhook_code: 'INCOME_VERIFICATION', user_id: 'someone' }),
      JSON.stringify({ webhook_type: 'ITEM\n{"level":50}', webhook_code: 'toString', item_id: itemId }),
      '{}',
    ];
    for (const other of others) expect((await deliver(steward, other, await signer.sign(other))).status).toBe(200);
    expect(await stored()).toBe(0);
    expect(steward.logs.filter((line) => line.includes('of an unknown kind')).map((line) => JSON.parse(line).event)).toEqual([
      'ITEM/WEBHOOK_UPDATE_ACKNOWLEDGED',
      'INCOME/INCOME_VERIFICATION',
      'ITEM???level??50?/toString',
      'unnamed',
    ]);
  });
});

describe('POST /webhooks/bank rejects', () => {
  it('a webhook without a proof, or with two', async () => {
    await expectRefused(undefined);
    await expectRefused('');
    const proof = await signer.sign(body);
    const lines = ['POST /webhooks/bank HTTP/1.1', 'Connection: close', 'Content-Type: application/json'];
    const twice = [...lines, `Content-Length: ${body.length}`, `Plaid-Verification: ${proof}`, `Plaid-Verification: ${proof}`];
    const response = await sendRaw(steward.url, twice, body);
    expect([response.status, response.body.code]).toEqual([401, 'invalid_token']);
    expect(await stored()).toBe(0);
    expect(fetches()).toBe(0);
  });

  it('another body, even by one space', async () => {
    const proof = await signer.sign(body);
    await expectRefused(proof, `${body} `);
    await expectRefused(proof, body.replace('NEW_ACCOUNTS_AVAILABLE', 'USER_PERMISSION_REVOKED'));
    await expectRefused(proof, JSON.stringify(JSON.parse(body)));
    await expectRefused(proof, '');
  });

  it('a proof older than five minutes, from the future, or without a time', async () => {
    await expectRefused(await signer.sign(body, { age: 302 }));
    await expectRefused(await signer.sign(body, { age: -120 }));
    for (const iat of [undefined, '1', 1e300, Number.NaN, -1]) await expectRefused(await signer.sign(body, { claims: { iat } }));
    for (const hash of [undefined, 1, '', 'x'.repeat(64), sha256(body).slice(1), sha256(body).repeat(2)]) {
      await expectRefused(await signer.sign(body, { claims: { request_body_sha256: hash } }));
    }
  });

  it('other algorithms: none, HMAC with the public key, and a false name of the right one', async () => {
    const claims = { iat: Math.floor(steward.clock.now() / 1000), request_body_sha256: sha256(body) };
    const { kid } = signer;
    for (const alg of ['none', 'None', 'HS256', 'RS256', 'es256', 'ES384', undefined])
      await expectRefused(unsigned({ alg, kid: 'never-asked' }, claims, 'eA'));
    const start = unsigned({ alg: 'HS256', kid }, claims).slice(0, -1);
    const secret = signer.publicKey.export({ type: 'spki', format: 'pem' });
    await expectRefused(`${start}.${createHmac('sha256', secret).update(start).digest('base64url')}`);
    expect(fetches()).toBe(0);
    await expectRefused(unsigned({ alg: 'ES256', kid }, claims, Buffer.alloc(64).toString('base64url')));
    const [header, , signature] = (await signer.sign(body)).split('.');
    await expectRefused(`${header}.${unsigned({}, claims).split('.')[1]}x.${signature}`);
    await expectRefused(await signer.sign(body, { header: { crit: ['b64'], b64: false } }).catch(() => 'a.b.c'));
  });

  it('another’s signature under a known key’s id', async () => {
    await expectRefused(await new WebhookSigner(signer.kid).sign(body));
  });

  it('invalid key ids, without a request', async () => {
    for (const kid of ['', '../..', 'a b', 'x'.repeat(129), 'ä', '\u0000', "' or 1=1", 7, null, {}, ['a']]) {
      await expectRefused(unsigned({ alg: 'ES256', kid }, { iat: 1 }, 'eA'));
    }
    for (const proof of ['a', 'a.b.c', '....', `${'x'.repeat(5_000)}.y.z`]) await expectRefused(proof);
    expect(fetches()).toBe(0);
  });

  it('an expired key, or one that is not for ES256', async () => {
    const expired = new WebhookSigner('expired');
    respondWith(expired.answer(Math.floor(steward.clock.now() / 1000) - 1));
    await expectRefused(await expired.sign(body));
    respondWith(new WebhookSigner('p384', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey).answer());
    const claims = { iat: Math.floor(steward.clock.now() / 1000), request_body_sha256: sha256(body) };
    await expectRefused(unsigned({ alg: 'ES256', kid: 'p384' }, claims, Buffer.alloc(64, 1).toString('base64url')));
  });

  it('a signed body that is not a JSON object, or lacks fields of its event', async () => {
    const noText = Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1');
    const odd = ['', 'not json', '[]', 'null', '"text"', '1', noText, eventBody('ERROR', ''), eventBody('USER_ACCOUNT_REVOKED', itemId)];
    for (const text of odd) expectError(await deliver(steward, text, await signer.sign(text)), 'invalid_request');
    expect(await stored()).toBe(0);
  });

  it('other content types, compressed bodies, and more than 256 kB', async () => {
    const proof = await signer.sign(body);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      expectError(await deliver(steward, body, proof, { 'content-type': type }), 'unsupported_media_type');
    }
    expectError(await deliver(steward, body, proof, { 'content-encoding': 'gzip' }), 'unsupported_media_type');
    expectError(await deliver(steward, `"${'x'.repeat(256 * 1024)}"`, proof), 'too_large');
    expect(await stored()).toBe(0);
    expect(fetches()).toBe(0);
  });

  it('other methods', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) expectError(await steward.call('/webhooks/bank', { method }), 'method_not_allowed');
  });
});

describe('the keys of POST /webhooks/bank', () => {
  it('request an unknown one once; a thousand cost at most ten requests, and known keys stay valid', async () => {
    const known = await signer.sign(body);
    expect((await deliver(steward, body, known)).status).toBe(200);
    aggregator.fail('INVALID_WEBHOOK_VERIFICATION_KEY_ID', KEY_CALL);
    const flood = Array.from({ length: 1_000 }, (_, index) => `unknown-${index % 500}`);
    const statuses = new Set<number>();
    for (let start = 0; start < flood.length; start += 50) {
      const batch = flood.slice(start, start + 50).map(async (kid) => deliver(steward, body, await new WebhookSigner(kid).sign(body)));
      for (const response of await Promise.all(batch)) statuses.add(response.status);
    }
    expect([...statuses].filter((status) => status !== 401 && status !== 429)).toEqual([]);
    expect(fetches()).toBeGreaterThan(0);
    expect(fetches()).toBeLessThanOrEqual(10);
    expect((await deliver(steward, body, known)).status).toBe(200);
    expect(await stored()).toBe(1);
  });
});
