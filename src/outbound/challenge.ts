/** What a server says in refusing a request (RFC 6750, 3; RFC 9728, 5.1). */
export interface Challenge {
  /** Address of its protected resource metadata. */
  metadataUrl: string | undefined;
  /** Scopes that the request needs, separated by spaces. */
  scope: string | undefined;
  /** The token is valid, but covers less than that. */
  isScopeMissing: boolean;
}

/** Parameters (RFC 9110, 11.2). */
const METADATA = /[\s,]resource_metadata="([^"]*)"/i;
const SCOPE = /[\s,]scope="([^"]*)"/i;
const SCOPE_MISSING = /[\s,]error="?insufficient_scope\b/i;

/** @param header value of `WWW-Authenticate`; null: there is none */
export function readChallenge(header: string | null): Challenge {
  const text = header ?? '';
  return {
    metadataUrl: METADATA.exec(text)?.[1],
    scope: SCOPE.exec(text)?.[1]?.trim() || undefined,
    isScopeMissing: SCOPE_MISSING.test(text),
  };
}
