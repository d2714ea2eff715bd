import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { identifier } from '../providers/shared/provider-text.ts';
import { isObject } from '../validation/is-object.ts';

/** The stored fields of an event's body. */
export interface EventDetails {
  /** The account at the bank that USER_ACCOUNT_REVOKED is about. */
  accountId?: string;
  /** When access ends after PENDING_DISCONNECT or PENDING_EXPIRATION, ISO 8601. */
  endsAt?: string;
}

export interface ReceivedEvent {
  /** The aggregator's id. */
  itemId: string;
  event: WebhookEvent;
  details: EventDetails;
  /** The same for each delivery of the event. */
  digest: Buffer;
}

/**
 * Events that can't be checked against the item: a late copy would restore a warning that the user has dealt with. So the
 * same body counts once. Other events may repeat with the same body, and a copy of them has no effect.
 */
const ONCE_A_BODY: readonly WebhookEvent[] = ['ITEM/PENDING_DISCONNECT', 'ITEM/PENDING_EXPIRATION', 'ITEM/NEW_ACCOUNTS_AVAILABLE'];

const named = z.object({ webhook_type: z.string().max(100), webhook_code: z.string().max(100) });
const aboutItem = z.object({ item_id: identifier });
const accountOf = z.object({ account_id: identifier }).transform(({ account_id: accountId }) => ({ accountId }));
const time = z.iso.datetime({ offset: true });
const disconnectOf = z.object({ disconnect_time: time }).transform(({ disconnect_time: endsAt }) => ({ endsAt }));
const expiryOf = z.object({ consent_expiration_time: time }).transform(({ consent_expiration_time: endsAt }) => ({ endsAt }));
const none = z.object({});

/** The events that are handled (Plaid: Item webhooks, Transactions webhooks), with the stored fields of each. */
const DETAILS = {
  'ITEM/ERROR': none,
  'ITEM/LOGIN_REPAIRED': none,
  'ITEM/PENDING_DISCONNECT': disconnectOf.or(none),
  'ITEM/PENDING_EXPIRATION': expiryOf.or(none),
  'ITEM/NEW_ACCOUNTS_AVAILABLE': none,
  'ITEM/USER_PERMISSION_REVOKED': none,
  'ITEM/USER_ACCOUNT_REVOKED': accountOf,
  'TRANSACTIONS/SYNC_UPDATES_AVAILABLE': none,
} satisfies Record<string, z.ZodType<EventDetails>>;

export type WebhookEvent = keyof typeof DETAILS;

/**
 * Reads a verified webhook's body.
 *
 * @param signedAt `iat` of its signature
 * @returns the event, or the name of one that is not handled, reduced to letters, digits, `_` and `/`
 * @throws AppError `invalid_request`
 */
export function readWebhook(body: Uint8Array, signedAt: number): ReceivedEvent | { unknown: string } {
  const content = parse(body);
  const name = named.safeParse(content);
  if (!name.success) return { unknown: 'unnamed' };
  const event = `${name.data.webhook_type}/${name.data.webhook_code}`;
  if (!isKnown(event)) return { unknown: event.replace(/[^\w/]/g, '?') };
  const item = aboutItem.safeParse(content);
  const details = DETAILS[event].safeParse(content);
  if (!item.success || !details.success) throw new AppError('invalid_request', 'The webhook lacks a field of its event.');
  return { itemId: item.data.item_id, event, details: details.data, digest: digestOf(event, body, signedAt) };
}

function isKnown(event: string): event is WebhookEvent {
  return Object.hasOwn(DETAILS, event);
}

function digestOf(event: WebhookEvent, body: Uint8Array, signedAt: number): Buffer {
  const hash = createHash('sha256').update(body);
  return (ONCE_A_BODY.includes(event) ? hash : hash.update(`\n${signedAt}`)).digest();
}

function parse(body: Uint8Array): object {
  try {
    const content: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (isObject(content)) return content;
  } catch {
    // A parser's message quotes what it parsed.
  }
  throw new AppError('invalid_request', 'The webhook is not a JSON object.');
}
