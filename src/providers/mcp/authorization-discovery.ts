import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { type Challenge, readChallenge } from '../../outbound/challenge.ts';
import { type AuthorizationHttp, getJson, postJson } from './authorization-http.ts';
import type { SourceSettings } from './source-settings.ts';

const address = z.string().max(2_048);
const words = z.array(z.string().max(500)).max(1_000);

/** RFC 9728, 2. */
const resourceMetadata = z.object({
  resource: address,
  authorization_servers: z.array(address).min(1).max(20),
  scopes_supported: words.nullish(),
});

/** RFC 8414, 2, and OpenID Connect Discovery, 3; what is not used is not checked. */
const serverMetadata = z.object({
  issuer: address,
  authorization_endpoint: address,
  token_endpoint: address,
  registration_endpoint: address.nullish(),
  revocation_endpoint: address.nullish(),
  scopes_supported: words.nullish(),
  response_types_supported: words.nullish(),
  token_endpoint_auth_methods_supported: words.nullish(),
  code_challenge_methods_supported: words.nullish(),
  client_id_metadata_document_supported: z.unknown().optional(),
  authorization_response_iss_parameter_supported: z.unknown().optional(),
});
export type ServerMetadata = z.output<typeof serverMetadata>;

export interface Discovered {
  server: ServerMetadata;
  /** What tokens are requested for (RFC 8707). */
  resource: string;
  /** Requested scopes, separated by spaces. */
  scope: string;
}

/** Of those that a server names: each that doesn't answer takes its time. */
const MOST_ISSUERS = 3;

/** Some servers greet everybody, and ask for a token only when their tools are. */
const FIRST_CALLS = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'steward', version: '1.0.0' } },
  },
  { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
];

/**
 * Finds the authorization server of a source, and what to request there.
 *
 * The official client has functions for this. They are not used: they go on without PKCE where a server doesn't announce it, take
 * any failure for a server without metadata, and put answers into their errors.
 *
 * @param also scopes to request beside those that the server names; of an account that is connected again
 * @throws AppError `provider_error`, `provider_timeout`, `forbidden`
 */
export async function discover(
  http: AuthorizationHttp,
  source: SourceSettings,
  signal: AbortSignal,
  also: readonly string[] = [],
): Promise<Discovered> {
  const challenge = await firstCall(http, source, signal);
  const metadata = await findResourceMetadata(http, source, challenge.metadataUrl, signal);
  // Before 2025-06-18, a server was its own authorization server, at the root of its host.
  const issuers = metadata?.authorization_servers ?? [new URL(source.url).origin];
  const server = await firstUsable(issuers.slice(0, MOST_ISSUERS), async (issuer) => {
    const found = await findServerMetadata(http, issuer, signal, source);
    checkServer(http, found, source);
    return found;
  });
  const resource = metadata?.resource ?? withoutFragment(source.url);
  return { server, resource, scope: scopeOf(source, challenge.scope, metadata?.scopes_supported, server, also) };
}

/** The first authorization server that can be used (RFC 9728, 7.6). @throws the error of the first, if none can */
async function firstUsable(issuers: readonly string[], find: (issuer: string) => Promise<ServerMetadata>): Promise<ServerMetadata> {
  const errors: unknown[] = [];
  for (const issuer of issuers) {
    try {
      return await find(issuer);
    } catch (error) {
      errors.push(error);
    }
  }
  throw errors[0];
}

async function firstCall(http: AuthorizationHttp, source: SourceSettings, signal: AbortSignal): Promise<Challenge> {
  for (const call of FIRST_CALLS) {
    const { status, challenge } = await postJson(http, source.url, call, signal, 'application/json, text/event-stream');
    if (status === 401) return readChallenge(challenge);
  }
  return readChallenge(null);
}

/** @returns undefined: the server has none */
async function findResourceMetadata(http: AuthorizationHttp, source: SourceSettings, named: string | undefined, signal: AbortSignal) {
  const { origin, pathname } = new URL(source.url);
  const path = pathname.replace(/\/$/, '');
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const candidates = [...new Set([...(named === undefined ? [] : [named]), `${wellKnown}${path}`, wellKnown])];
  for (const candidate of candidates) {
    const found = await document(http, candidate, signal, source);
    if (found === undefined) continue;
    const parsed = resourceMetadata.safeParse(found);
    if (!parsed.success) throw unusable(source, 'the description of the server can’t be read', 'protected resource metadata');
    if (!covers(parsed.data.resource, source.url)) {
      throw unusable(source, 'the server describes itself as another one', 'resource of the metadata');
    }
    return parsed.data;
  }
  return undefined;
}

async function findServerMetadata(
  http: AuthorizationHttp,
  issuer: string,
  signal: AbortSignal,
  source: SourceSettings,
): Promise<ServerMetadata> {
  for (const candidate of metadataAddresses(issuer, source)) {
    const found = await document(http, candidate, signal, source);
    if (found === undefined) continue;
    const parsed = serverMetadata.safeParse(found);
    if (!parsed.success) throw unusable(source, 'its authorization server can’t be read', 'authorization server metadata');
    // RFC 8414, 3.3. Of a host's root, both spellings are in use, and name the same.
    if (parsed.data.issuer !== issuer && !isSameRoot(parsed.data.issuer, issuer)) {
      throw unusable(source, 'its authorization server says that it is another one', 'issuer of the metadata');
    }
    return parsed.data;
  }
  throw unusable(source, 'no authorization server was found', 'no authorization server metadata');
}

/** RFC 8414, 3.1 and 5; OpenID Connect Discovery, 4.1. */
function metadataAddresses(issuer: string, source: SourceSettings): string[] {
  const url = URL.parse(issuer);
  if (url === null || url.search !== '' || url.hash !== '')
    throw unusable(source, 'its authorization server has no valid address', 'issuer');
  const { origin } = url;
  const path = url.pathname.replace(/\/$/, '');
  const [oauth, openid] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  const inserted = [`${origin}${oauth}${path}`, `${origin}${openid}${path}`];
  return path === '' ? inserted : [...inserted, `${origin}${path}${openid}`];
}

/** @returns undefined: there is no such document. A server that fails has no other one looked for: it may be an attacker's chance. */
async function document(http: AuthorizationHttp, candidate: string, signal: AbortSignal, source: SourceSettings): Promise<unknown> {
  if (!URL.canParse(candidate)) throw unusable(source, 'an address that it names is not valid', 'address of metadata');
  const { status, body } = await getJson(http, candidate, signal);
  if (status >= 500 || status === 429) throw unusable(source, 'its metadata can’t be read at the moment', `metadata: HTTP ${status}`);
  return status === 200 ? body : undefined;
}

function checkServer({ outbound }: AuthorizationHttp, server: ServerMetadata, source: SourceSettings): void {
  const endpoints = [server.authorization_endpoint, server.token_endpoint, server.registration_endpoint, server.revocation_endpoint];
  for (const endpoint of endpoints) {
    if (endpoint === null || endpoint === undefined) continue;
    const url = URL.parse(endpoint);
    if (url === null || url.hash !== '') throw unusable(source, 'an address of its authorization server is not valid', 'endpoint');
    outbound.check(url);
  }
  // Absent means that the server has no PKCE (MCP, Authorization, "Authorization Code Protection").
  if (server.code_challenge_methods_supported?.includes('S256') !== true) {
    throw unusable(source, 'its authorization server doesn’t support PKCE, which is required', 'no S256');
  }
  if (server.response_types_supported?.includes('code') === false) {
    throw unusable(source, 'its authorization server doesn’t give authorization codes', 'no response type code');
  }
}

/** MCP, Authorization, "Scope Selection Strategy" and "Scope Challenge Handling"; the operator's scopes are all that is requested. */
function scopeOf(
  { scopes }: SourceSettings,
  challenged: string | undefined,
  supported: readonly string[] | null | undefined,
  server: ServerMetadata,
  also: readonly string[],
): string {
  if (scopes !== undefined) return scopes.join(' ');
  const wanted = new Set([...also, ...(challenged?.split(' ') ?? supported ?? [])]);
  // Without it, some servers give no refresh token; others refuse a scope that they don't know.
  if (server.scopes_supported?.includes('offline_access') === true) wanted.add('offline_access');
  return [...wanted].filter((scope) => scope !== '').join(' ');
}

/** Whether a resource is the server, or a part of its host that contains it (RFC 9728, 3.3; RFC 8707, 2). */
function covers(resource: string, server: string): boolean {
  const [outer, inner] = [URL.parse(resource), URL.parse(server)];
  if (outer === null || inner === null || outer.origin !== inner.origin || outer.hash !== '') return false;
  if (outer.search !== '' && outer.search !== inner.search) return false;
  const withSlash = (path: string) => (path.endsWith('/') ? path : `${path}/`);
  return withSlash(inner.pathname).startsWith(withSlash(outer.pathname));
}

function isSameRoot(one: string, other: string): boolean {
  return URL.parse(one)?.pathname === '/' && one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

function withoutFragment(url: string): string {
  return url.split('#')[0] ?? url;
}

/** @param what is shown. @param cause is logged */
export function unusable({ label }: SourceSettings, what: string, cause: string): AppError {
  return new AppError('provider_error', `${label} can’t be connected: ${what}.`, { cause: new Error(cause) });
}
