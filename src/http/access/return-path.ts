import { z } from 'zod';

/**
 * Where a sign-in may lead: pages of the service itself that answer GET, by their exact paths, so that no redirect leaves the
 * service or posts what was to be posted.
 */
export const returnPath = z
  .string()
  .regex(
    /^\/(?:console|signed-in|approvals(?:\/[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?|auth\/sources\/entry\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:oauth\/consent|notifications\/confirm)\/[\w-]{43})?$/,
    'must be a page of this service: /, /console, /signed-in, /approvals, /approvals/{id}, /auth/sources/entry/{id}, /oauth/consent/{id} or /notifications/confirm/{id}',
  )
  .meta({ examples: ['/approvals'] });

/** The sign-in for who wanted to open this address, or to post to it. What can't be opened has no way back. */
export function signInFor(path: string): string {
  return returnPath.safeParse(path).success ? `/sign-in?return_to=${encodeURIComponent(path)}` : '/sign-in';
}
