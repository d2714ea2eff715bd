import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
} from 'node:crypto';
import { SignJWT } from 'jose/jwt/sign';
import { timeoutSignal } from '../../src/clock/clock.ts';
import { isLoopback } from '../../src/config/config.ts';
import type { Logger } from '../../src/observability/logger.ts';
import type { Controls } from '../controls.ts';

/** The key that signs webhooks, as stored: a private EC JWK (RFC 7517). */
export interface WebhookKey {
  kid: string;
  createdAt: number;
  jwk: JsonWebKey;
}

/** Invalid webhooks that can be requested; `good` is valid. */
export const WEBHOOK_VARIANTS = ['good', 'wrong_kid', 'wrong_alg', 'stale_iat', 'altered_body', 'duplicate', 'reordered'] as const;
export type WebhookVariant = (typeof WEBHOOK_VARIANTS)[number];

/** The result of one delivery attempt: the receiver's status; null: none was received. */
export interface Delivery {
  status: number | null;
}

/** Runs a function later. @returns cancels it */
export type Schedule = (run: () => void, ms: number) => () => void;

export interface WebhookSenderOptions {
  key: WebhookKey;
  controls: Controls;
  logger: Logger;
  schedule: Schedule;
}

const RESPONSE_MS = 10_000;
const FIRST_RETRY_MS = 30_000;
const RETRY_FACTOR = 4;
const RETRY_FOR_MS = 24 * 3_600_000;
/** Receivers accept webhooks of the last five minutes only. */
const STALE_MS = 10 * 60_000;

export function generateWebhookKey(now: number): WebhookKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid: randomUUID(), createdAt: now, jwk: privateKey.export({ format: 'jwk' }) };
}

/** Signs webhooks as Plaid does (ES256 in `Plaid-Verification`) and delivers them, with retries, to this machine only. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #key: KeyObject;
  readonly #retries = new Set<() => void>();
  readonly #closing = new AbortController();

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#key = createPrivateKey({ key: options.key.jwk, format: 'jwk' });
  }

  /** The public key of a key id, as in /webhook_verification_key/get; undefined for an unknown id. */
  publicKey(kid: string): object | undefined {
    const { key } = this.#options;
    if (kid !== key.kid) return undefined;
    const { kty, crv, x, y } = createPublicKey(this.#key).export({ format: 'jwk' });
    return { alg: 'ES256', crv, kid, kty, use: 'sig', x, y, created_at: Math.floor(key.createdAt / 1000), expired_at: null };
  }

  /**
   * Delivers a webhook, and retries for 24 hours unless the response is 200.
   *
   * @returns the result of the first attempt
   */
  async send(url: string, event: object): Promise<Delivery> {
    const delivery = await this.#attempt(url, event);
    if (delivery.status !== 200) this.#retry(url, event, FIRST_RETRY_MS, 0);
    return delivery;
  }

  /** Delivers an invalid webhook, without retries. @param newer a later event, for `reordered` */
  async sendVariant(url: string, event: object, variant: Exclude<WebhookVariant, 'good'>, newer: object): Promise<Delivery[]> {
    const body = serialise(event);
    const now = this.#options.controls.now();
    switch (variant) {
      case 'wrong_kid':
        return [await this.#deliver(url, body, now, randomUUID())];
      case 'wrong_alg':
        return [await this.#post(url, body, await this.#signSymmetric(body, now))];
      case 'stale_iat':
        return [await this.#deliver(url, body, now - STALE_MS)];
      case 'altered_body':
        return [await this.#post(url, body.replace('"environment"', '"altered": true,\n  "environment"'), await this.#sign(body, now))];
      case 'duplicate': {
        const proof = await this.#sign(body, now);
        return [await this.#post(url, body, proof), await this.#post(url, body, proof)];
      }
      case 'reordered': {
        const later = serialise(newer);
        return [await this.#deliver(url, later, now), await this.#deliver(url, body, now - 60_000)];
      }
    }
  }

  /** Ends deliveries and cancels retries. */
  close(): void {
    this.#closing.abort();
    for (const cancel of this.#retries) cancel();
    this.#retries.clear();
  }

  /** Each attempt is signed again, because receivers reject an `iat` older than five minutes. */
  #attempt(url: string, event: object): Promise<Delivery> {
    return this.#deliver(url, serialise(event), this.#options.controls.now());
  }

  async #deliver(url: string, body: string, at: number, kid?: string): Promise<Delivery> {
    return this.#post(url, body, await this.#sign(body, at, kid));
  }

  #retry(url: string, event: object, delay: number, waited: number): void {
    if (this.#closing.signal.aborted || waited + delay > RETRY_FOR_MS) return;
    const cancel = this.#options.schedule(async () => {
      this.#retries.delete(cancel);
      const { status } = await this.#attempt(url, event);
      if (status !== 200) this.#retry(url, event, delay * RETRY_FACTOR, waited + delay);
    }, delay);
    this.#retries.add(cancel);
  }

  async #post(url: string, body: string, proof: string): Promise<Delivery> {
    const { controls, logger } = this.#options;
    const target = new URL(url);
    if (!isLoopback(target.hostname)) {
      logger.warn({ host: target.host }, 'bank sandbox: a webhook for another machine was not sent');
      return { status: null };
    }
    try {
      const response = await fetch(target, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Plaid-Verification': proof },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#closing.signal, timeoutSignal(controls.clock, RESPONSE_MS)]),
      });
      await response.body?.cancel();
      return { status: response.status };
    } catch (error) {
      logger.info({ err: error, host: target.host }, 'bank sandbox: a webhook was not delivered');
      return { status: null };
    }
  }

  #sign(body: string, at: number, kid = this.#options.key.kid): Promise<string> {
    return new SignJWT(claims(body)).setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' }).setIssuedAt(new Date(at)).sign(this.#key);
  }

  /** Algorithm confusion: the public key used as the secret of an HMAC (RFC 8725, 2.1). */
  #signSymmetric(body: string, at: number): Promise<string> {
    const secret = createPublicKey(this.#key).export({ format: 'pem', type: 'spki' });
    const header = { alg: 'HS256', kid: this.#options.key.kid, typ: 'JWT' };
    return new SignJWT(claims(body)).setProtectedHeader(header).setIssuedAt(new Date(at)).sign(Buffer.from(secret));
  }
}

/** Formatted like the aggregator's bodies, so that a receiver must hash the received bytes. */
function serialise(event: object): string {
  return JSON.stringify(event, null, 2);
}

function claims(body: string): { request_body_sha256: string } {
  return { request_body_sha256: createHash('sha256').update(body).digest('hex') };
}
