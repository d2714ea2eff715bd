import { accountsOf, type Items, openKeys } from './bank-items.ts';
import { errorBody } from './bank-sandbox-errors.ts';
import type { Item } from './bank-state.ts';

export const ITEM_WEBHOOKS = [
  'ERROR',
  'LOGIN_REPAIRED',
  'NEW_ACCOUNTS_AVAILABLE',
  'PENDING_DISCONNECT',
  'PENDING_EXPIRATION',
  'USER_ACCOUNT_REVOKED',
  'USER_PERMISSION_REVOKED',
  'WEBHOOK_UPDATE_ACKNOWLEDGED',
] as const;
export const TRANSACTION_WEBHOOKS = ['DEFAULT_UPDATE', 'SYNC_UPDATES_AVAILABLE'] as const;

export type WebhookCode = (typeof ITEM_WEBHOOKS)[number] | (typeof TRANSACTION_WEBHOOKS)[number];

const WEEK_MS = 7 * 24 * 3_600_000;

/** The body of a webhook about an item. @param now milliseconds since 1970 */
export function webhookBody(item: Item, code: WebhookCode, now: number): object {
  const transactions: readonly string[] = TRANSACTION_WEBHOOKS;
  return {
    webhook_type: transactions.includes(code) ? 'TRANSACTIONS' : 'ITEM',
    webhook_code: code,
    item_id: item.id,
    ...details(item, code, new Date(now + WEEK_MS).toISOString()),
    environment: 'sandbox',
  };
}

/** Applies to the item what a webhook reports. @param now of the webhook's body */
export function befall(items: Items, item: Item, code: WebhookCode, now: number): void {
  if (code === 'ERROR') items.change(item, { status: 'login_required' });
  if (code === 'LOGIN_REPAIRED') items.heal(item, undefined);
  if (code === 'PENDING_EXPIRATION') items.change(item, { consentExpiresAt: now + WEEK_MS });
  if (code === 'USER_ACCOUNT_REVOKED') items.select(item, openKeys(item).slice(1));
}

function details(item: Item, code: WebhookCode, inAWeek: string): object {
  switch (code) {
    case 'ERROR':
      // In webhooks, an error also has the status that its call would have returned (Plaid: Errors).
      return { error: { ...errorBody('ITEM_LOGIN_REQUIRED'), status: 400 } };
    case 'USER_PERMISSION_REVOKED':
      return { error: { ...errorBody('USER_PERMISSION_REVOKED'), status: 400 } };
    case 'USER_ACCOUNT_REVOKED':
      return { account_id: accountsOf(item)[0]?.id };
    case 'PENDING_DISCONNECT':
      return { reason: 'INSTITUTION_MIGRATION', disconnect_time: inAWeek };
    case 'PENDING_EXPIRATION':
      return { consent_expiration_time: inAWeek };
    case 'WEBHOOK_UPDATE_ACKNOWLEDGED':
      return { error: null, new_webhook_url: item.webhook };
    case 'SYNC_UPDATES_AVAILABLE':
      return { initial_update_complete: true, historical_update_complete: true };
    case 'DEFAULT_UPDATE':
      return { error: null, new_transactions: 1 };
    case 'NEW_ACCOUNTS_AVAILABLE':
      return { error: null };
    case 'LOGIN_REPAIRED':
      return {};
  }
}
