import { AppError } from '../errors.ts';

/**
 * The one answer to every token that is not good: callers learn nothing about why.
 *
 * @param reason for the log; must hold no part of a signed token
 */
export function invalidToken(reason: string): AppError {
  return new AppError('invalid_token', 'The ID token is not valid.', { cause: new Error(reason) });
}

export function tokenExpired(): AppError {
  return new AppError('token_expired', 'The ID token has expired.');
}

/**
 * @param retryAfter seconds
 * @param told the log has been told already, at a pace of its own
 */
export function identityUnavailable(retryAfter: number, cause?: unknown, told?: 'told'): AppError {
  const message = 'Sign-in cannot be checked at the moment. Please try again shortly.';
  return new AppError('unavailable', message, { retryAfter, cause, told: told !== undefined });
}
