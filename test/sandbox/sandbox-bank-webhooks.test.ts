import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Body, call, control, host, link, PLATYPUS, refusal, sync, useBankSandbox } from '../support/emulators/bank-sandbox-host.ts';
import { type LoopbackServer, startLoopbackServer } from '../support/servers/loopback-server.ts';
import { eventually } from '../support/time/eventually.ts';

useBankSandbox();

describe('webhooks', () => {
  interface Received {
    proof: string;
    body: string;
  }

  let received: Received[];
  let statuses: number[];
  let receiver: LoopbackServer;
  let address: string;
  let arrived: () => void;

  beforeEach(async () => {
    received = [];
    statuses = [];
    arrived = () => {};
    receiver = await startLoopbackServer(async (request, response) => {
      const body = await text(request);
      received.push({ proof: String(request.headers['plaid-verification']), body });
      response.writeHead(statuses.shift() ?? 200).end();
      arrived();
    });
    address = `${receiver.url}/hook`;
  });

  afterEach(() => receiver.close());

  /** Resolves with the next webhook after `act`. */
  async function next(act: () => Promise<unknown>): Promise<Received> {
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await act();
    await arrival;
    return received.at(-1) as Received;
  }

  /** Verifies a webhook as receivers do. */
  async function verify({ proof, body }: Received): Promise<Body> {
    const { kid, alg } = decodeProtectedHeader(proof);
    expect(alg).toBe('ES256');
    const { key } = await call('webhookVerificationKeyGet', { key_id: kid });
    expect(key).toMatchObject({ alg: 'ES256', crv: 'P-256', kty: 'EC', use: 'sig', kid, expired_at: null, created_at: expect.any(Number) });
    expect(key).not.toHaveProperty('d');
    const options = { algorithms: ['ES256'], maxTokenAge: '5 min', currentDate: new Date(host.controls.now()) };
    const { payload } = await jwtVerify(proof, await importJWK(key as JWK, 'ES256'), options);
    expect(payload.request_body_sha256).toBe(createHash('sha256').update(body).digest('hex'));
    return JSON.parse(body) as Body;
  }

  test('are signed with ES256 over the bytes of the body', async () => {
    const { accessToken, itemId } = await link(PLATYPUS, { webhook: address });
    const event = await next(() => call('sandboxItemFireWebhook', { access_token: accessToken, webhook_code: 'NEW_ACCOUNTS_AVAILABLE' }));
    expect(await verify(event)).toMatchObject({
      webhook_type: 'ITEM',
      webhook_code: 'NEW_ACCOUNTS_AVAILABLE',
      item_id: itemId,
      environment: 'sandbox',
    });
    expect(await refusal('webhookVerificationKeyGet', { key_id: 'other' })).toMatchObject({
      error_code: 'INVALID_WEBHOOK_VERIFICATION_KEY_ID',
    });
  });

  test('report a reset login, new transactions and a new address', async () => {
    const { accessToken } = await link();
    const updated = await next(() => call('itemWebhookUpdate', { access_token: accessToken, webhook: address }));
    expect(await verify(updated)).toMatchObject({ webhook_code: 'WEBHOOK_UPDATE_ACKNOWLEDGED', new_webhook_url: address });
    const ready = await next(() => sync(accessToken));
    expect(await verify(ready)).toMatchObject({ webhook_type: 'TRANSACTIONS', webhook_code: 'SYNC_UPDATES_AVAILABLE' });
    const reset = await next(() => call('sandboxItemResetLogin', { access_token: accessToken }));
    expect(await verify(reset)).toMatchObject({
      webhook_type: 'ITEM',
      webhook_code: 'ERROR',
      error: { error_code: 'ITEM_LOGIN_REQUIRED', status: 400 },
    });
  });

  test('are rejected for an item without an address, and are sent to this machine only', async () => {
    const { accessToken } = await link();
    const fire = { access_token: accessToken, webhook_code: 'ERROR' };
    expect(await refusal('sandboxItemFireWebhook', fire)).toMatchObject({
      error_type: 'SANDBOX_ERROR',
      error_code: 'SANDBOX_WEBHOOK_INVALID',
    });
    const elsewhere = await link(PLATYPUS, { webhook: address.replace('127.0.0.1', '0.0.0.0') });
    const { deliveries } = await control('webhook', { item_id: elsewhere.itemId, webhook_code: 'ERROR' });
    expect(deliveries).toEqual([{ status: null }]);
    expect(received).toEqual([]);
  });

  test('are retried after 30 seconds, then each after four times as long, until they are accepted', async () => {
    const { itemId } = await link(PLATYPUS, { webhook: address });
    statuses = [500, 404, 200];
    const { deliveries } = await control('webhook', { item_id: itemId, webhook_code: 'ERROR' });
    expect(deliveries).toEqual([{ status: 500 }]);
    const waits: number[] = [];
    for (let tries = 0; tries < 2; tries += 1) {
      await eventually(() => host.waiting.length === 1);
      const retry = host.waiting.shift();
      waits.push(retry?.ms ?? 0);
      await next(async () => retry?.run());
    }
    expect(waits).toEqual([30_000, 120_000]);
    expect(received).toHaveLength(3);
    await verify(received[2] as Received);
    expect(host.waiting).toEqual([]);
  });

  test('are invalid on request', async () => {
    const { itemId } = await link(PLATYPUS, { webhook: address });
    const fire = async (variant: string) => {
      received = [];
      await control('webhook', { item_id: itemId, webhook_code: 'ERROR', variant });
      return received as [Received, ...Received[]];
    };
    const [wrongKid] = await fire('wrong_kid');
    expect(await refusal('webhookVerificationKeyGet', { key_id: decodeProtectedHeader(wrongKid.proof).kid })).toMatchObject({
      status: 400,
    });
    const [wrongAlg] = await fire('wrong_alg');
    expect(decodeProtectedHeader(wrongAlg.proof).alg).toBe('HS256');
    const [stale] = await fire('stale_iat');
    await expect(verify(stale)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
    const [altered] = await fire('altered_body');
    expect(JSON.parse(altered.body)).toMatchObject({ item_id: itemId, altered: true });
    await expect(verify(altered)).rejects.toThrow();
    const [once, twice] = await fire('duplicate');
    expect(twice).toEqual(once);
    await verify(once);
    const order = await fire('reordered');
    expect(order.map(({ body }) => (JSON.parse(body) as Body).webhook_code)).toEqual(['LOGIN_REPAIRED', 'ERROR']);
    for (const event of order) await verify(event);
  });
});
