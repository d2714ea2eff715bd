import type { Queryable } from '../database/database.ts';
import { lockUser } from '../database/user-lock.ts';
import { about, type BankDeps, configured } from './bank-deps.ts';
import { checkInBackground } from './item-check.ts';
import { isAhead, setWarning } from './item-warnings.ts';
import { type ItemRow, lockItem, updateItem, updateNewAccounts } from './items-repository.ts';
import type { WebhookEvent } from './webhook-events.ts';
import { markHandled, type WebhookRow } from './webhooks-repository.ts';

type Handle = (deps: BankDeps, webhook: WebhookRow) => Promise<void>;
/** Changes the locked item. */
type Change = (deps: BankDeps, tx: Queryable, item: ItemRow, webhook: WebhookRow) => Promise<void>;

/** The effect of each event. Events arrive late, repeated and in another order, so an item that can be read is read. */
const HANDLERS: Record<WebhookEvent, Handle> = {
  'ITEM/ERROR': (deps, webhook) => readItem(deps, webhook, {}),
  'ITEM/LOGIN_REPAIRED': (deps, webhook) => readItem(deps, webhook, { repaired: true }),
  'ITEM/PENDING_EXPIRATION': (deps, webhook) => readItem(deps, webhook, { told: endOf(webhook) }),
  'ITEM/PENDING_DISCONNECT': once(async (deps, tx, item, webhook) => {
    const expiresAt = endOf(webhook);
    if (item.status !== 'active' || !isAhead(expiresAt, deps.clock.now())) return;
    await setWarning(tx, deps.emit, item, { warning: 'pending_disconnect', expiresAt });
  }),
  'ITEM/NEW_ACCOUNTS_AVAILABLE': once(async (deps, tx, item) => {
    if (item.newAccounts) return;
    await updateNewAccounts(tx, item.userId, item.id, true);
    await deps.emit(tx, item.userId, 'account.new_accounts', about(item.id));
  }),
  'ITEM/USER_ACCOUNT_REVOKED': once(async (deps, tx, item, { details }) => {
    const accounts = item.accounts.filter((account) => account.account_id !== details.accountId);
    if (accounts.length === item.accounts.length) return;
    await updateItem(tx, item.userId, item.id, { ...item, accounts });
    await deps.emit(tx, item.userId, 'account.changed', about(item.id));
  }),
  // The user has withdrawn the permission.
  'ITEM/USER_PERMISSION_REVOKED': once(async (deps, tx, item) => {
    await deps.emit(tx, item.userId, 'account.disconnected', about(item.id));
    await deps.grants.end(tx, item.userId, item.grantId);
  }),
  'TRANSACTIONS/SYNC_UPDATES_AVAILABLE': once((deps, tx, item) => deps.emit(tx, item.userId, 'account.transactions', about(item.id))),
};

/**
 * Handles an event.
 *
 * @throws AppError when the aggregator is unavailable: retry later
 */
export async function handleEvent(deps: BankDeps, webhook: WebhookRow): Promise<void> {
  await HANDLERS[webhook.event](deps, webhook);
}

/** Changes the item and marks the event as handled in one transaction, so that retries have no effect. */
function once(change: Change): Handle {
  return (deps, webhook) =>
    deps.db.transaction(async (tx) => {
      await lockUser(tx, webhook.userId);
      const item = await lockItem(tx, webhook.userId, webhook.itemId);
      if (!(await markHandled(tx, webhook.id))) return;
      // A bank that was relinked has another item, to which the event does not apply.
      if (item?.subject === webhook.subject) await change(deps, tx, item, webhook);
    }, webhook.userId);
}

/** May run twice without harm. */
async function readItem(deps: BankDeps, webhook: WebhookRow, told: { repaired?: true; told?: Date | null }): Promise<void> {
  const provider = configured(deps);
  const item = { id: webhook.itemId, userId: webhook.userId };
  await checkInBackground(deps, item, { read: (accessToken) => provider.itemState(accessToken), ...told });
  await markHandled(deps.db, webhook.id);
}

function endOf({ details }: WebhookRow): Date | null {
  return details.endsAt === undefined ? null : new Date(details.endsAt);
}
