import type { Clock } from '../../clock/clock.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../principal.ts';

const RECENT_SECONDS = 5 * 60;

/**
 * @param what is to be done: `to delete your account`
 * @throws AppError `recent_login_required` unless the user signed in within the last five minutes
 */
export function assertRecentSignIn(clock: Clock, { authTime }: Pick<Caller, 'authTime'>, what: string): void {
  const age = clock.now() / 1000 - (authTime ?? 0);
  if (age <= RECENT_SECONDS) return;
  throw new AppError('recent_login_required', `Sign in again ${what}: the last sign-in is over five minutes ago.`);
}
