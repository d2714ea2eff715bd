import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../../http/endpoints/endpoint-router.ts';
import type { FirstParty } from '../../principal.ts';
import { text, uuid } from '../../validation/validate.ts';
import { KINDS } from '../notices/notice.ts';
import { CHANNEL_TYPES } from '../senders/destination.ts';
import { channelForm, requestOf } from './channel-form.ts';
import type { Channel, Channels } from './channels.ts';

export interface NotificationsDeps {
  notifications: {
    /** Loads what the endpoints need. */
    open(): Promise<{ channels: Channels; pushKey(): Promise<string> }>;
    /** Path of the page that people start from. */
    home: string;
  };
}

const CHANNELS = '/notifications/channels';
/** A subscription has an address of up to 2,048 characters. */
const MAX_BODY_BYTES = 10_240;
const CONFIRM = '/notifications/confirm/:secret';
const ERRORS = ['unreachable', 'timed_out', 'forbidden_address', 'rejected', 'gone'] as const;

const fields = {
  id: z.uuid(),
  type: z.enum(CHANNEL_TYPES),
  label: z.string().describe('The mail address, the host of the webhook, or what the browser is called.'),
  kinds: z.array(z.enum(KINDS)),
  summaries: z.boolean(),
  confirmed: z.boolean().describe('False: a mail address whose link was not confirmed yet. Nothing else is sent there.'),
  state: z.enum(['active', 'off']).describe('`off`: sending failed for good. Remove it, and add it again.'),
  error: z.enum(ERRORS).nullable().describe('Why the last message was not taken; null: it was.'),
  created_at: z.iso.datetime(),
  last_sent_at: z.iso.datetime().nullable(),
};
const channel = z.object(fields).meta({ id: 'NotificationChannel' });

/** Where a user is told something elsewhere: for the user in person. */
export function notificationsRouter(deps: NotificationsDeps, middleware: EndpointMiddleware): EndpointRouter {
  const channels = [listChannels(deps), addChannel(deps), removeChannel(deps), testChannel(deps)];
  return endpointRouter('Notifications', [...channels, showLink(deps), confirmLink(deps)], middleware);
}

function listChannels(deps: NotificationsDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: CHANNELS,
    summary: 'Notification channels',
    description: 'Where the user is told something, newest first, and what a new channel needs.',
    auth: 'in_person',
    response: z
      .object({
        channels: z.array(channel),
        types: z.array(z.enum(CHANNEL_TYPES)).describe('Types that this server can send to.'),
        push_key: z.string().describe('`applicationServerKey` for a push subscription, base64url.'),
      })
      .meta({ id: 'NotificationChannels' }),
    async handle({ caller }) {
      const { channels, pushKey } = await deps.notifications.open();
      const [rows, key] = await Promise.all([channels.list(caller.userId), pushKey()]);
      return { json: { channels: rows.map(shown), types: channels.types, push_key: key } };
    },
  });
}

function addChannel(deps: NotificationsDeps): Endpoint {
  return endpoint({
    method: 'post',
    path: CHANNELS,
    summary: 'Add a notification channel',
    description:
      'At most 10. A mail address is sent a link that opens a page with a form. The secret of a webhook (Standard Webhooks) is returned once.',
    auth: 'in_person',
    limit: 'provider',
    json: { limit: MAX_BODY_BYTES },
    form: channelForm,
    response: z
      .object({ ...fields, secret: z.string().optional().describe('`whsec_…`, of a webhook: it verifies the signatures.') })
      .meta({ id: 'NewNotificationChannel' }),
    errors: ['conflict', 'forbidden', 'not_configured', 'rate_limited'],
    async handle({ caller, form }) {
      const { channels } = await deps.notifications.open();
      const { channel: made, secret } = await channels.add(caller.userId, requestOf(form));
      return { json: { ...shown(made), ...(secret !== undefined && { secret }) } };
    },
  });
}

function removeChannel(deps: NotificationsDeps): Endpoint {
  return endpoint({
    method: 'delete',
    path: `${CHANNELS}/:id`,
    summary: 'Remove a notification channel',
    description: 'Nothing is sent there from now on, also of what waits.',
    auth: 'in_person',
    params: z.object({ id: uuid }),
    response: success,
    errors: ['not_found'],
    async handle({ caller, params }) {
      await (await deps.notifications.open()).channels.remove(caller.userId, params.id);
      return SUCCEEDED;
    },
  });
}

function testChannel(deps: NotificationsDeps): Endpoint {
  return endpoint({
    method: 'post',
    path: `${CHANNELS}/:id/test`,
    summary: 'Send a test',
    description: 'Responds once it was taken or not (`error`). To a mail address that is not confirmed, a new link is sent instead.',
    auth: 'in_person',
    limit: 'provider',
    params: z.object({ id: uuid }),
    response: channel,
    errors: ['not_found', 'forbidden', 'not_configured', 'rate_limited'],
    handle: async ({ caller, params }) => ({
      json: shown(await (await deps.notifications.open()).channels.test(caller.userId, params.id)),
    }),
  });
}

/** Of another form, it is no link at all. */
const secret = z.object({ secret: z.string().regex(/^[\w-]{43}$/) });

function showLink(deps: NotificationsDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: CONFIRM,
    summary: 'The page that confirms a mail address',
    description: 'Opening it decides nothing.',
    auth: 'first_party',
    browser: true,
    params: secret,
    pages: { 200: 'The page', 303: 'Redirect of a browser to the sign-in', 404: 'A page: the link can’t be used, or is another user’s' },
    async handle({ caller, params, request }) {
      assertSession(caller);
      const address = await (await deps.notifications.open()).channels.addressOf(caller.userId, params.secret);
      const { askPage, endedLinkPage } = await import('./confirm-page.ts');
      return address === undefined
        ? { page: endedLinkPage(caller, deps.notifications.home), status: 404 }
        : { page: askPage(caller, request.path, address) };
    },
  });
}

function confirmLink(deps: NotificationsDeps): Endpoint {
  return endpoint({
    method: 'post',
    path: CONFIRM,
    essential: true,
    summary: 'Submit that page',
    description: 'Works once, within 24 hours, with a session of the user who added the address.',
    auth: 'first_party',
    browser: true,
    params: secret,
    form: z.strictObject({ csrf: text(100).optional() }).meta({ id: 'AddressConfirmation' }),
    pages: { 200: 'A page: it is confirmed', 404: 'A page: the link can’t be used, or is another user’s' },
    async handle({ caller, params }) {
      assertSession(caller);
      const address = await (await deps.notifications.open()).channels.confirm(caller.userId, params.secret);
      const { confirmedPage, endedLinkPage } = await import('./confirm-page.ts');
      return address === undefined
        ? { page: endedLinkPage(caller, deps.notifications.home), status: 404 }
        : { page: confirmedPage(caller, address, deps.notifications.home) };
    },
  });
}

/** The link is for a person at a browser. @throws AppError `forbidden` */
function assertSession({ session }: FirstParty): void {
  if (session === undefined) throw new AppError('forbidden', 'Sign in to the service’s own pages to confirm an address.');
}

function shown(row: Channel): z.input<typeof channel> {
  const { id, type, label, kinds, summaries, state, confirmedAt, createdAt, lastSentAt } = row;
  return {
    ...{ id, type, label, kinds, summaries, state },
    confirmed: confirmedAt !== null,
    error: row.error as (typeof ERRORS)[number] | null,
    created_at: createdAt.toISOString(),
    last_sent_at: lastSentAt?.toISOString() ?? null,
  };
}
