import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { AccountAccess, TransactionChange } from './bank-transactions.ts';
import { generateWebhookKey, type WebhookKey } from './bank-webhook-sender.ts';
import type { Product } from './bank-world.ts';

/** Names of members that banks leave out, or send as null, although the API documents them. */
export interface OddRows {
  omit: string[];
  nulls: string[];
}

/** A linked login at a bank, the unit that the aggregator bills. Times are milliseconds since 1970. */
export interface Item {
  id: string;
  /** SHA-256 of its access token; null until the public token is exchanged. */
  accessTokenHash: string | null;
  institutionId: string;
  login: string;
  access: AccountAccess[];
  products: Product[];
  /** Products with consent; absent in data of an older sandbox: its products. */
  consented?: Product[];
  webhook: string | null;
  /** When the user's consent expires, once that was announced; absent: never. */
  consentExpiresAt?: number;
  createdAt: number;
  status: 'good' | 'login_required' | 'removed';
  /** Transactions have been fetched, by the first call that requested them. */
  transactionsReady: boolean;
  changes: TransactionChange[];
  /** Transactions until this time were returned and do not change, even if the sandbox's clock is set back. */
  shownUntil: number;
  /** Incremented by a mutation, which invalidates cursors of unfinished loops. */
  generation: number;
  /** The next request for a further page reports a mutation. */
  mutateNextPage: boolean;
  /** Every cursor reports a mutation, until a client starts from the beginning. */
  stuck?: boolean;
  /** What is odd about the first row of each list; absent: nothing. */
  odd?: OddRows;
}

interface PublicToken {
  hash: string;
  itemId: string;
  expiresAt: number;
}

/** A Link session, bound to its link token. */
export interface LinkSession {
  tokenHash: string;
  createdAt: number;
  expiresAt: number;
  clientName: string;
  language: string;
  countryCodes: string[];
  products: Product[];
  /** Added if the bank has them; absent in data of an older sandbox. */
  ifSupported?: Product[];
  /** Consented to, not added yet; absent in data of an older sandbox. */
  additional?: Product[];
  webhook: string | null;
  redirectUri: string | null;
  /** Update mode: the item to repair, and whether its accounts can be chosen again. */
  update: { itemId: string; selectAccounts: boolean } | null;
  /** Chosen on the first page. */
  institutionId: string | null;
  returnTo: ReturnTarget;
  finished: boolean;
}

/** Where Link sends its result; both are validated. */
export interface ReturnTarget {
  /** The browser is redirected here. */
  redirectUri: string | null;
  /** Otherwise, the page that opened this one receives the result if it is of this origin. */
  origin: string;
}

export interface BankState {
  webhookKey: WebhookKey;
  items: Item[];
  publicTokens: PublicToken[];
  links: LinkSession[];
}

/** The initial data of the bank sandbox. */
export function seedBank(now: number): BankState {
  return { webhookKey: generateWebhookKey(now), items: [], publicTokens: [], links: [] };
}

export type TokenKind = 'link' | 'public' | 'access';

/** A new token in the aggregator's format. Only its hash is stored. */
export function newToken(kind: TokenKind): string {
  return `${kind}-sandbox-${randomUUID()}`;
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** An item id in the aggregator's format. */
export function newId(): string {
  return randomBytes(28).toString('base64url').replaceAll(/[-_]/g, 'x');
}
