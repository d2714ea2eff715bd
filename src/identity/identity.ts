import type { Agent } from 'node:https';
import type { Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';

/** What a verified ID token says about its user. */
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
 * Verifies an ID token in compact form.
 *
 * @throws AppError `invalid_token`, `token_expired`, or `unavailable` (with `retryAfter`) where nothing can be said about the token
 */
export type VerifyIdToken = (token: string) => Promise<Identity>;

export interface VerifierOptions {
  logger: Logger;
  telemetry?: Telemetry;
  /** The clock, milliseconds since 1970; Date.now unless given. */
  now?: () => number;
  /** Makes the connections to https hosts, with other trust or another way out; Node's own agent unless given. */
  httpAgent?: Agent;
  timeouts?: Timeouts;
  /** Longest that signing keys are used without asking their issuer again, milliseconds; a day unless given. */
  keysMaxAge?: number;
}

/** Milliseconds. */
export interface Timeouts {
  /** One whole refresh of the signing keys. */
  keys: number;
  /** One verification that asks the provider about the user. */
  lookUp: number;
}

/** {@link VerifierOptions} with every default filled in. */
export interface VerifierContext {
  logger: Logger;
  telemetry: Telemetry;
  now: () => number;
  httpAgent: Agent | undefined;
  timeouts: Timeouts;
  keysMaxAge: number;
}
