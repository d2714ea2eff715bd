const ROOT = 'https://www.googleapis.com/auth/';

/** Identifies the account; granted with every consent that requests it. */
export const OPENID = 'openid';
export const EMAIL = `${ROOT}userinfo.email`;
export const PROFILE = `${ROOT}userinfo.profile`;

/** OpenID Connect's short names, which the provider returns in its long form. */
const ALIASES = new Map([
  ['email', EMAIL],
  ['profile', PROFILE],
]);

/** Descriptions of the scopes on the consent page. */
const DESCRIPTIONS = new Map([
  [OPENID, 'Know which account this is'],
  [EMAIL, 'See the account’s mail address'],
  [PROFILE, 'See the name and the profile picture'],
  [`${ROOT}calendar.events.owned`, 'See and change events on calendars that this account owns'],
  [`${ROOT}gmail.send`, 'Send mail in your name'],
  [`${ROOT}gmail.modify`, 'Read, label, write and send mail'],
  [`${ROOT}documents`, 'Read and change documents'],
  [`${ROOT}docs`, 'Find and open documents in the drive'],
  [`${ROOT}drive`, 'Read, change and delete every file in the drive'],
  [`${ROOT}spreadsheets.readonly`, 'Read spreadsheets'],
  [`${ROOT}presentations.readonly`, 'Read presentations'],
]);

/**
 * Splits the `scope` parameter (RFC 6749, 3.3) into known scopes without duplicates.
 *
 * @returns undefined when it is empty or contains an unknown scope
 */
export function parseScopes(parameter: string): string[] | undefined {
  const names = parameter.split(' ').filter((name) => name !== '');
  const scopes = [...new Set(names.map((name) => ALIASES.get(name) ?? name))];
  return scopes.length > 0 && scopes.every((scope) => DESCRIPTIONS.has(scope)) ? scopes : undefined;
}

/** The description of a scope that {@link parseScopes} returned. */
export function describeScope(scope: string): string {
  return DESCRIPTIONS.get(scope) ?? scope;
}
