import { hash } from 'node:crypto';
import { z } from 'zod';
import { callResult } from '../executor/call/call-result.ts';
import { clientFields, clientResponse } from '../executor/call/named-client.ts';
import { match, provenances, display as question } from '../executor/display/display-schemas.ts';
import type { LinkedPreview } from '../executor/executor.ts';
import { canonicalJson } from '../validation/canonical-json.ts';

const viewer = z.object({
  kind: z.enum(['person', 'group', 'domain', 'service', 'anyone', 'unknown']),
  address: z.string().optional(),
  domain: z.string().optional(),
  host: z.string().optional().describe('Of a `service`, another people’s server that receives the arguments.'),
  name: z.string().optional().describe('Of a `service`.'),
  relation: z.enum(['own', 'written_to', 'new']).optional().describe('How the user knows the person; absent: it could not be read.'),
  named: z.literal(true).optional().describe('The user typed the address in the conversation whose assistant asks.'),
});
/** A pending approval. */
export const approval = z
  .object({
    id: z.uuid(),
    action: z.string(),
    account: z.string().describe('The account’s label; empty: the action uses none.'),
    account_id: z.uuid().describe('Of an action that uses no account: the user’s own id.'),
    summary: z.string().describe('One line: what will happen.'),
    audience: z.array(viewer).describe('Who else sees the effect.'),
    notices: z.array(z.string()).describe('What deserves attention.'),
    provenance: provenances.describe('What others wrote and was read before.'),
    matches: z
      .array(match)
      .describe(
        'Parts of the arguments that repeat what others wrote: `field` is the path of the argument; `thing`: the name of what the arguments name by an id.',
      ),
    display: question.meta({ id: 'Display', description: 'The question as people read it.' }),
    input: z.unknown().describe('The arguments.'),
    url: z.url().describe('The page where the user decides.'),
    shown: z.string().describe('Of all of this, to send with the decision: another question is not decided.'),
    expires_at: z.iso.datetime(),
    client: z
      .object({ id: z.uuid(), ...clientFields })
      .optional()
      .describe('The client that asked; absent: the user’s own front end.'),
    thread: z.string().optional().describe('The conversation whose assistant asked.'),
    automation: z
      .object({ id: z.uuid(), name: z.string().optional(), asked_at: z.iso.datetime() })
      .optional()
      .describe('The automation of which a run asked; absent: the user was there.'),
  })
  .meta({ id: 'Approval' });

/** With the form in which its arguments are changed. */
export const approvalWithForm = approval
  .extend({
    form: z
      .array(
        z.object({
          path: z.string().describe('The argument.'),
          label: z.string(),
          control: z.enum(['text', 'textarea', 'email', 'number', 'date', 'datetime', 'checkbox', 'select', 'lines']),
          options: z.array(z.string()).optional(),
          value: z.union([z.string(), z.boolean()]).describe('As it is entered: of `lines`, an entry on each line.'),
          required: z.boolean(),
          hint: z.string().optional(),
        }),
      )
      .describe('Fields to change the arguments in; arguments without one keep their values, or are changed as JSON.'),
  })
  .meta({ id: 'ApprovalWithForm' });

/** How an approval ended. */
export const outcome = z
  .object({
    status: z
      .enum(['pending', 'denied', 'expired', 'ended', 'running', 'done', 'failed'])
      .describe('`ended`: it can’t be decided any more, for another reason than its time.'),
    edited: z.literal(true).optional().describe('The user changed the arguments before approving.'),
    result: callResult.optional().describe('If `done`.'),
    error: z.object({ code: z.string(), message: z.string() }).optional().describe('If `failed`.'),
  })
  .meta({ id: 'ApprovalOutcome' });

/** Of everything that the user is shown, but for the name of the automation that asks, which the user may change meanwhile. */
export function digestOf({ automation: _, ...preview }: LinkedPreview): string {
  return hash('sha256', canonicalJson(preview), 'base64url');
}

/** The JSON of an approval. */
export function shown(preview: LinkedPreview): z.input<typeof approval> {
  const { approvalId, accountId, expiresAt, ...rest } = preview;
  const {
    action,
    account,
    summary,
    audience,
    notices,
    provenance: sources,
    matches,
    display,
    input,
    url,
    client,
    thread,
    automation,
  } = rest;
  return {
    id: approvalId,
    action,
    account,
    account_id: accountId,
    summary,
    audience: [...audience],
    notices: [...notices],
    provenance: [...sources],
    matches: [...matches],
    display,
    input,
    expires_at: expiresAt,
    url,
    shown: digestOf(preview),
    ...(client && { client: { id: client.id, ...clientResponse(client) } }),
    ...(thread !== undefined && { thread }),
    ...(automation && { automation: { id: automation.id, name: automation.name, asked_at: automation.askedAt } }),
  };
}
