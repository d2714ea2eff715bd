import type { z } from 'zod';
import type { Controls } from '../controls.ts';
import type { Items } from './bank-items.ts';
import type { Links } from './bank-links.ts';
import { withOddRow } from './bank-odd-rows.ts';
import { parseRequest, requests } from './bank-requests.ts';
import { accountBodies, authBody, datedItemBody, institutionBody, itemBody, transactionBody } from './bank-responses.ts';
import { AggregatorError } from './bank-sandbox-errors.ts';
import type { Item, LinkSession } from './bank-state.ts';
import { syncPage } from './bank-sync.ts';
import { type BookingDetails, currentTransactions, type TransactionChange } from './bank-transactions.ts';
import { type WebhookCode, webhookBody } from './bank-webhook-bodies.ts';
import type { WebhookSender } from './bank-webhook-sender.ts';
import { institution, type SandboxInstitution, supports } from './bank-world.ts';

/** The dependencies of the calls. */
export interface BankDeps {
  items: Items;
  links: Links;
  webhooks: WebhookSender;
  controls: Controls;
}

/** A call of the API. @param body without credentials. @returns the response without its request id */
export type Operation = (body: Record<string, unknown>) => object;

const SYNC_COUNT = 100;
const SANDBOX_LOGIN = 'user_good';

/** Every call of the aggregator's API, by path (Plaid: API reference). */
export function bankOperations(bank: BankDeps): Record<string, Operation> {
  return { ...linkOperations(bank), ...itemOperations(bank), ...transactionOperations(bank), ...sandboxOperations(bank) };
}

/** Sends a webhook about an item to the item's address, in the background. */
function notify({ webhooks, controls }: BankDeps, item: Item, code: WebhookCode): void {
  if (item.webhook === null) return;
  void webhooks.send(item.webhook, webhookBody(item, code, controls.now()));
}

/** The bank requires a new login. */
export function resetLogin(bank: BankDeps, item: Item): void {
  bank.items.change(item, { status: 'login_required' });
  notify(bank, item, 'ERROR');
}

/** Changes the item's transactions. */
export function happen(bank: BankDeps, item: Item, kind: TransactionChange['kind'], given?: BookingDetails): void {
  bank.items.addChange(item, kind, given);
  if (item.transactionsReady) notify(bank, item, 'SYNC_UPDATES_AVAILABLE');
}

function linkOperations({ items, links, webhooks }: BankDeps): Record<string, Operation> {
  return {
    '/link/token/create': operation(requests.linkTokenCreate, (request) => {
      const { token, session } = links.create(request);
      return { link_token: token, expiration: new Date(session.expiresAt).toISOString() };
    }),
    '/link/token/get': operation(requests.linkTokenGet, ({ link_token: token }) => {
      const session = links.find(token);
      if (session === undefined) throw new AggregatorError('INVALID_LINK_TOKEN');
      return { link_token: token, ...linkTokenBody(session) };
    }),
    '/item/public_token/exchange': operation(requests.publicTokenExchange, ({ public_token: publicToken }) => {
      const { item, accessToken } = items.exchange(publicToken);
      return { access_token: accessToken, item_id: item.id };
    }),
    '/institutions/get_by_id': operation(requests.institution, ({ institution_id: id }) => ({
      institution: institutionBody(bankById(id)),
    })),
    '/webhook_verification_key/get': operation(requests.webhookKey, ({ key_id: id }) => {
      const key = webhooks.publicKey(id);
      if (key === undefined) throw new AggregatorError('INVALID_WEBHOOK_VERIFICATION_KEY_ID');
      return { key };
    }),
  };
}

function itemOperations(bank: BankDeps): Record<string, Operation> {
  const { items, controls } = bank;
  return {
    '/item/get': operation(requests.item, ({ access_token: token }) => ({ item: datedItemBody(items.byAccessToken(token)), status: null })),
    '/item/remove': operation(requests.itemRemove, ({ access_token: token }) => {
      items.change(items.byAccessToken(token), { status: 'removed' });
      return {};
    }),
    '/item/webhook/update': operation(requests.webhookUpdate, ({ access_token: token, webhook }) => {
      const item = items.byAccessToken(token);
      items.change(item, { webhook: webhook ?? null });
      notify(bank, item, 'WEBHOOK_UPDATE_ACKNOWLEDGED');
      return { item: itemBody(item) };
    }),
    '/accounts/get': operation(requests.accounts, ({ access_token: token, options }) => {
      const item = items.readable(token);
      return { accounts: accountBodies(item, options?.account_ids), item: itemBody(item) };
    }),
    '/accounts/balance/get': operation(requests.balance, ({ access_token: token, options }) => {
      const item = items.readable(token);
      const readAt = new Date(controls.now()).toISOString();
      return { accounts: accountBodies(item, options?.account_ids, readAt), item: itemBody(item) };
    }),
    '/auth/get': operation(requests.accounts, ({ access_token: token, options }) => {
      const item = items.withProduct(token, 'auth');
      return { ...authBody(item, options?.account_ids), item: itemBody(item) };
    }),
  };
}

function transactionOperations(bank: BankDeps): Record<string, Operation> {
  const { items } = bank;
  return {
    '/transactions/sync': operation(requests.sync, ({ access_token: token, cursor = '', count = SYNC_COUNT, options }) => {
      const item = items.readable(token);
      const wasReady = item.transactionsReady;
      const account = options?.account_id;
      const accounts = accountBodies(item, account === undefined ? undefined : [account]);
      const page = syncPage(items, item, { cursor, count, account });
      if (!wasReady) notify(bank, item, 'SYNC_UPDATES_AVAILABLE');
      return { accounts: wasReady ? accounts : [], ...page };
    }),
    '/transactions/get': operation(requests.transactions, (request) => {
      const item = items.readable(request.access_token);
      if (!item.transactionsReady) {
        items.change(item, { transactionsReady: true });
        throw new AggregatorError('PRODUCT_NOT_READY');
      }
      return transactionsBody(items, item, request);
    }),
    '/transactions/refresh': operation(requests.item, ({ access_token: token }) => {
      happen(bank, items.readable(token), 'purchase');
      return {};
    }),
  };
}

function sandboxOperations(bank: BankDeps): Record<string, Operation> {
  const { items } = bank;
  return {
    '/sandbox/public_token/create': operation(requests.publicTokenCreate, ({ institution_id: id, initial_products: products, options }) => {
      const bankOfItem = bankById(id);
      if (!supports(bankOfItem, products)) throw new AggregatorError('PRODUCTS_NOT_SUPPORTED');
      const { accounts } = bankOfItem;
      const login = options?.override_username ?? SANDBOX_LOGIN;
      const accountKeys = accounts.map(({ key }) => key);
      const { publicToken } = items.create({ institutionId: id, login, accountKeys, products, webhook: options?.webhook ?? null });
      return { public_token: publicToken };
    }),
    '/sandbox/item/reset_login': operation(requests.item, ({ access_token: token }) => {
      resetLogin(bank, items.byAccessToken(token));
      return { reset_login: true };
    }),
    '/sandbox/item/fire_webhook': operation(requests.fireWebhook, ({ access_token: token, webhook_code: code }) => {
      const item = items.byAccessToken(token);
      if (item.webhook === null) throw new AggregatorError('SANDBOX_WEBHOOK_INVALID');
      notify(bank, item, code);
      return { webhook_fired: true };
    }),
  };
}

function operation<S extends z.ZodType>(schema: S, run: (request: z.output<S>) => object): Operation {
  return (body) => run(parseRequest(schema, body));
}

function bankById(id: string): SandboxInstitution {
  const found = institution(id);
  if (found === undefined) throw new AggregatorError('INVALID_INSTITUTION');
  return found;
}

function linkTokenBody(session: LinkSession): object {
  return {
    created_at: new Date(session.createdAt).toISOString(),
    expiration: new Date(session.expiresAt).toISOString(),
    metadata: {
      initial_products: session.products,
      webhook: session.webhook,
      country_codes: session.countryCodes,
      language: session.language,
      redirect_uri: session.redirectUri,
      client_name: session.clientName,
    },
  };
}

function transactionsBody(
  items: Items,
  item: Item,
  { start_date: start, end_date: end, options }: z.output<typeof requests.transactions>,
): object {
  if (start > end) throw new AggregatorError('INVALID_FIELD', 'start_date must not be after end_date');
  const accounts = accountBodies(item, options?.account_ids);
  const ids = options?.account_ids;
  const found = currentTransactions(items.events(item)).filter(
    ({ date, account_id: id }) => date >= start && date <= end && (ids === undefined || ids.includes(id)),
  );
  const offset = options?.offset ?? 0;
  const shown = found.slice(offset, offset + (options?.count ?? SYNC_COUNT));
  return { accounts, transactions: withOddRow(item, shown.map(transactionBody)), total_transactions: found.length, item: itemBody(item) };
}
