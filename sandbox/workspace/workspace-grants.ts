import { createHash, randomBytes } from 'node:crypto';
import type { Controls } from '../controls.ts';
import type { Store } from '../store.ts';
import { type Account, findAccount, seedAccounts } from '../workspace-accounts.ts';

/** A user's consent. */
export interface Consent {
  sub: string;
  scopes: string[];
  redirectUri: string;
  /** PKCE challenge, S256 (RFC 7636, 4.2). */
  challenge: string;
  nonce: string | undefined;
  /** Whether the exchange returns a refresh token. */
  offline: boolean;
}

export interface Token {
  kind: 'access' | 'refresh';
  sub: string;
  scopes: string[];
  /** Hash of its authorization code. */
  grant: string;
  /** Milliseconds since 1970; null: until it is revoked. */
  expiresAt: number | null;
}

interface Code extends Consent {
  expiresAt: number;
  used: boolean;
}

/** The emulated provider's data. Codes and tokens are stored as SHA-256 hashes only. */
export interface WorkspaceState {
  accounts: Account[];
  codes: Record<string, Code>;
  tokens: Record<string, Token>;
}

const CODE_LIFE_MS = 10 * 60_000;
/** Limit of refresh tokens per account and client, above which the provider revokes the oldest. */
const MAX_REFRESH_TOKENS = 100;

export function seedWorkspace(): WorkspaceState {
  return { accounts: seedAccounts(), codes: {}, tokens: {} };
}

/** Accounts, authorization codes and tokens of the emulated provider. Every change is stored before a call returns. */
export class Grants {
  readonly #store: Store<WorkspaceState>;
  readonly #controls: Controls;

  constructor(store: Store<WorkspaceState>, controls: Controls) {
    this.#store = store;
    this.#controls = controls;
  }

  get accounts(): readonly Account[] {
    return this.#store.state.accounts;
  }

  account(sub: string): Account | undefined {
    return this.#store.state.accounts.find((account) => account.sub === sub);
  }

  /** The account of a mail address. Every address has one. */
  accountOf(email: string): Account {
    const account = findAccount(this.#store.state.accounts, email);
    this.#store.save();
    return account;
  }

  /** Whether the account has a valid token: otherwise it never consented. */
  isConnected(sub: string): boolean {
    return this.#live().some((token) => token.sub === sub);
  }

  /** Stores a consent and returns its authorization code, which is valid once, for ten minutes. */
  issueCode(consent: Consent): string {
    const code = `4/${randomBytes(32).toString('base64url')}`;
    this.#store.state.codes[hash(code)] = { ...consent, expiresAt: this.#controls.now() + CODE_LIFE_MS, used: false };
    this.#save();
    return code;
  }

  /**
   * The consent of an authorization code that is valid. When a code is used again, its tokens are revoked (RFC 6749, 4.1.2).
   */
  consentOf(code: string): Consent | undefined {
    const id = hash(code);
    const found = this.#store.state.codes[id];
    if (found === undefined || found.expiresAt <= this.#controls.now()) return undefined;
    if (!found.used) return found;
    this.#drop((token) => token.grant === id);
    return undefined;
  }

  /** Invalidates an authorization code. @returns the id that its tokens have as `grant` */
  redeem(code: string): string {
    const id = hash(code);
    const found = this.#store.state.codes[id];
    if (found !== undefined) found.used = true;
    this.#save();
    return id;
  }

  /** Issues a token of the grant. @param lifeSeconds undefined: until it is revoked */
  issue(token: Omit<Token, 'expiresAt'>, lifeSeconds?: number): string {
    const value = `${token.kind === 'access' ? 'ya29.sandbox-' : '1//sandbox-'}${randomBytes(32).toString('base64url')}`;
    const expiresAt = lifeSeconds === undefined ? null : this.#controls.now() + lifeSeconds * 1_000;
    this.#store.state.tokens[hash(value)] = { ...token, expiresAt };
    if (token.kind === 'refresh') this.#dropOldestRefresh(token.sub);
    this.#save();
    return value;
  }

  /** A valid token by its value. */
  find(value: string): Token | undefined {
    const token = this.#store.state.tokens[hash(value)];
    return token !== undefined && this.#isLive(token) ? token : undefined;
  }

  /** Revokes one token, as strict rotation does. */
  discard(value: string): void {
    delete this.#store.state.tokens[hash(value)];
    this.#save();
  }

  /** Revokes every token and code of the account, as the provider does whichever token is revoked. */
  revoke(sub: string): void {
    for (const [id, code] of Object.entries(this.#store.state.codes)) {
      if (code.sub === sub) delete this.#store.state.codes[id];
    }
    this.#drop((token) => token.sub === sub);
  }

  /** The accounts, with the number of their valid tokens. */
  summary() {
    const live = this.#live();
    const count = (sub: string, kind: Token['kind']) => live.filter((token) => token.sub === sub && token.kind === kind).length;
    return this.accounts.map(({ email, sub }) => ({
      email,
      sub,
      access_tokens: count(sub, 'access'),
      refresh_tokens: count(sub, 'refresh'),
    }));
  }

  #live(): Token[] {
    return Object.values(this.#store.state.tokens).filter((token) => this.#isLive(token));
  }

  #isLive(token: Token): boolean {
    return token.expiresAt === null || token.expiresAt > this.#controls.now();
  }

  #dropOldestRefresh(sub: string): void {
    const tokens = this.#store.state.tokens;
    const ids = Object.keys(tokens).filter((id) => tokens[id]?.kind === 'refresh' && tokens[id].sub === sub);
    for (const id of ids.slice(0, -MAX_REFRESH_TOKENS)) delete tokens[id];
  }

  #drop(matches: (token: Token) => boolean): void {
    const { tokens } = this.#store.state;
    for (const [id, token] of Object.entries(tokens)) {
      if (matches(token)) delete tokens[id];
    }
    this.#save();
  }

  #save(): void {
    const { codes, tokens } = this.#store.state;
    for (const [id, code] of Object.entries(codes)) {
      if (code.expiresAt <= this.#controls.now()) delete codes[id];
    }
    for (const [id, token] of Object.entries(tokens)) {
      if (!this.#isLive(token)) delete tokens[id];
    }
    this.#store.save();
  }
}

function hash(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}
