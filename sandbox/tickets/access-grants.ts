import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Controls } from '../controls.ts';
import type { Store } from '../store.ts';
import type { AccessGrant, AccessState, StoredToken } from './access-state.ts';

/** Above it, the oldest end. */
const MOST_GRANTS = 5_000;

/** Who allowed which client what, and the tokens of that. Every change is stored before a call returns. */
export class AccessGrants {
  readonly #store: Store<AccessState>;
  readonly #controls: Controls;

  constructor(store: Store<AccessState>, controls: Controls) {
    this.#store = store;
    this.#controls = controls;
  }

  /** Stores a grant. @returns its id */
  open(grant: AccessGrant): string {
    const id = randomUUID();
    const { grants } = this.#store.state;
    grants[id] = grant;
    for (const oldest of Object.keys(grants).slice(0, -MOST_GRANTS)) this.end(oldest);
    this.#save();
    return id;
  }

  issue(kind: StoredToken['kind'], grant: string, lifeSeconds: number): string {
    const value = `${kind === 'access' ? 'tka' : 'tkr'}_${randomBytes(32).toString('base64url')}`;
    const expiresAt = this.#controls.now() + lifeSeconds * 1_000;
    this.#store.state.tokens[hash(value)] = { kind, grant, expiresAt, spent: false };
    this.#save();
    return value;
  }

  /** The grant of an access token that is valid. */
  ofAccess(value: string): AccessGrant | undefined {
    const token = this.#store.state.tokens[hash(value)];
    return token?.kind === 'access' && this.#isLive(token) ? this.#store.state.grants[token.grant] : undefined;
  }

  /**
   * Uses a refresh token, once: its second use ends the grant, because one of both was not its owner (RFC 9700, 4.14.2).
   *
   * @returns the grant with its id; undefined where the token is not valid for this client
   */
  spend(value: string, clientId: string): (AccessGrant & { id: string }) | undefined {
    const token = this.#store.state.tokens[hash(value)];
    const grant = token === undefined ? undefined : this.#store.state.grants[token.grant];
    if (token?.kind !== 'refresh' || !this.#isLive(token) || grant?.clientId !== clientId) return undefined;
    if (token.spent) {
      this.end(token.grant);
      return undefined;
    }
    token.spent = true;
    this.#save();
    return { ...grant, id: token.grant };
  }

  /** Revokes an access token, or with a refresh token all of its grant (RFC 7009, 2.1). Others' tokens stay. */
  revoke(value: string, clientId: string): void {
    const id = hash(value);
    const token = this.#store.state.tokens[id];
    if (token === undefined || this.#store.state.grants[token.grant]?.clientId !== clientId) return;
    if (token.kind === 'refresh') this.end(token.grant);
    else delete this.#store.state.tokens[id];
    this.#save();
  }

  /** Ends a grant with its tokens. */
  end(grant: string): void {
    delete this.#store.state.grants[grant];
    this.#save();
  }

  /** Lets tokens expire now. */
  expire(kinds: readonly StoredToken['kind'][]): void {
    for (const token of Object.values(this.#store.state.tokens)) {
      if (kinds.includes(token.kind)) token.expiresAt = this.#controls.now();
    }
    this.#save();
  }

  /** How many tokens are valid, by user; none of their values. */
  summary(): { user: string; access_tokens: number; refresh_tokens: number }[] {
    const live = Object.values(this.#store.state.tokens).filter((token) => this.#isLive(token) && !token.spent);
    const users = Map.groupBy(live, ({ grant }) => this.#store.state.grants[grant]?.user ?? '');
    const count = (tokens: readonly StoredToken[], kind: StoredToken['kind']) => tokens.filter((token) => token.kind === kind).length;
    return [...users].map(([user, tokens]) => {
      return { user, access_tokens: count(tokens, 'access'), refresh_tokens: count(tokens, 'refresh') };
    });
  }

  #isLive({ expiresAt, grant }: StoredToken): boolean {
    return expiresAt > this.#controls.now() && this.#store.state.grants[grant] !== undefined;
  }

  #save(): void {
    const { tokens } = this.#store.state;
    for (const [id, token] of Object.entries(tokens)) if (!this.#isLive(token)) delete tokens[id];
    this.#store.save();
  }
}

function hash(value: string): string {
  return createHash('sha256').update(value).digest('base64url');
}
