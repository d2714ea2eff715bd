import type { Queryable } from '../database/database.ts';
import { lockUser } from '../vault/grants-repository.ts';
import { about, type BankDeps, configured } from './bank-deps.ts';
import { checkItem, unlessRefused } from './item-check.ts';
import { announce, isAhead } from './item-warnings.ts';
import { type ItemRow, lockItem, updateItem, updateNewAccounts } from './items-repository.ts';
import type { WebhookEvent } from './webhook-events.ts';
import { markHandled, type WebhookRow } from './webhooks-repository.ts';

type Handle = (deps: BankDeps, webhook: WebhookRow) => Promise<void>;
/** Works on the entry, locked, and marks nothing: {@link once} does. */
type Change = (deps: BankDeps, tx: Queryable, entry: ItemRow, webhook: WebhookRow) => Promise<void>;

/**
 * What each event does. Where the item can be read it is, whatever the event
 * claims: events come late, twice, and in another order.
 */
const HANDLERS: Record<WebhookEvent, Handle> = {
  'ITEM/ERROR': (deps, webhook) => readItem(deps, webhook, {}),
  'ITEM/LOGIN_REPAIRED': (deps, webhook) => readItem(deps, webhook, { repaired: true }),
  'ITEM/PENDING_EXPIRATION': (deps, webhook) => readItem(deps, webhook, { told: endOf(webhook) }),
  'ITEM/PENDING_DISCONNECT': once(async (deps, tx, entry, webhook) => {
    const expiresAt = endOf(webhook);
    if (entry.status === 'active' && isAhead(expiresAt)) await announce(tx, deps.emit, entry, { warning: 'pending_disconnect', expiresAt });
  }),
  'ITEM/NEW_ACCOUNTS_AVAILABLE': once(async (deps, tx, entry) => {
    if (entry.newAccounts) return;
    await updateNewAccounts(tx, entry.userId, entry.id, true);
    await deps.emit(tx, entry.userId, 'account.new_accounts', about(entry.id));
  }),
  'ITEM/USER_ACCOUNT_REVOKED': once(async (deps, tx, entry, { details }) => {
    const accounts = entry.accounts.filter((account) => account.account_id !== details.accountId);
    if (accounts.length === entry.accounts.length) return;
    await updateItem(tx, entry.userId, entry.id, { ...entry, accounts });
    await deps.emit(tx, entry.userId, 'account.changed', about(entry.id));
  }),
  'ITEM/USER_PERMISSION_REVOKED': disconnect,
  'TRANSACTIONS/SYNC_UPDATES_AVAILABLE': once((deps, tx, entry) => deps.emit(tx, entry.userId, 'account.transactions', about(entry.id))),
};

/**
 * Handles an event.
 *
 * @throws AppError what kept the aggregator from answering: try again later
 */
export async function handleEvent(deps: BankDeps, webhook: WebhookRow): Promise<void> {
  await HANDLERS[webhook.event](deps, webhook);
}

/** Handled and marked in one transaction, so that it happens once however often it is tried. */
function once(change: Change): Handle {
  return (deps, webhook) =>
    deps.db.transaction(async (tx) => {
      await lockUser(tx, webhook.userId);
      const entry = await lockItem(tx, webhook.userId, webhook.entryId);
      if (!(await markHandled(tx, webhook.id))) return;
      // A bank linked anew is another item: what was said of the old one says nothing of it.
      if (entry !== undefined && entry.subject === webhook.itemId) await change(deps, tx, entry, webhook);
    }, webhook.userId);
}

/** Reading is harmless when it is done twice. */
async function readItem(deps: BankDeps, webhook: WebhookRow, told: { repaired?: true; told?: Date | null }): Promise<void> {
  const provider = configured(deps);
  const entry = { id: webhook.entryId, userId: webhook.userId };
  await checkItem(deps, entry, { read: (accessToken) => provider.itemState(accessToken), ...told }).catch(unlessRefused);
  await markHandled(deps.db, webhook.id);
}

/** The user has withdrawn the permission: the entry ends with all that is derived from it. */
async function disconnect(deps: BankDeps, webhook: WebhookRow): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockUser(tx, webhook.userId);
    const entry = await lockItem(tx, webhook.userId, webhook.entryId);
    if (!(await markHandled(tx, webhook.id)) || entry?.subject !== webhook.itemId) return;
    await deps.emit(tx, entry.userId, 'account.disconnected', about(entry.id));
    await deps.grants.end(tx, entry.userId, entry.grantId);
  }, webhook.userId);
}

function endOf({ details }: WebhookRow): Date | null {
  return details.endsAt === undefined ? null : new Date(details.endsAt);
}
