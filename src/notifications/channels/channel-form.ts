import { ECDH } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { nameOf } from '../../validation/text-input.ts';
import { emailAddress, text } from '../../validation/validate.ts';
import { KINDS } from '../notices/notice.ts';
import { CHANNEL_TYPES } from '../senders/destination.ts';
import type { NewChannelRequest, NewDestination } from './channels.ts';

const MAX_ADDRESS = 2048;
const MAX_LABEL = 100;
/** A point that isn't compressed, and 16 bytes (RFC 8291, 3.1 and 3.2). */
const [POINT_BYTES, AUTH_BYTES] = [65, 16];

const httpAddress = text(MAX_ADDRESS).refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), 'must be an https address');

function bytes(count: number) {
  return z
    .string()
    .max(2 * count)
    .regex(/^[\w-]+={0,2}$/, 'must be base64url')
    .refine((value) => Buffer.from(value, 'base64url').length === count, `must have ${count} bytes`);
}

/** Nothing can be encrypted for a point that isn't on the curve (RFC 8291, 3.1). */
function isPoint(value: string): boolean {
  try {
    return ECDH.convertKey(value, 'prime256v1', 'base64url', undefined, 'uncompressed').length === POINT_BYTES;
  } catch {
    return false;
  }
}

const subscription = z
  .object({
    endpoint: httpAddress,
    keys: z.object({
      p256dh: bytes(POINT_BYTES)
        .refine((value) => Buffer.from(value, 'base64url')[0] === 4, 'must be a point that is not compressed')
        .refine(isPoint, 'must be a point of the curve P-256'),
      auth: bytes(AUTH_BYTES),
    }),
  })
  .meta({ id: 'PushSubscription' });

export const channelForm = z
  .strictObject({
    type: z.enum(CHANNEL_TYPES),
    address: emailAddress.optional().describe('Of `mail`. A link is sent there first, and nothing else until it was confirmed.'),
    subscription: subscription.optional().describe('Of `push`: the browser’s `PushSubscription`, as JSON.'),
    label: nameOf(MAX_LABEL).optional().describe('Of `push`: what the browser is called, such as “Firefox on Linux”.'),
    url: httpAddress.optional().describe('Of `webhook`: an https address in the public internet.'),
    kinds: z.array(z.enum(KINDS)).min(1, 'must not be empty').max(KINDS.length).describe('What is told there.'),
    summaries: z
      .boolean()
      .default(false)
      .describe('Whether mail and push say which action an approval is about. They never have text of others.'),
  })
  .meta({ id: 'ChannelRequest' });

/** @throws AppError `invalid_request` for a field that is missing, or of another type */
export function requestOf({ type, kinds, summaries, ...fields }: z.output<typeof channelForm>): NewChannelRequest {
  const { address, subscription: given, label, url, ...none } = fields;
  none satisfies Record<string, never>;
  const of = { mail: { address }, push: { subscription: given, label }, webhook: { url } }[type];
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && !(name in of)) throw new AppError('invalid_request', `${name}: is not a field of ${type}`);
  }
  return { destination: destinationOf(type, fields), kinds: [...new Set(kinds)], summaries };
}

function destinationOf(
  type: (typeof CHANNEL_TYPES)[number],
  { address, subscription: given, label, url }: Pick<z.output<typeof channelForm>, 'address' | 'subscription' | 'label' | 'url'>,
): NewDestination {
  if (type === 'mail') return { type, address: present('address', address) };
  if (type === 'webhook') return { type, url: present('url', url) };
  return { type, label: present('label', label), subscription: present('subscription', given) };
}

function present<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new AppError('invalid_request', `${name}: is required`);
  return value;
}
