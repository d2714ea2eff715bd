import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CompactSign } from 'jose';
import { type Clock, systemClock } from '../../../src/clock/clock.ts';
import type { Service, TestSteward } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import type { HttpResponse } from '../users/request.ts';

/** A key that webhooks are signed with, as the aggregator would. */
export class WebhookSigner {
  readonly kid: string;
  readonly #key: KeyObject;
  readonly #clock: Clock;

  constructor(kid: string, key: KeyObject = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, clock: Clock = systemClock) {
    this.kid = kid;
    this.#key = key;
    this.#clock = clock;
  }

  /** The sandbox's own key, which a service on it trusts. */
  static ofSandbox({ dataDir, clock }: Pick<TestSteward, 'dataDir' | 'clock'>): WebhookSigner {
    const { webhookKey } = JSON.parse(readFileSync(join(dataDir, 'sandbox/bank.json'), 'utf8'));
    return new WebhookSigner(webhookKey.kid, createPrivateKey({ key: webhookKey.jwk, format: 'jwk' }), clock);
  }

  get publicKey(): KeyObject {
    return createPublicKey(this.#key);
  }

  /** As /webhook_verification_key/get returns it. */
  answer(expiredAt: number | null = null): { key: JsonWebKey & Record<string, unknown> } {
    const jwk = this.publicKey.export({ format: 'jwk' });
    return { key: { ...jwk, alg: 'ES256', use: 'sig', kid: this.kid, created_at: 1_700_000_000, expired_at: expiredAt } };
  }

  /** @param changes to the header, and to the claims */
  sign(
    body: string | Buffer,
    { header = {}, claims = {}, age = 0 }: { header?: object; claims?: object; age?: number } = {},
  ): Promise<string> {
    const payload = { iat: Math.floor(this.#clock.now() / 1000) - age, request_body_sha256: sha256(body), ...claims };
    return new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg: 'ES256', kid: this.kid, typ: 'JWT', ...header })
      .sign(this.#key);
  }
}

export function sha256(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

/** An event's body as the aggregator writes it, spaces and all. */
export function eventBody(code: string, itemId: string, more: object = {}): string {
  const type = code === 'SYNC_UPDATES_AVAILABLE' ? 'TRANSACTIONS' : 'ITEM';
  return JSON.stringify({ webhook_type: type, webhook_code: code, item_id: itemId, ...more, environment: 'sandbox' }, null, 2);
}

/** Links the emulated aggregator's bank. The queue's first start may keep the one connection of the embedded database busy. */
export async function linkEmulated(steward: Pick<Service, 'call'>, token: string): Promise<void> {
  const form = { public_token: 'public' };
  await eventually(async () => (await steward.call('/auth/bank/set_access_token', { token, form })).status === 200);
}

/** One delivery. */
export function deliver(
  steward: Pick<Service, 'call'>,
  body: string,
  proof?: string,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  return steward.call('/webhooks/bank', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...(proof !== undefined && { 'plaid-verification': proof }), ...headers },
  });
}
