import { z } from 'zod';
import { auditPage } from './audit-pages.ts';

const time = z.iso.datetime({ offset: true });
const maybeTime = time.nullable();
/** The database's word for without end. */
const timeOrNever = time.or(z.literal('infinity'));
const maybeText = z.string().nullable();
const count = z.number().int();

/** What is stored of the user and left out, and why. */
export const WITHHELD = [
  'Tokens of your accounts, and your key, which encrypts them: anyone with this file could use your accounts.',
  'Hashes of secrets (cookies, states, tickets, personal access tokens), of arguments and of ids of what your assistants wrote: they are only compared.',
  'Senders and titles of what your assistants read within the last hour, and in your conversations: they are shown when you are asked for approval.',
  'Pieces in which answers of your assistant were sent, for ten minutes: the answers are in `messages`.',
  'Tokens that are being revoked after a disconnection: kept for 7 days at most, under the provider’s id of the account, without a user.',
] as const;

/** Body of GET /user/export: one field for each table, with the columns by their names. */
export const userExport = z
  .object({
    format: z.literal('steward.user-export'),
    version: z.literal(1),
    exported_at: time,
    truncated: z.array(z.string()).describe('Tables of which only the newest rows or contents are included.'),
    withheld: z.array(z.string()).describe('What is stored but left out, and why.'),
    user: z.object({ id: z.uuid(), issuer: z.string(), subject: z.string(), email: maybeText, created_at: time, event_seq: count }),
    waitlist: z.object({ email: z.string(), created_at: time }).nullable().describe('Entry of the verified address.'),
    deleted_before: z
      .object({ deleted_at: time, user_id: z.uuid().nullable() })
      .nullable()
      .describe('The last time a user with this identity was deleted; kept for 30 days.'),
    user_keys: z.array(z.object({ id: z.uuid(), master_key_id: z.string(), rewrapped: z.boolean(), created_at: time })),
    former_user_keys: z.array(z.object({ id: z.uuid(), master_key_id: z.string(), replaced_at: time })),
    grants: z.array(
      z.object({
        id: z.uuid(),
        provider: z.string(),
        subject: z.string(),
        scopes: z.array(z.string()),
        status: z.string(),
        version: count,
        expires_at: maybeTime,
        lease_until: maybeTime,
        refresh_failures: count,
        refresh_after: maybeTime,
        created_at: time,
        updated_at: time,
      }),
    ),
    ended_grants: z
      .array(z.object({ id: z.uuid(), grant_id: z.uuid(), provider: z.string(), subject: z.string(), ended_at: time, try_after: time }))
      .describe('Disconnected accounts whose tokens could not be revoked yet.'),
    workspace_accounts: z.array(
      z.object({
        id: z.uuid(),
        grant_id: z.uuid(),
        email: z.string(),
        name: z.string(),
        picture: z.string(),
        is_default: z.boolean(),
        connected_at: time,
      }),
    ),
    bank_items: z.array(
      z.object({
        id: z.uuid(),
        grant_id: z.uuid(),
        institution_id: maybeText,
        bank_name: z.string(),
        accounts: z.unknown(),
        connected_at: time,
        sync_state: z.unknown(),
        warning: maybeText,
        expires_at: maybeTime,
        new_accounts: z.boolean(),
        update_mode_at: maybeTime,
        checks: count,
        check_after: time,
      }),
    ),
    bank_webhooks: z.array(
      z.object({
        id: z.uuid(),
        grant_id: z.uuid(),
        item_id: z.string(),
        event: z.string(),
        details: z.unknown(),
        received_at: time,
        queued_at: maybeTime,
        handled_at: maybeTime,
      }),
    ),
    browser_bindings: z.array(z.object({ expires_at: time })),
    oauth_flows: z.array(
      z.object({
        id: z.uuid(),
        email: maybeText,
        redirect_uri: z.string(),
        created_at: time,
        ticket_expires_at: maybeTime,
        opened_at: maybeTime,
        expires_at: time,
        consumed_at: maybeTime,
        outcome: z.unknown(),
        finished_at: maybeTime,
        pending_subject: maybeText,
        confirmation_expires_at: maybeTime,
      }),
    ),
    events: z.array(z.object({ seq: count, event: z.string(), data: z.unknown(), client_id: z.uuid().nullable(), created_at: time })),
    client_grants: z
      .array(
        z.object({
          id: z.uuid(),
          kind: z.string(),
          name: z.string(),
          last_four: maybeText,
          oauth_client_id: maybeText,
          redirect_host: maybeText,
          actions: z.array(z.string()),
          access: z.string(),
          account_ids: z.array(z.uuid()).nullable(),
          created_at: time,
          expires_at: time,
          last_used_at: maybeTime,
          last_action: maybeText,
          revoked_at: maybeTime,
        }),
      )
      .describe('Personal access tokens and connected OAuth clients, without the tokens.'),
    read_only_accounts: z
      .array(z.object({ id: z.uuid(), account_id: z.uuid(), grant_id: z.uuid(), client_id: z.uuid().nullable(), since: time }))
      .describe('Accounts on which the user permits no changes: to anything, or to one client.'),
    allowances: z
      .array(
        z.object({
          id: z.uuid(),
          account_id: z.uuid(),
          grant_id: z.uuid(),
          subject: z.string(),
          action: z.string(),
          revision: z.string(),
          asker: z.string().describe('`user`, `assistant` or `client`.'),
          client_id: z.uuid().nullable(),
          covered: z.unknown().describe('The recipients, or the folder with its readers; the arguments.'),
          created_at: time,
          expires_at: time,
        }),
      )
      .describe('Calls that the user has allowed in advance.'),
    threads: z
      .array(
        z.object({
          id: z.string(),
          title: maybeText,
          summary: z.unknown().describe('What a model is told in place of the messages up to a position: text and position.'),
          created_at: time,
          updated_at: time,
        }),
      )
      .describe('Conversations with the assistant.'),
    messages: z.array(
      z.object({
        thread_id: z.string(),
        id: z.string(),
        position: count,
        role: z.string(),
        content: z.unknown().describe('Parts and metadata.'),
        created_at: time,
      }),
    ),
    runs: z
      .array(
        z.object({
          id: z.uuid(),
          thread_id: z.string(),
          message_id: z.string(),
          model: z.string(),
          status: z.string(),
          error: maybeText,
          cancel_requested: z.boolean(),
          lease_until: time,
          steps: count,
          input_tokens: count,
          output_tokens: count,
          cost: z.number(),
          started_at: time,
          ended_at: maybeTime,
        }),
      )
      .describe('Answers of a model; kept for 40 days.'),
    web_sessions: z
      .array(z.object({ auth_time: maybeTime, created_at: time, expires_at: time }))
      .describe('Browsers that are signed in at the service’s own pages, without their secrets.'),
    contexts: z
      .array(z.object({ name: z.string(), tainted_until: timeOrNever, financial_until: timeOrNever.nullable() }))
      .describe(
        'Until when text of others, and a bank’s data, counts as read: by the user’s own front ends (`user`), by one client, or in one conversation (`infinity`).',
      ),
    approvals: z.array(
      z.object({
        id: z.uuid(),
        account_id: z.uuid(),
        action: z.string(),
        idempotency_key: maybeText,
        revision: z.string(),
        surface: maybeText.describe('Where the call came from.'),
        client_id: z.uuid().nullable(),
        thread_id: maybeText.describe('The conversation whose assistant asked.'),
        status: z.string(),
        created_at: time,
        expires_at: time,
        decided_at: maybeTime,
        edited: z.boolean().describe('The user changed the arguments.'),
        end_reason: maybeText,
        outcome_until: maybeTime,
        repeats_until: maybeTime,
        outcome: z.unknown().describe('The result or the error of the approved call, for an hour.'),
        arguments: z.unknown().describe('The request while it waits for a decision: account, summary and arguments.'),
      }),
    ),
    idempotency_keys: z.array(
      z.object({
        asker: z.string().describe('Who called: `user`, `client:` or `thread:` with its id.'),
        account_id: maybeText,
        action: z.string(),
        key: z.string(),
        call_id: maybeText,
        status: z.string(),
        running_until: time,
        created_at: time,
        answer: z.unknown().describe('The result of the call.'),
      }),
    ),
    audit_log: auditPage.describe('The newest rows; `next_cursor` continues at GET /user/audit.'),
  })
  .meta({ id: 'UserExport' });

export type UserExport = z.input<typeof userExport>;
