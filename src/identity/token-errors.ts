import { AppError } from '../errors.ts';

/**
 * The error for every token that is not valid, whose message does not tell the reason.
 *
 * @param reason for the log; must contain no part of a signed token
 */
export function invalidToken(reason: string): AppError {
  return new AppError('invalid_token', 'The ID token is not valid.', { cause: new Error(reason) });
}

export function tokenExpired(): AppError {
  return new AppError('token_expired', 'The ID token has expired.');
}

/**
 * @param retryAfter seconds
 * @param logged whether it was logged already, at a limited rate
 */
export function identityUnavailable(retryAfter: number, cause?: unknown, logged = false): AppError {
  const message = 'Sign-in cannot be checked at the moment. Please try again shortly.';
  return new AppError('unavailable', message, { retryAfter, cause, logged });
}
