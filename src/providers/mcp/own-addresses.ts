/** Also for the pages of other origins. */
export const CLIENT_DOCUMENT_PATH = '/oauth/client.json';

/**
 * Where an authorization server sends its answer. One that doesn't name itself in it (RFC 9207) gets an address of its source's
 * own: the answer of another one then comes to another address, and is not taken for its (RFC 9700, 4.4.2.2).
 *
 * @param source undefined: the address that all others have in common
 */
export function redirectUriOf(publicUrl: string, source: string | undefined): string {
  return `${publicUrl}/auth/sources/callback${queryOf(source)}`;
}

/** The client id metadata document with that redirect URI. */
export function clientDocumentUrl(publicUrl: string, source: string | undefined): string {
  return `${publicUrl}${CLIENT_DOCUMENT_PATH}${queryOf(source)}`;
}

function queryOf(source: string | undefined): string {
  return source === undefined ? '' : `?source=${source}`;
}
