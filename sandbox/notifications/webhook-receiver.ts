import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Controls } from '../controls.ts';
import { keep } from './kept.ts';

/** A request that the service has sent. */
export interface ReceivedWebhook {
  name: string;
  /** RFC 3339. */
  at: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Whether its signature is valid; null: the receiver knows no secret. */
  verified: boolean | null;
}

const TOLERANCE_MS = 5 * 60_000;

/** Receivers of webhooks (Standard Webhooks), of any name. */
export class WebhookReceiver {
  /** The newest last. */
  readonly received: ReceivedWebhook[] = [];
  readonly #secrets = new Map<string, string>();
  readonly #controls: Controls;

  constructor(controls: Controls) {
    this.#controls = controls;
  }

  /** From now on, a receiver rejects what is not signed with this secret. @param secret `whsec_…` */
  expect(name: string, secret: string): void {
    this.#secrets.set(name, secret);
  }

  /** @returns the status of the response */
  receive(name: string, headers: IncomingHttpHeaders, body: string): number {
    const now = this.#controls.now();
    const secret = this.#secrets.get(name);
    const verified = secret === undefined ? null : isSigned(headers, body, secret, now);
    keep(this.received, { name, at: new Date(now).toISOString(), headers, body, verified });
    return verified === false ? 401 : 204;
  }
}

function isSigned(headers: IncomingHttpHeaders, body: string, secret: string, now: number): boolean {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => String(headers[name]));
  if (!(Math.abs(Number(timestamp) * 1_000 - now) <= TOLERANCE_MS)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  return (signatures ?? '').split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return one.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
