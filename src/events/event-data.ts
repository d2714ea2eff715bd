import { z } from 'zod';

const about = { account: z.uuid(), provider: z.string().describe('`workspace`, `bank`, or `mcp`: a source.') };
const approval = { approvalId: z.uuid(), action: z.string(), account: z.uuid() };

/** The data of each event: ids and states, no content of accounts. */
export const EVENTS = {
  'account.connected': z.object(about).describe('Also when an account is connected again.'),
  'account.disconnected': z.object(about),
  'account.status': z.object({ ...about, status: z.enum(['active', 'reauth_required', 'relink_required', 'item_gone']) }),
  'account.warning': z.object({
    ...about,
    warning: z.enum(['pending_disconnect', 'pending_expiration']).nullable().describe('Null: it has ended.'),
    expiresAt: z.iso.datetime().optional(),
  }),
  'account.new_accounts': z.object(about).describe('The bank has further accounts that the user can share.'),
  'account.changed': z.object(about).describe('The user withdrew consent for one account of this bank.'),
  'account.transactions': z.object(about).describe('The bank has new transactions.'),
  'account.read_only': z.object({
    account: z.uuid(),
    client: z.uuid().nullable().describe('A token or app; null: everything.'),
    readOnly: z.boolean(),
  }),
  'source.tools_changed': z
    .object({ account: z.uuid(), source: z.string(), tools: z.array(z.string()) })
    .describe(
      'A connection’s server lists other tools than before, or its user has decided on one. A changed tool is held until then. Without tools: they could not be read.',
    ),
  'approval.requested': z.object({ ...approval, expiresAt: z.iso.datetime() }),
  'approval.decided': z.object({ ...approval, approved: z.boolean(), edited: z.boolean() }),
  'approval.expired': z.object(approval),
  'approval.ended': z.object({
    ...approval,
    reason: z.enum(['disconnected', 'reconfigured', 'exposed', 'revoked', 'read_only', 'thread_deleted']),
  }),
  'allowance.created': z.object({ id: z.uuid(), action: z.string(), account: z.uuid(), expiresAt: z.iso.datetime() }),
  'allowance.revoked': z.object({ id: z.uuid(), action: z.string(), account: z.uuid() }),
  'token.created': z.object({ id: z.uuid(), name: z.string() }),
  'token.revoked': z.object({ id: z.uuid() }),
  'client.connected': z.object({ id: z.uuid(), name: z.string().describe('What the client calls itself.') }),
  'client.revoked': z.object({ id: z.uuid() }),
  'automation.changed': z.object({ automation: z.uuid() }).describe('It was made, changed, paused, resumed or deleted.'),
  'automation.paused': z
    .object({ automation: z.uuid(), reason: z.enum(['failures', 'account']) })
    .describe('Not by the user: five runs in a row have failed, or its account is not connected any more.'),
  'run.finished': z.object({
    automation: z.uuid(),
    run: z.uuid(),
    status: z.enum(['done', 'failed', 'skipped', 'cancelled']),
    thread: z.string().nullable().describe('Its conversation; null: it has none.'),
  }),
  'integrations.updated': z.object({ revision: z.string() }).describe('The agents have changed: request `list` again.'),
  resync: z.object({}).describe('Missed events are no longer available: reload all data.'),
} as const;

export type EventName = keyof typeof EVENTS;
export type EventData = { [Name in EventName]: z.output<(typeof EVENTS)[Name]> };
