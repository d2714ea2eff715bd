import { isLoopback } from '../../config/config.ts';
import { resemblesOwnName } from '../../executor/taint/own-name.ts';
import { isObject } from '../../validation/is-object.ts';
import { UNVERIFIED } from './unreachable-documents.ts';

const MAX_REDIRECT_URIS = 20;
const MAX_URI = 2_000;
const MAX_NAME = 200;
/** Private-use schemes with a dot are reversed domains (RFC 8252, 7.1). These are without one, and of programs that use them. */
const PROGRAM_SCHEMES = new Set([
  'antigravity:',
  'code-oss:',
  'cursor:',
  'kiro:',
  'trae:',
  'vscode-insiders:',
  'vscode:',
  'vscodium:',
  'warp:',
  'windsurf:',
  'zed:',
]);
/** How clients prove at the endpoints for tokens who they are (RFC 7591, 2). */
export const AUTH_METHODS: readonly string[] = ['none', 'client_secret_basic', 'client_secret_post'];
const GRANT_TYPES = ['authorization_code', 'refresh_token'];

/** What is kept of a client's metadata (RFC 7591, 2). */
const KEPT = new Set([
  'client_id',
  'client_id_issued_at',
  'client_secret',
  'client_secret_expires_at',
  'client_name',
  'client_uri',
  'redirect_uris',
  'token_endpoint_auth_method',
  'id_token_signed_response_alg',
  // Of a client whose document could not be fetched: unreachable-documents.ts.
  'steward',
]);

/** What clients send in `client_uri` that leads to no page, but runs or shows what it contains, or is the user's own. */
const NO_PAGES = new Set(['javascript:', 'vbscript:', 'data:', 'blob:', 'file:', 'about:']);

/**
 * What a client registers or publishes, reduced to members that are used here. One that is null or empty, or a list of
 * nothing else, says as much as one that is left out: all are optional but the redirect URIs (RFC 7591, 2). The library would
 * reject these, and addresses that it does not take in members that have no effect.
 *
 * @param json what the client sent; if it is not a JSON object, or nested too deeply, it is returned as it is
 */
export function usedMetadata(json: string): string {
  try {
    const metadata: unknown = JSON.parse(json);
    if (!isObject(metadata)) return json;
    const used = Object.entries({ ...metadata, ...authMethod(metadata) }).filter(([name, value]) => isUsed(name, value));
    return JSON.stringify(Object.fromEntries(used));
  } catch {
    // Of what is nested deeply, JSON.parse makes a value that JSON.stringify has not the stack for. The library rejects both.
    return json;
  }
}

/**
 * Clients that can prove who they are in several ways state the one that they prefer, and all of them. One that can't be used
 * here gives way to the first that can (OpenID Connect Relying Party Metadata Choices 1.0, 2): what is published has no
 * secret.
 */
function authMethod(metadata: Record<string, unknown>): object {
  const { client_id: id, token_endpoint_auth_method: preferred, token_endpoint_auth_methods_supported: all } = metadata;
  const usable = publishedHost(String(id)) === undefined ? AUTH_METHODS : ['none'];
  if (typeof preferred !== 'string' || usable.includes(preferred) || !Array.isArray(all)) return {};
  const method = all.find((one) => usable.includes(one));
  return method === undefined ? {} : { token_endpoint_auth_method: method };
}

function isUsed(name: string, value: unknown): boolean {
  if (isBlank(value) || (name !== 'redirect_uris' && Array.isArray(value) && value.every(isBlank))) return false;
  if (name === 'client_uri') return !isOfAnApp(value);
  return KEPT.has(name) || name === 'grant_types';
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/** Whether an address opens a program: apps without a website give it as that, and nobody is led to it here. */
function isOfAnApp(address: unknown): boolean {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  return url !== null && url.protocol !== 'https:' && url.protocol !== 'http:' && !NO_PAGES.has(url.protocol);
}

/**
 * Reduces the metadata of a client, registered or published, to what is used here, before the library validates it. Of
 * values that the server does not support it takes what it does, as RFC 7591, 2 permits: editors register the device
 * grant and scopes of their own.
 *
 * @returns why the metadata is rejected, beginning with the field's name
 */
export function reduceMetadata(metadata: Record<string, unknown>): string | undefined {
  const { grant_types: grantTypes } = metadata;
  for (const name of Object.keys(metadata)) if (!KEPT.has(name)) delete metadata[name];
  // Only the service itself says this of a client.
  if (metadata.steward !== UNVERIFIED) delete metadata.steward;
  const requested = Array.isArray(grantTypes) ? GRANT_TYPES.filter((type) => grantTypes.includes(type)) : GRANT_TYPES;
  metadata.grant_types = ['authorization_code', ...requested.filter((type) => type !== 'authorization_code')];
  metadata.response_types = ['code'];
  // Of native applications, the library compares loopback addresses without their port (RFC 8252, 7.3).
  metadata.application_type = 'native';
  metadata.id_token_signed_response_alg = 'ES256';
  // What is published can't contain a secret, so that the default method is meant for registered clients only.
  const isDefault = metadata.token_endpoint_auth_method === 'client_secret_basic';
  if (isDefault && publishedHost(String(metadata.client_id)) !== undefined) metadata.token_endpoint_auth_method = 'none';
  return problemOf(metadata);
}

function problemOf({ client_name: name, redirect_uris: uris }: Record<string, unknown>): string | undefined {
  if (typeof name === 'string' && name.length > MAX_NAME) return `client_name must have at most ${MAX_NAME} characters`;
  // NUL can't be stored in the name of a grant; none of these has a meaning in a name, and some reverse its letters.
  if (typeof name === 'string' && /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name)) return 'client_name must have no control characters';
  if (typeof name === 'string' && resemblesOwnName(name)) return 'client_name must not be, or look like, the name of this service';
  if (!Array.isArray(uris) || uris.length === 0) return 'redirect_uris must contain members';
  if (uris.length > MAX_REDIRECT_URIS) return `redirect_uris must have at most ${MAX_REDIRECT_URIS} members`;
  if (!uris.every(isRedirectUri)) {
    return 'redirect_uris must be https addresses, http addresses of loopback, or private-use schemes with a dot, without fragment and credentials';
  }
  return undefined;
}

function isRedirectUri(uri: unknown): uri is string {
  // Without spaces, control characters and backslashes, which browsers would rewrite.
  if (typeof uri !== 'string' || uri.length > MAX_URI || !/^[\x21-\x5b\x5d-\x7e]+$/.test(uri)) return false;
  const url = URL.parse(uri);
  if (url === null || uri.includes('#') || url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?]*@/.test(uri)) return false;
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  // The name is shown to the user; others are of no host.
  if (isWeb && !/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname)) return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return isLoopback(url.hostname);
  return PROGRAM_SCHEMES.has(url.protocol) || /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(url.protocol);
}

/** Where a redirect leads, for the user: its host, or the scheme of a program. */
export interface RedirectTarget {
  name: string;
  /** A program on the user's own computer: any program there may get the access. */
  isLocal: boolean;
}

/** @param uri a redirect URI that is registered */
export function redirectTarget(uri: string): RedirectTarget {
  const url = new URL(uri);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { name: url.protocol, isLocal: true };
  return { name: url.host, isLocal: isLoopback(url.hostname) };
}

/** The host of a client id that is a URL, at which the client has published its metadata; undefined: it registered itself. */
export function publishedHost(clientId: string): string | undefined {
  const url = /^https:\/\//i.test(clientId) ? URL.parse(clientId) : null;
  return url?.host;
}
