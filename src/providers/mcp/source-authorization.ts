import type { Renewal } from '../shared/provider.ts';
import type { IssuedTokens } from './credentials.ts';
import type { SourceSettings } from './source-settings.ts';

/** This service as a client of an authorization server. */
export interface SourceClient {
  clientId: string;
  clientSecret?: string | undefined;
  /** How it proves who it is at the token endpoint (RFC 7591, 2). */
  authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  /** Of a registration: the redirect URI that it was made with. */
  redirectUri?: string | undefined;
  /** When the secret of a registration expires, seconds since 1970; undefined: never. */
  secretExpiresAt?: number | undefined;
  /** Of a registration: the token endpoint that its secret is for. */
  tokenEndpoint?: string | undefined;
  /** Of a registration: the scopes that were requested with it, separated by spaces. */
  scope?: string | undefined;
  /** Registrations before it, which connections were made with; the newest first. */
  earlier?: readonly SourceClient[] | undefined;
  /** The operator chose the id; only the issuer is kept here, so that the secret goes to no other one. */
  isConfigured?: true;
}

/** Beyond it, the oldest are forgotten, and their connections have to be made again. */
const MOST_EARLIER = 20;

/** A client that takes the place of the one that is kept. */
export function withEarlier(client: SourceClient, kept: SourceClient | undefined): SourceClient {
  const { earlier: before = [], ...replaced } = kept ?? { clientId: client.clientId };
  const others = [replaced as SourceClient, ...before].filter(({ clientId }) => clientId !== client.clientId);
  return others.length === 0 ? client : { ...client, earlier: others.slice(0, MOST_EARLIER) };
}

/** Where this service's clients at authorization servers are kept: they belong to the service, not to a user. */
export interface SourceClients {
  /** What is kept of a source, by issuer. */
  load(source: string): Promise<ReadonlyMap<string, SourceClient>>;
  /** Puts a client in the place of what is kept of a source at an issuer, which becomes an earlier one ({@link withEarlier}). */
  save(source: string, issuer: string, client: SourceClient): Promise<void>;
  /** The settings of a source; undefined: the file has none of this name any more. */
  settings(source: string): SourceSettings | undefined;
}

/** What a flow has found out before its user is led away; kept sealed with its state and verifier until the callback. JSON. */
export interface AuthorizationRequest {
  source: string;
  /** The server's address. */
  url: string;
  /** Of validated metadata (RFC 8414, 3.3). */
  issuer: string;
  /** Whether an answer without `iss` is refused (RFC 9207, 2.4). */
  announcesIss: boolean;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  revocationEndpoint?: string | undefined;
  clientId: string;
  clientAuth: SourceClient['authMethod'];
  redirectUri: string;
  /** RFC 8707. */
  resource: string;
  /** Requested scopes, separated by spaces; empty: none are named. */
  scope: string;
}

/** The authorization server's answer, as the browser brings it. */
export interface AuthorizationAnswer {
  code: string;
  iss: string | undefined;
  /** The verifier of the challenge (RFC 7636). */
  verifier: string;
}

export interface SourceTokens extends IssuedTokens {
  scopes: string[];
  /** When the access token expires; null: it can't be renewed, and is used until it is refused. */
  expiresAt: Date | null;
  /** `sub` of an ID token; undefined: there was none. */
  subject: string | undefined;
  /** Who the user is there, as an ID token says: for a label only. */
  hint: string | undefined;
}

export interface ExchangeHooks {
  /** Receives the tokens as soon as they arrive, before any check, even after the wait has ended. */
  issued(tokens: IssuedTokens): void;
  /** Receives the request, which goes on after the wait has ended. */
  sent(response: Promise<unknown>): void;
}

/** Connecting to a source by OAuth (MCP, Authorization, 2026-07-28; RFC 9728, RFC 8414, RFC 8707, RFC 9207). */
export interface SourceAuthorization {
  /**
   * Finds the authorization server of a source, and registers this service there if needed.
   *
   * @param also scopes to request beside those that the server names; of an account that is connected again
   * @throws AppError `not_configured` when the operator has to do something, `provider_error`, `provider_timeout`
   */
  prepare(source: SourceSettings, also?: readonly string[]): Promise<AuthorizationRequest>;
  /** The address that the user's browser is led to. @param challenge S256 (RFC 7636) */
  authorizationUrl(request: AuthorizationRequest, values: { state: string; challenge: string }): string;
  /** Whether an answer is of the request's issuer (RFC 9207); if not, nothing of it may be used or shown. */
  isOfIssuer(request: AuthorizationRequest, iss: string | undefined): boolean;
  /**
   * Exchanges an authorization code.
   *
   * @param signal ends the wait; a response that arrives later is still read for its tokens
   * @throws AppError `provider_error`, `provider_timeout`
   */
  exchange(request: AuthorizationRequest, answer: AuthorizationAnswer, signal: AbortSignal, hooks: ExchangeHooks): Promise<SourceTokens>;
  /** Of the provider's descriptor: for the vault. */
  refresh(refreshToken: string): Promise<Renewal>;
  /** Of the provider's descriptor: for the vault. Resolves where the server has no endpoint for it. */
  revoke(token: string): Promise<void>;
}
