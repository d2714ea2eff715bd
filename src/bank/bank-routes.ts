import { z } from 'zod';
import { LIST_BATCHES, StatementBatcher } from '../database/statement-batcher.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { text } from '../validation/validate.ts';
import { bankAccount, toBankAccount } from './bank-account.ts';
import type { BankDeps } from './bank-deps.ts';
import type { BankWebhooks } from './bank-webhooks.ts';
import { selectItemsOfUsers } from './items-repository.ts';

const MAX_WEBHOOK_BYTES = 256 * 1024;
const PROOF = 'Plaid-Verification';
const itemParams = z.object({ account_id: z.uuid() });
const PROVIDER_ERRORS = ['not_configured', 'provider_error', 'provider_timeout', 'unavailable'] as const;
const ITEM_ERRORS = ['relink_required', 'item_gone', 'unsupported_account', ...PROVIDER_ERRORS] as const;

const accountList = z.object({ accounts: z.array(bankAccount) }).meta({ id: 'BankAccountList' });
// A malformed id is not found, like one in a path.
const linkTokenForm = z.strictObject({ account_id: z.string().optional().meta({ format: 'uuid' }) }).meta({ id: 'LinkTokenForm' });
const linkToken = z
  .object({ link_token: z.string(), expiration: z.string(), request_id: z.string(), link_url: z.string().optional() })
  .meta({ id: 'LinkToken' });
const publicTokenForm = z.strictObject({ public_token: text(1024) }).meta({ id: 'PublicTokenForm' });
const linkResult = success
  .extend({
    also_linked: z
      .array(z.uuid())
      .optional()
      .meta({ description: 'Ids of entries of the same bank that were kept although they may share an account with the new one.' }),
  })
  .meta({ id: 'BankLinkResult' });

/** Loaded with the first request. */
const service = () => import('./bank-service.ts');

/** Linking, listing, repairing and deleting bank items, and the aggregator's webhook. */
export function bankRouter(deps: BankDeps, webhooks: BankWebhooks, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter('Bank', [...linkEndpoints(deps), ...itemEndpoints(deps), webhookEndpoint(webhooks)], middleware);
}

function linkEndpoints(deps: BankDeps): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/auth/bank/create_link_token',
      summary: 'Create a link token for the aggregator’s widget',
      description:
        'With `account_id`: update mode for that entry, to log in again or to add accounts. The sandbox adds `link_url`, its page that replaces the widget.',
      auth: 'id_token',
      limit: 'provider',
      form: linkTokenForm,
      response: linkToken,
      errors: ['not_found', ...ITEM_ERRORS],
      handle: async ({ caller, form }) => ({ json: await (await service()).createLinkToken(deps, caller.userId, form.account_id) }),
    }),
    endpoint({
      method: 'post',
      path: '/auth/bank/set_access_token',
      essential: true,
      summary: 'Link a bank with the widget’s public token',
      description:
        'Linking the same login again keeps the id of its entry if the new accounts include all previous ones, compared by the bank’s persistent ids, else by name, mask and type. Otherwise both entries are kept, and `also_linked` lists the others.',
      auth: 'id_token',
      limit: 'provider',
      form: publicTokenForm,
      response: linkResult,
      errors: ITEM_ERRORS,
      async handle({ caller, form }) {
        const kept = await (await service()).linkItem(deps, caller.userId, form.public_token);
        return { json: { ...SUCCEEDED.json, ...(kept.length > 0 && { also_linked: kept }) } };
      },
    }),
  ];
}

function itemEndpoints(deps: BankDeps): Endpoint[] {
  const lists = new StatementBatcher((userIds: readonly string[]) => selectItemsOfUsers(deps.db, userIds), LIST_BATCHES);
  return [
    endpoint({
      method: 'get',
      path: '/auth/bank/accounts',
      summary: 'List the bank account entries',
      auth: 'id_token',
      response: accountList,
      handle: async ({ caller }) => ({ json: { accounts: (await lists.add(caller.userId)).map(toBankAccount) } }),
    }),
    endpoint({
      method: 'delete',
      path: '/auth/bank/accounts/:account_id',
      summary: 'Delete a bank account entry',
      description: 'The entry cannot be used from now on. It is removed at the aggregator in the background, with retries.',
      auth: 'id_token',
      params: itemParams,
      response: success,
      errors: ['not_found'],
      async handle({ caller, params }) {
        await (await service()).deleteItem(deps, caller.userId, params.account_id);
        return SUCCEEDED;
      },
    }),
    endpoint({
      method: 'post',
      path: '/auth/bank/accounts/:account_id/refresh',
      summary: 'Reload a bank account entry after update mode',
      description: 'Clears `relink_required` and stores the selected accounts.',
      auth: 'id_token',
      limit: 'provider',
      params: itemParams,
      response: success,
      errors: ['not_found', ...ITEM_ERRORS],
      async handle({ caller, params }) {
        await (await service()).refreshItem(deps, caller.userId, params.account_id);
        return SUCCEEDED;
      },
    }),
  ];
}

/** The aggregator sends its webhooks here. */
function webhookEndpoint(webhooks: BankWebhooks): Endpoint {
  return endpoint({
    method: 'post',
    path: '/webhooks/bank',
    essential: true,
    summary: 'Events of the bank-data aggregator',
    description: `For the aggregator only. \`${PROOF}\` is a JWS (ES256) over the time and the SHA-256 of the body’s bytes. An event is stored before it is acknowledged; an event that has no effect here is acknowledged too.`,
    auth: 'none',
    signed: { limit: MAX_WEBHOOK_BYTES, header: PROOF },
    response: success,
    errors: ['invalid_token', 'not_configured'],
    async handle({ request }) {
      // The parser leaves out an empty body.
      const body: unknown = request.body;
      await webhooks.receive(request.headersDistinct[PROOF.toLowerCase()] ?? [], Buffer.isBuffer(body) ? body : Buffer.alloc(0));
      return SUCCEEDED;
    },
  });
}
