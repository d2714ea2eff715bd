import { isLoopback } from '../../src/config/config.ts';
import type { Controls } from '../controls.ts';
import type { Store } from '../store.ts';
import { AggregatorError } from './bank-sandbox-errors.ts';
import { type BankState, hashToken, type Item, newId, newToken } from './bank-state.ts';
import { accountId, type BookingDetails, type TransactionChange, type TransactionEvent, transactionEvents } from './bank-transactions.ts';
import { institution, type Product, type SandboxAccount, type SandboxInstitution } from './bank-world.ts';

const PUBLIC_TOKEN_MS = 30 * 60_000;

export interface NewItem {
  institutionId: string;
  login: string;
  accountKeys: readonly string[];
  products: readonly Product[];
  /** Further products that the user has consented to. */
  additional?: readonly Product[];
  webhook: string | null;
}

/** Items and their tokens. Every change is saved before the response. */
export class Items {
  readonly #store: Store<BankState>;
  readonly #controls: Controls;

  constructor(store: Store<BankState>, controls: Controls) {
    this.#store = store;
    this.#controls = controls;
  }

  get all(): readonly Item[] {
    return this.#store.state.items;
  }

  find(itemId: string): Item | undefined {
    return this.#store.state.items.find((item) => item.id === itemId);
  }

  /** Creates an item and a public token for it, as Link does when it ends. */
  create(given: NewItem): { item: Item; publicToken: string } {
    const now = this.#controls.now();
    const item: Item = {
      id: newId(),
      accessTokenHash: null,
      institutionId: given.institutionId,
      login: given.login,
      access: given.accountKeys.map((key) => ({ key, from: now, until: null })),
      products: [...given.products],
      consented: [...new Set([...given.products, ...(given.additional ?? [])])],
      webhook: given.webhook,
      createdAt: now,
      status: 'good',
      transactionsReady: false,
      changes: [],
      shownUntil: now,
      generation: 0,
      mutateNextPage: false,
    };
    const { state } = this.#store;
    const publicToken = newToken('public');
    state.items.push(item);
    state.publicTokens = state.publicTokens.filter(({ expiresAt }) => expiresAt > now);
    state.publicTokens.push({ hash: hashToken(publicToken), itemId: item.id, expiresAt: now + PUBLIC_TOKEN_MS });
    this.#store.save();
    return { item, publicToken };
  }

  /**
   * Exchanges a public token, which works once.
   *
   * @throws AggregatorError INVALID_PUBLIC_TOKEN
   */
  exchange(publicToken: string): { item: Item; accessToken: string } {
    const { state } = this.#store;
    const hash = hashToken(publicToken);
    const found = state.publicTokens.find((candidate) => candidate.hash === hash && candidate.expiresAt > this.#controls.now());
    const item = found && this.find(found.itemId);
    if (item === undefined) throw new AggregatorError('INVALID_PUBLIC_TOKEN');
    const accessToken = newToken('access');
    item.accessTokenHash = hashToken(accessToken);
    state.publicTokens = state.publicTokens.filter((candidate) => candidate !== found);
    this.#store.save();
    return { item, accessToken };
  }

  /**
   * The item of an access token, whatever the state of its login.
   *
   * @throws AggregatorError INVALID_ACCESS_TOKEN, or ITEM_NOT_FOUND after its removal
   */
  byAccessToken(accessToken: string): Item {
    const hash = hashToken(accessToken);
    const item = this.#store.state.items.find((candidate) => candidate.accessTokenHash === hash);
    if (item === undefined) throw new AggregatorError('INVALID_ACCESS_TOKEN');
    if (item.status === 'removed') throw new AggregatorError('ITEM_NOT_FOUND');
    return item;
  }

  /** Id of the item that a token belongs to, if any. */
  idOf(accessToken: unknown): string | undefined {
    const hash = typeof accessToken === 'string' ? hashToken(accessToken) : undefined;
    return this.#store.state.items.find((item) => item.accessTokenHash !== null && item.accessTokenHash === hash)?.id;
  }

  /**
   * The item of an access token, if its login works.
   *
   * @throws AggregatorError as {@link byAccessToken}, or ITEM_LOGIN_REQUIRED
   */
  readable(accessToken: string): Item {
    const item = this.byAccessToken(accessToken);
    if (item.status === 'login_required') throw new AggregatorError('ITEM_LOGIN_REQUIRED');
    return item;
  }

  /**
   * The same, if its bank has the product and its user has consented to it. The item has the product from now on.
   *
   * @throws AggregatorError as {@link readable}, PRODUCTS_NOT_SUPPORTED or ADDITIONAL_CONSENT_REQUIRED
   */
  withProduct(accessToken: string, product: Product): Item {
    const item = this.readable(accessToken);
    if (item.products.includes(product)) return item;
    if (!bankOf(item).products.includes(product)) throw new AggregatorError('PRODUCTS_NOT_SUPPORTED');
    if (!consentedProducts(item).includes(product)) throw new AggregatorError('ADDITIONAL_CONSENT_REQUIRED');
    this.change(item, { products: [...item.products, product] });
    return item;
  }

  /** Changes an item and saves it. */
  change(item: Item, changes: Partial<Omit<Item, 'id'>>): void {
    Object.assign(item, changes);
    this.#store.save();
  }

  /** The current time for an item, which is never set back. */
  timeOf(item: Item): number {
    item.shownUntil = Math.max(item.shownUntil, this.#controls.now());
    return item.shownUntil;
  }

  /** Adds a change to its transactions, after all that were returned before, so that positions in its log stay valid. */
  addChange(item: Item, kind: TransactionChange['kind'], given?: BookingDetails): void {
    item.shownUntil = this.timeOf(item) + 1;
    item.changes.push({ at: item.shownUntil, kind, ...(given !== undefined && { given }) });
    this.#store.save();
  }

  /** Updates the webhook addresses of items that were linked when the service had another port. */
  moveWebhooks(serviceWebhook: string): void {
    const { pathname } = new URL(serviceWebhook);
    for (const item of this.#store.state.items) {
      const old = item.webhook === null ? null : new URL(item.webhook);
      if (old !== null && isLoopback(old.hostname) && old.pathname === pathname) item.webhook = serviceWebhook;
    }
    this.#store.save();
  }

  /** Its events until now. What was returned once does not change. */
  events(item: Item): TransactionEvent[] {
    const until = this.timeOf(item);
    this.#store.save();
    const { id: itemId, institutionId, login, access, changes } = item;
    return transactionEvents({ itemId, holder: holderOf(institutionId, login), access, changes }, bankOf(item).accounts, until);
  }

  /** Update mode: the login works again, the consent grows, and chosen accounts replace the item's accounts. */
  heal(item: Item, accountKeys: readonly string[] | undefined, additional: readonly Product[] = []): void {
    item.status = 'good';
    item.consented = [...new Set([...consentedProducts(item), ...additional])];
    delete item.consentExpiresAt;
    if (accountKeys !== undefined) this.select(item, accountKeys);
    this.#store.save();
  }

  /** Replaces the item's accounts. */
  select(item: Item, accountKeys: readonly string[]): void {
    const now = this.timeOf(item);
    for (const access of item.access) {
      if (access.until === null && !accountKeys.includes(access.key)) access.until = now;
    }
    const open = openKeys(item);
    for (const key of accountKeys) {
      if (!open.includes(key)) item.access.push({ key, from: now, until: null });
    }
    this.#store.save();
  }
}

/** Products that the item's user has consented to. */
export function consentedProducts({ consented, products }: Item): Product[] {
  return consented ?? products;
}

/** Keys of the accounts that an item has access to. */
export function openKeys(item: Item): string[] {
  return item.access.filter(({ until }) => until === null).map(({ key }) => key);
}

export interface ItemAccount extends SandboxAccount {
  /** Differs for each link of the same account. */
  id: string;
}

/** The accounts that an item has access to, in the bank's order. */
export function accountsOf(item: Item): ItemAccount[] {
  const keys = openKeys(item);
  return bankOf(item)
    .accounts.filter(({ key }) => keys.includes(key))
    .map((account) => ({ ...account, id: accountId(item.id, account.key) }));
}

/** @throws Error when the sandbox does not have the bank */
export function bankOf(item: Item): SandboxInstitution {
  const bank = institution(item.institutionId);
  if (bank === undefined) throw new Error(`the sandbox has no institution ${item.institutionId}`);
  return bank;
}

export function holderOf(institutionId: string, login: string): string {
  return `${institutionId}/${login}`;
}
