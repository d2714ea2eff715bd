import { AppError } from '../../errors.ts';

/** The error of a call whose subject isn't as the user was shown it. */
export function changedMeanwhile(field: string): AppError {
  return new AppError('conflict', `${field}: has changed since it was shown. Call again.`);
}

/** Compares what a run has read with what was checked before it, as {@link assertAsShown} does. @throws AppError `conflict` */
export function assertUnchanged(shown: string | undefined, field: string, now: string | undefined): void {
  if (shown !== undefined && now !== shown) throw changedMeanwhile(field);
}

/**
 * Compares what a run is about to change with what was checked before it. To be called as the last thing before the change
 * where the provider takes no condition with it, as Drive (API v3 has no `If-Match`): what happens between the two requests
 * isn't noticed.
 *
 * @param shown the run's version; undefined: nothing was checked
 * @param now reads the version; not called if nothing was checked
 * @throws AppError `conflict` when they differ
 */
export async function assertAsShown(shown: string | undefined, field: string, now: () => Promise<string | undefined>): Promise<void> {
  if (shown !== undefined) assertUnchanged(shown, field, await now());
}
