/** What a server says in refusing a request (RFC 6750, 3; RFC 9728, 5.1). */
export interface Challenge {
  /** Address of its protected resource metadata. */
  metadataUrl: string | undefined;
  /** Scopes that the request needs, separated by spaces. */
  scope: string | undefined;
  /** The token is valid, but covers less than that. */
  isScopeMissing: boolean;
}

/** A parameter (RFC 9110, 11.2). Its value is a quoted string or, also where it may not be, a word. */
const PARAMETER = /(?<![\w!#$%&'*+.^`|~-])([\w!#$%&'*+.^`|~-]{1,64})\s{0,8}=\s{0,8}(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;

/** @param header value of `WWW-Authenticate`, with the challenges of all schemes; null: there is none */
export function readChallenge(header: string | null): Challenge {
  const found = new Map<string, string>();
  for (const [, name = '', quoted, word = ''] of (header ?? '').matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted?.replace(/\\(.)/g, '$1') ?? word);
  }
  return {
    metadataUrl: found.get('resource_metadata'),
    scope: found.get('scope')?.trim() || undefined,
    isScopeMissing: found.get('error') === 'insufficient_scope',
  };
}
