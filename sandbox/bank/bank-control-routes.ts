import type { Router } from 'express';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { callPath, controlRouter } from '../control-routes.ts';
import { type BankDeps, happen, resetLogin } from './bank-api.ts';
import { bankOf } from './bank-items.ts';
import type { InjectedErrors } from './bank-sandbox-errors.ts';
import type { Item } from './bank-state.ts';
import { befall, ITEM_WEBHOOKS, TRANSACTION_WEBHOOKS, webhookBody } from './bank-webhook-bodies.ts';
import { type Delivery, WEBHOOK_VARIANTS } from './bank-webhook-sender.ts';

const itemId = z.string().min(1).max(100);
const code = z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'must be an error code, in capitals');
const isTrue = z.union([z.literal(true), z.literal('true')]);

const oneItem = z.strictObject({ item_id: itemId });
const names = z
  .string()
  .max(500)
  .default('')
  .transform((text) => text.split(',').filter((name) => name !== ''));
const oddRows = z.strictObject({ item_id: itemId, omit: names, nulls: names });
const mutation = z.strictObject({ item_id: itemId, always: isTrue.optional() });
const someItems = z.strictObject({ item_id: itemId.optional(), all: isTrue.optional() });
const happening = z.strictObject({
  item_id: itemId,
  kind: z.enum(['purchase', 'refund', 'transfer', 'posting', 'correction']),
  times: z.coerce.number().int().min(1).max(1_000).default(1),
});
const webhook = z.strictObject({
  item_id: itemId,
  webhook_code: z.enum([...ITEM_WEBHOOKS, ...TRANSACTION_WEBHOOKS]),
  variant: z.enum(WEBHOOK_VARIANTS).default('good'),
});
const error = z.strictObject({
  code,
  error_type: code.optional(),
  path: callPath.optional(),
  item_id: itemId.optional(),
  times: z.coerce.number().int().min(1).max(1_000_000).default(1),
});

export interface ControlRoutesOptions extends BankDeps {
  injected: InjectedErrors;
  /** Address of webhooks that a test requests for an item without one. */
  serviceWebhook: string;
}

/** Test controls of the bank, mounted at /sandbox/control/bank. */
export function bankControlRoutes(options: ControlRoutesOptions): Router {
  const { items, controls, injected } = options;
  const { router, post, state } = controlRouter();
  state(() => ({ items: items.all.map(itemSummary), calls: controls.calls('bank') }));
  post('/reset-login', someItems, ({ item_id: id, all }) => {
    if ((id === undefined) === (all === undefined)) throw new AppError('invalid_request', 'Give either item_id or all.');
    const chosen = id === undefined ? items.all.filter(({ status }) => status !== 'removed') : [existing(options, id)];
    for (const item of chosen) resetLogin(options, item);
    return { success: true, items: chosen.length };
  });
  post('/mutate', mutation, ({ item_id: id, always }) =>
    items.change(existing(options, id), always === undefined ? { mutateNextPage: true } : { stuck: true }),
  );
  post('/rows', oddRows, ({ item_id: id, ...odd }) => items.change(existing(options, id), { odd }));
  post('/transactions', happening, ({ item_id: id, kind, times }) => {
    const item = existing(options, id);
    for (let done = 0; done < times; done += 1) happen(options, item, kind);
  });
  post('/remove-item', oneItem, ({ item_id: id }) => items.change(existing(options, id), { status: 'removed' }));
  post('/webhook', webhook, async (given) => ({ success: true, deliveries: await fireWebhook(options, given) }));
  post('/error', error, ({ error_type: type, item_id: itemId, ...rest }) => injected.add({ ...rest, type, itemId }));
  return router;
}

/** Sends the webhook and waits for the first attempt, so that its result can be tested. */
async function fireWebhook({ serviceWebhook, ...bank }: ControlRoutesOptions, given: z.output<typeof webhook>): Promise<Delivery[]> {
  const item = bank.items.find(given.item_id);
  if (item === undefined) throw new AppError('not_found', 'There is no such item.');
  const { webhook_code: event, variant } = given;
  const url = item.webhook ?? serviceWebhook;
  const now = bank.controls.now();
  const body = webhookBody(item, event, now);
  if (variant === 'good') {
    befall(bank.items, item, event, now);
    return [await bank.webhooks.send(url, body)];
  }
  const later = event === 'LOGIN_REPAIRED' ? 'ERROR' : 'LOGIN_REPAIRED';
  if (variant === 'duplicate') befall(bank.items, item, event, now);
  if (variant === 'reordered') befall(bank.items, item, later, now);
  return bank.webhooks.sendVariant(url, body, variant, webhookBody(item, later, now));
}

/** @throws AppError `not_found`, also for a removed item */
function existing({ items }: BankDeps, id: string): Item {
  const item = items.find(id);
  if (item === undefined || item.status === 'removed') throw new AppError('not_found', 'There is no such item.');
  return item;
}

function itemSummary(item: Item): object {
  return {
    item_id: item.id,
    institution_id: item.institutionId,
    institution: bankOf(item).name,
    exchanged: item.accessTokenHash !== null,
    removed: item.status === 'removed',
    status: item.status,
  };
}
