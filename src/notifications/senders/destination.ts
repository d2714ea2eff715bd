import { type AssociatedData, open, seal } from '../../crypto/envelope.ts';
import type { Queryable } from '../../database/database.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';

export const CHANNEL_TYPES = ['mail', 'push', 'webhook'] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** What a browser gives for its push service (Push API, PushSubscription). */
export interface PushSubscription {
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

export interface MailDestination {
  address: string;
}

export interface PushDestination {
  /** Names the browser. */
  label: string;
  subscription: PushSubscription;
}

export interface WebhookDestination {
  url: string;
  /** As its receiver has it: `whsec_…`. */
  secret: string;
}

export type Destination =
  | ({ type: 'mail' } & MailDestination)
  | ({ type: 'push' } & PushDestination)
  | ({ type: 'webhook' } & WebhookDestination);

/** Encrypts where a channel leads to. @throws AppError as {@link UserKeys.forUser} */
export async function sealDestination(
  db: Queryable,
  userKeys: UserKeys,
  userId: string,
  id: string,
  destination: Destination,
): Promise<Buffer> {
  return seal(await userKeys.forUser(db, userId), placeOf(userId, id), JSON.stringify(destination));
}

/** @throws AppError as {@link UserKeys.toOpen} */
export async function openDestination(
  db: Queryable,
  userKeys: UserKeys,
  userId: string,
  { id, destination }: { id: string; destination: Buffer },
): Promise<Destination> {
  return JSON.parse(open(await userKeys.toOpen(db, userId, destination), placeOf(userId, id), destination).toString());
}

/** How a channel is shown, without anything that suffices to send there. */
export function labelOf(destination: Destination): string {
  if (destination.type === 'mail') return destination.address;
  return destination.type === 'push' ? destination.label : new URL(destination.url).host;
}

/** What two channels of a user do not have in common. */
export function targetOf(destination: Destination): string {
  if (destination.type === 'mail') return destination.address;
  return destination.type === 'push' ? destination.subscription.endpoint : destination.url;
}

function placeOf(userId: string, id: string): AssociatedData {
  return { table: 'notification_channels', column: 'destination', userId, rowId: id };
}
