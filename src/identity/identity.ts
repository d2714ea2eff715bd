import type { Agent } from 'node:https';
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';

/** Seconds that the issuer's clock may be ahead of ours. */
export const CLOCK_SKEW = 60;

/** The user that a verified ID token identifies. */
export interface Identity {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  /** `auth_time`: when the user signed in, seconds since 1970. */
  authTime: number | undefined;
  /** `iat`, seconds since 1970. */
  issuedAt: number;
  /** `exp`, seconds since 1970. */
  expiresAt: number;
}

/**
 * Verifies an ID token in compact serialization.
 *
 * @throws AppError `invalid_token`, `token_expired`, or `unavailable` (with `retryAfter`) where its validity cannot be determined
 */
export type VerifyIdToken = (token: string) => Promise<Identity>;

/** What an access token permits, and whom. */
export interface AccessToken {
  issuer: string;
  subject: string;
  clientId: string;
  scopes: readonly string[];
  /** `auth_time`, seconds since 1970. */
  authTime: number | undefined;
  /** `iat` and `exp`, seconds since 1970. */
  issuedAt: number;
  expiresAt: number;
}

/**
 * Verifies an access token that is a JWT.
 *
 * @throws AppError `invalid_token`, `token_expired`, `unavailable`
 */
export type VerifyAccessToken = (token: string) => Promise<AccessToken>;

export interface VerifierContext {
  logger: Logger;
  telemetry: Telemetry;
  clock: Clock;
  /** Makes the connections to https hosts, with other trust or another route; Node's own agent where undefined. */
  httpAgent: Agent | undefined;
  /** Milliseconds: of one refresh of the signing keys, and of one request to the provider about a user. */
  timeouts: { keys: number; lookUp: number };
  /** Longest that signing keys are used without fetching them again while their issuer is available, milliseconds. */
  keysMaxAge: number;
}

/** {@link VerifierContext} before its defaults are filled in. */
export type VerifierOptions = Pick<VerifierContext, 'clock' | 'logger'> & Partial<VerifierContext>;
