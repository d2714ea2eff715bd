import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { CLOCK_SKEW, type Identity } from './identity.ts';

/** When the user has to sign in anew: as recently as what needs a recent sign-in asks (OIDC Core 3.1.2.1, `max_age`). */
export const ANEW_SECONDS = 300;

/**
 * With `max_age`, an issuer has to say when the user signed in (OIDC Core 3.1.2.1); not all of them follow it. A page of the
 * operator may post the token of an earlier sign-in.
 *
 * @throws AppError `provider_error` unless the user has just signed in
 */
export function assertAnew(clock: Clock, { authTime }: Pick<Identity, 'authTime'>): void {
  const earliest = clock.now() / 1000 - ANEW_SECONDS - CLOCK_SKEW;
  if (authTime !== undefined && authTime >= earliest) return;
  throw new AppError('provider_error', 'The identity provider did not ask you to sign in again, or does not say when you did.');
}
