import webPush from 'web-push';
import { AppError } from '../../errors.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import type { PushDestination } from './destination.ts';
import type { Message } from './message-text.ts';
import type { PushKeys } from './push-keys.ts';
import { failureOf, GONE, type Outcome, type Outgoing, REJECTED, type Sender } from './sender.ts';

/** How long a push service keeps a message for a browser that is offline: as long as a question waits at most. */
const TTL_SECONDS = 72 * 3600;
const TIMEOUT_MS = 10_000;
const MAX_RESPONSE = 64 * 1024;
/** RFC 8030, 5.4: at most 32 characters of base64url. */
const TOPIC_CHARACTERS = 32;

/** Sends encrypted messages to browsers, by their push services (RFC 8030, 8291, 8292). */
export class PushSender implements Sender<PushDestination> {
  readonly #outbound: Outbound;
  readonly #keys: () => Promise<PushKeys>;
  /** Whom a push service may write to (RFC 8292, 2.1). */
  readonly #contact: string;

  constructor(outbound: Outbound, keys: () => Promise<PushKeys>, contact: string) {
    this.#outbound = outbound;
    this.#keys = keys;
    this.#contact = contact;
  }

  async send({ subscription }: PushDestination, { id, message }: Outgoing): Promise<Outcome> {
    const keys = await this.#keys();
    const vapidDetails = { subject: this.#contact, ...keys };
    const { endpoint, headers, body } = webPush.generateRequestDetails(subscription, payloadOf(id, message), {
      TTL: TTL_SECONDS,
      topic: id.replaceAll('-', '').slice(0, TOPIC_CHARACTERS),
      vapidDetails,
    });
    // The client counts the bytes by itself.
    const { 'Content-Length': _, ...sent } = headers as Record<string, string | number>;
    try {
      const response = await this.#outbound.fetch(endpoint, {
        method: 'POST',
        headers: Object.entries(sent).map(([name, value]) => [name.toLowerCase(), String(value)]),
        body,
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_RESPONSE,
      });
      await response.body?.cancel();
      if (response.ok) return 'sent';
      return response.status === 404 || response.status === 410 ? GONE : REJECTED;
    } catch (error) {
      if (error instanceof AppError) return failureOf(error);
      throw error;
    }
  }
}

/** What public/sw.js shows. A path instead of an address: it opens none of another host. */
function payloadOf(id: string, { subject, items, more }: Message): string {
  const [first] = items;
  const isOne = items.length === 1 && first !== undefined;
  const lines = items.map(({ text }) => text);
  const url = new URL(isOne ? first.url : new URL('/approvals', first?.url).href);
  return JSON.stringify({
    id,
    title: subject,
    body: isOne ? first.text : [...lines, ...(more > 0 ? ['…'] : [])].join('\n'),
    path: url.pathname + url.search + url.hash,
  });
}
