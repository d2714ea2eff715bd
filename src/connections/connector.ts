import type { Clock } from '../clock/clock.ts';
import type { Database, Queryable } from '../database/database.ts';
import type { RecordEvent } from '../events/events.ts';
import type { Logger } from '../observability/logger.ts';
import type { Provider } from '../providers/shared/provider.ts';
import type { Grants } from '../vault/grants/grants.ts';
import type { OrphanedTokenRevoker } from '../vault/grants/orphaned-tokens.ts';
import type { Revocations } from '../vault/grants/revocations.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import type { FlowError } from './flow-errors.ts';
import type { FlowName, FlowRow } from './flows-repository.ts';
import type { RedirectUris } from './redirect-uri.ts';

/** The secrets of a flow until its callback; stored encrypted with the user's key. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  verifier: string;
  /** What its connector has found out before the user is led away, as JSON. */
  prepared?: unknown;
}

/** Tokens that a provider issued; revoked if they are not stored. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string | undefined;
}

export interface GrantedTokens extends IssuedTokens {
  scopes: string[];
  /** When the access token expires; null: never. */
  expiresAt: Date | null;
}

/** An account at a provider. */
export interface Profile {
  /** The provider's id of it. */
  subject: string;
}

/** What the provider granted in a flow, before it is stored. */
export interface Granted<Account extends Profile = Profile> {
  tokens: GrantedTokens;
  profile: Account;
}

/** The result of an exchange. */
export type Exchanged<Account extends Profile> =
  | {
      granted: Granted<Account>;
      /** What the confirmation page calls the account. */
      account: string;
      /** It is another account than the requested one. */
      mismatch: boolean;
    }
  /** Not to be stored; its tokens are revoked. */
  | { refused: FlowError; tokens: IssuedTokens; subject: string | undefined };

/** What an exchange tells before it has ended. */
export interface ExchangeProgress {
  /** Receives the tokens as soon as they arrive, before any check, even after the wait has ended. */
  issued(tokens: IssuedTokens): void;
  /** Receives the request, which goes on after the wait has ended. */
  sent(response: Promise<unknown>): void;
  /** Whose tokens they are, once that is known. */
  identified(subject: string | undefined): void;
}

/** An authorization response (RFC 6749, 4.1.2; `iss` by RFC 9207). */
export interface AuthorizationResponse {
  code: string;
  iss: string | undefined;
}

/** Where an authorization response comes from. */
export interface ResponseOrigin {
  iss?: string | undefined;
  /** Of the redirect URI to which it came (RFC 9700, 4.4.2.2). */
  source?: string | undefined;
}

/** What a granted account was stored as. */
export interface StoredAccount {
  id: string;
  missingScopes: string[];
}

/** Everything in which connecting an account differs between providers. */
export interface Connector<Account extends Profile = Profile> {
  provider: Provider;
  /** Path that the confirmation page posts to. */
  confirmPath: string;
  /** A deadline for all requests of one step. */
  deadline(): AbortSignal;
  /** Where the user of an open flow is led: the provider's consent page, or one of the service's own. */
  address(flow: Pick<FlowRow, 'id' | 'email'>, secrets: FlowSecrets): string | Promise<string>;
  /** Whether a response is of the flow's issuer (RFC 9207), and came to its redirect URI. If not, nothing of it is used. */
  isOfFlow(response: ResponseOrigin, secrets: () => Promise<FlowSecrets>): boolean | Promise<boolean>;
  /** Exchanges an authorization code. @throws AppError `provider_error`, `provider_timeout` */
  exchange(
    flow: FlowRow,
    secrets: FlowSecrets,
    response: AuthorizationResponse,
    signal: AbortSignal,
    progress: ExchangeProgress,
  ): Promise<Exchanged<Account>>;
  /** Whose tokens these are, from the provider: also whether they are valid. @throws AppError when they are not, or that is unknown */
  subjectOf(flow: FlowName, tokens: IssuedTokens): Promise<string>;
  /** Caches what {@link store} needs, so that its transaction does not wait for a key service. */
  warm(userId: string, profile: Account): Promise<unknown>;
  /**
   * Stores grant and account, and records their events.
   *
   * @throws FlowRejection when the account can't be connected any more
   */
  store(tx: Queryable, flow: FlowName, granted: Granted<Account>): Promise<StoredAccount>;
}

/** A granted account is not stored, for this reason; its tokens are revoked. */
export class FlowRejection extends Error {
  readonly code: FlowError;

  constructor(code: FlowError) {
    super(code);
    this.code = code;
  }
}

/** What the flows of a provider depend on. */
export interface FlowDeps {
  db: Database;
  clock: Clock;
  connector: Connector;
  userKeys: UserKeys;
  grants: Grants;
  revocations: Revocations;
  orphanedTokens: OrphanedTokenRevoker;
  redirectUris: RedirectUris;
  emit: RecordEvent;
  logger: Logger;
}
