import type { IncomingMessage } from 'node:http';
import { SESSION_COOKIE } from '../http/access/first-party.ts';
import { Cookies } from '../http/pages/cookies.ts';

/**
 * Reads the secret of a session from a WebSocket's upgrade. Browsers send the cookie with those of other origins of the site,
 * too, and always name the origin of the page.
 */
export function sessionCookie(publicUrl: string): (upgrade: IncomingMessage) => string | undefined {
  const cookies = new Cookies(publicUrl);
  const { origin } = new URL(publicUrl);
  return (upgrade) => (upgrade.headers.origin === origin ? cookies.read(upgrade, SESSION_COOKIE) : undefined);
}
