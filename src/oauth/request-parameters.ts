import { SCOPES } from './protocol.ts';

/** Parameters of an authorization request that have a meaning here, or that the library has to reject. */
const AUTHORIZATION_PARAMETERS = new Set([
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'redirect_uri',
  'request',
  'request_uri',
  'resource',
  'response_mode',
  'response_type',
  'scope',
  'state',
]);
/** An http address in the characters of a URI (RFC 3986, 2). The URL parser also takes others, which it drops or rewrites. */
const HTTP_URI = /^https?:\/\/[\w.~:/?#[\]@!$&'()*+,;=%-]+$/i;

type Query = Record<string, string | string[] | undefined>;

/**
 * An authorization request without what the server ignores, as RFC 6749, 3.1 requires, but the library rejects: `nonce`,
 * `max_age`, unknown prompts and scopes.
 *
 * @param resource the one that tokens are for
 */
export function usefulParameters(query: Query, resource: string): Query {
  const { response_mode: mode, ...kept } = Object.fromEntries(Object.entries(query).filter(([name]) => AUTHORIZATION_PARAMETERS.has(name)));
  // The user is always asked.
  if (!`${kept.prompt}`.split(' ').includes('none')) delete kept.prompt;
  // The library would send errors in the mode that it rejects, and a form that posts itself needs a script.
  if (mode !== undefined && mode !== '') kept.response_mode = mode === 'query' ? mode : 'unsupported';
  // It rejects a scope that is sent twice.
  if (!Array.isArray(kept.scope)) kept.scope = knownScope(kept.scope);
  kept.resource = sameResources([kept.resource ?? []].flat(), resource);
  return kept;
}

/**
 * What a request's scope comes to (RFC 6749, 3.3): permission to write includes reading, and others are ignored. A client
 * that names none of both asks for both: clients add scopes out of habit, or those of other servers.
 */
function knownScope(scope = ''): string {
  const requested = scope.split(/\s/);
  return requested.includes('read') && !requested.includes('write') ? 'read' : SCOPES.join(' ');
}

/**
 * The values of the parameter `resource` (RFC 8707, 2), of which each that is the server's own is spelled as the server
 * spells it, and none is twice or empty (RFC 6749, 3.1).
 */
export function sameResources(values: readonly string[], own: string): string[] {
  const comparable = comparableUri(own);
  const spelled = values.filter((value) => value !== '').map((value) => (comparableUri(value) === comparable ? own : value));
  return [...new Set(spelled)];
}

/**
 * A URI after the normalization of RFC 3986, 6.2.2 and 6.2.3: case of scheme and host, default port, encoded letters and
 * digits, segments of dots. What is no http address stays as it is.
 */
function comparableUri(uri: string): string {
  const { href } = (HTTP_URI.test(uri) && URL.parse(uri)) || { href: uri };
  return href.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
}
