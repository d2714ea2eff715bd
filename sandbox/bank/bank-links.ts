import type { z } from 'zod';
import type { Controls } from '../controls.ts';
import type { Store } from '../store.ts';
import { bankOf, type Items, openKeys } from './bank-items.ts';
import type { requests } from './bank-requests.ts';
import { AggregatorError } from './bank-sandbox-errors.ts';
import { type BankState, hashToken, type Item, type LinkSession, newToken, type ReturnTarget } from './bank-state.ts';
import { INSTITUTIONS, institution, type Product, type SandboxInstitution, supports } from './bank-world.ts';

const LINK_TOKEN_MS = 4 * 3_600_000;
const UPDATE_TOKEN_MS = 30 * 60_000;
/** The person who logs in on the Link page: linking twice shows the same accounts. */
const LOGIN = 'user_good';

/** The result of a Link session. */
export interface LinkResult {
  outcome: 'linked' | 'updated' | 'cancelled';
  /** Of a new item only; update mode keeps the access token. */
  publicToken: string | null;
  institution: { institution_id: string; name: string } | null;
}

export interface LinksOptions {
  store: Store<BankState>;
  items: Items;
  controls: Controls;
  /** Origin of the service's own pages. */
  publicOrigin: string;
}

type LinkRequest = z.output<typeof requests.linkTokenCreate>;

/** Link sessions. A session is bound to its link token, is stored on the server, and ends once. */
export class Links {
  readonly #options: LinksOptions;

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  /**
   * Creates a link token: valid for four hours, or 30 minutes in update mode.
   *
   * @throws AggregatorError MISSING_FIELDS, INVALID_FIELD, or an error of the access token
   */
  create(request: LinkRequest): { token: string; session: LinkSession } {
    const { store, controls } = this.#options;
    const update = this.#updateOf(request);
    const now = controls.now();
    const token = newToken('link');
    const session: LinkSession = {
      tokenHash: hashToken(token),
      createdAt: now,
      expiresAt: now + (update === null ? LINK_TOKEN_MS : UPDATE_TOKEN_MS),
      clientName: request.client_name,
      language: request.language,
      countryCodes: request.country_codes,
      products: request.products ?? [],
      ifSupported: [...(request.required_if_supported_products ?? []), ...(request.optional_products ?? [])],
      additional: request.additional_consented_products ?? [],
      // In update mode, the item keeps its address (Plaid: Update mode).
      webhook: update === null ? (request.webhook ?? null) : null,
      redirectUri: request.redirect_uri ?? null,
      update,
      institutionId: null,
      returnTo: { redirectUri: null, origin: this.#options.publicOrigin },
      finished: false,
    };
    store.state.links = store.state.links.filter(({ expiresAt }) => expiresAt > now);
    store.state.links.push(session);
    store.save();
    return { token, session };
  }

  /** The session of a link token that has not expired, finished or not. */
  find(token: string): LinkSession | undefined {
    const { store, controls } = this.#options;
    const hash = hashToken(token);
    return store.state.links.find((session) => session.tokenHash === hash && session.expiresAt > controls.now());
  }

  /** The unfinished session of a link token. */
  open(token: string): LinkSession | undefined {
    const session = this.find(token);
    if (session === undefined || session.finished) return undefined;
    return session.update !== null && this.itemOf(session) === undefined ? undefined : session;
  }

  /** Update mode: the item to repair, if it exists. */
  itemOf(session: LinkSession): Item | undefined {
    const item = session.update === null ? undefined : this.#options.items.find(session.update.itemId);
    return item?.status === 'removed' ? undefined : item;
  }

  /** The bank of a session, once it is chosen. */
  bankOf(session: LinkSession): SandboxInstitution | undefined {
    const item = this.itemOf(session);
    if (item !== undefined) return bankOf(item);
    return session.institutionId === null ? undefined : institution(session.institutionId);
  }

  /** Banks that have every required product. */
  banksFor({ products }: LinkSession): SandboxInstitution[] {
    return INSTITUTIONS.filter((bank) => supports(bank, products));
  }

  returnTo(session: LinkSession, target: ReturnTarget): void {
    session.returnTo = target;
    this.#options.store.save();
  }

  /** Chooses the bank; null returns to the choice. */
  chooseBank(session: LinkSession, bank: SandboxInstitution | null): void {
    session.institutionId = bank?.id ?? null;
    this.#options.store.save();
  }

  cancel(session: LinkSession): LinkResult {
    return this.#finish(session, { outcome: 'cancelled', publicToken: null, institution: null });
  }

  /** Ends a session: creates an item and its public token, or repairs an item. */
  complete(session: LinkSession, bank: SandboxInstitution, accountKeys: readonly string[]): LinkResult {
    const { items } = this.#options;
    const shown = { institution_id: bank.id, name: bank.name };
    const item = this.itemOf(session);
    const where = (products: readonly Product[] = []) => products.filter((product) => bank.products.includes(product));
    const additional = where(session.additional);
    if (item !== undefined) {
      items.heal(item, session.update?.selectAccounts === true ? accountKeys : undefined, additional);
      return this.#finish(session, { outcome: 'updated', publicToken: null, institution: shown });
    }
    const products = [...session.products, ...where(session.ifSupported)];
    const { webhook } = session;
    const { publicToken } = items.create({ institutionId: bank.id, login: LOGIN, accountKeys, products, additional, webhook });
    return this.#finish(session, { outcome: 'linked', publicToken, institution: shown });
  }

  /** Keys of the accounts that are checked initially. */
  ticked(session: LinkSession, bank: SandboxInstitution): string[] {
    const item = this.itemOf(session);
    return item === undefined ? bank.accounts.map(({ key }) => key) : openKeys(item);
  }

  #finish(session: LinkSession, result: LinkResult): LinkResult {
    session.finished = true;
    this.#options.store.save();
    return result;
  }

  #updateOf(request: LinkRequest): LinkSession['update'] {
    assertNoOverlap(request);
    if (request.access_token === undefined || request.access_token === null) {
      if (request.products === undefined || request.products === null) {
        throw new AggregatorError('MISSING_FIELDS', 'the following required fields are missing: products');
      }
      if (request.products.length === 0) throw new AggregatorError('INVALID_FIELD', 'products: must name a product');
      return null;
    }
    if ((request.products ?? []).length > 0) throw new AggregatorError('INVALID_FIELD', 'products: must not be set in update mode');
    if (request.required_if_supported_products?.length || request.optional_products?.length) {
      throw new AggregatorError('INVALID_FIELD', 'required_if_supported_products and optional_products need products');
    }
    const item = this.#options.items.byAccessToken(request.access_token);
    return { itemId: item.id, selectAccounts: request.update?.account_selection_enabled === true };
  }
}

/** A product must be in one of the lists only (Plaid: /link/token/create). */
function assertNoOverlap(request: LinkRequest): void {
  const {
    products,
    required_if_supported_products: ifSupported,
    optional_products: optional,
    additional_consented_products: more,
  } = request;
  const named = [products, ifSupported, optional, more].flatMap((list) => [...new Set(list ?? [])]);
  const twice = named.find((product, index) => named.indexOf(product) !== index);
  if (twice !== undefined) throw new AggregatorError('INVALID_FIELD', `${twice} must be in one list of products only`);
}
