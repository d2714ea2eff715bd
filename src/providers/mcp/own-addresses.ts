/** Also for the pages of other origins. */
export const CLIENT_DOCUMENT_PATH = '/oauth/client.json';

/**
 * Where an authorization server sends its answer. One that doesn't name itself in it (RFC 9207) gets an address of its source's
 * own: the answer of another one then comes to another address, and is not taken for its (RFC 9700, 4.4.2.2).
 *
 * @param source undefined: the address that all others have in common
 */
export function redirectUriOf(publicUrl: string, source: string | undefined): string {
  // A path: servers in use append `?code=` to whatever they were given.
  return `${publicUrl}/auth/sources/callback${source === undefined ? '' : `/${source}`}`;
}
