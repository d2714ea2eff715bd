import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { AccountAccess, TransactionChange } from './bank-transactions.ts';
import { generateWebhookKey, type WebhookKey } from './bank-webhook-sender.ts';
import type { Product } from './bank-world.ts';

/** A login at a bank that a user linked; the unit the aggregator bills. Times are milliseconds since 1970. */
export interface Item {
  id: string;
  /** SHA-256 of its access token; null until the public token is exchanged. */
  accessTokenHash: string | null;
  institutionId: string;
  login: string;
  access: AccountAccess[];
  products: Product[];
  /** What its user has agreed to; absent in state of an older sandbox = its products. */
  consented?: Product[];
  webhook: string | null;
  /** When the user's consent ends, once that has been announced; absent = never. */
  consentExpiresAt?: number;
  createdAt: number;
  status: 'good' | 'login_required' | 'removed';
  /** The first pull of transactions has been made, by the first call that asked for them. */
  transactionsReady: boolean;
  changes: TransactionChange[];
  /** What was shown of its transactions stays shown, also when the sandbox's clock is moved back. */
  shownUntil: number;
  /** Raised by a mutation: cursors from within an older loop are refused. */
  generation: number;
  /** The next fetch of a further page meets a mutation. */
  mutateNextPage: boolean;
}

interface PublicToken {
  hash: string;
  itemId: string;
  expiresAt: number;
}

/** One run of Link, bound to its link token. */
export interface LinkSession {
  tokenHash: string;
  createdAt: number;
  expiresAt: number;
  clientName: string;
  language: string;
  countryCodes: string[];
  products: Product[];
  /** Added where the bank has them; absent in state of an older sandbox. */
  ifSupported?: Product[];
  /** Agreed to and not added yet; absent in state of an older sandbox. */
  additional?: Product[];
  webhook: string | null;
  redirectUri: string | null;
  /** Update mode: the item to repair, and whether its accounts may be chosen anew. */
  update: { itemId: string; selectAccounts: boolean } | null;
  /** Chosen on the first page. */
  institutionId: string | null;
  returnTo: ReturnTarget;
  finished: boolean;
}

/** Where Link's outcome goes; both have been checked. */
export interface ReturnTarget {
  /** The browser is sent here. */
  redirectUri: string | null;
  /** Else the page that opened this one is told, if it is of this origin. */
  origin: string;
}

export interface BankState {
  webhookKey: WebhookKey;
  items: Item[];
  publicTokens: PublicToken[];
  links: LinkSession[];
}

/** The bank sandbox's state at a first start. */
export function seedBank(now: number): BankState {
  return { webhookKey: generateWebhookKey(now), items: [], publicTokens: [], links: [] };
}

export type TokenKind = 'link' | 'public' | 'access';

/** A new token in the aggregator's form; only its hash is kept. */
export function newToken(kind: TokenKind): string {
  return `${kind}-sandbox-${randomUUID()}`;
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** An id as the aggregator's look, for items. */
export function newId(): string {
  return randomBytes(28).toString('base64url').replaceAll(/[-_]/g, 'x');
}
