import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { scopeNames } from '../../validation/scope-names.ts';
import { type ServerMetadata, unusable } from './authorization-discovery.ts';
import { type AuthorizationHttp, errorCodeOf, postAsClient, postJson } from './authorization-http.ts';
import { CLIENT_DOCUMENT_PATH, redirectUriOf } from './own-addresses.ts';
import type { SourceClient, SourceClients } from './source-authorization.ts';
import type { SourceSettings } from './source-settings.ts';

const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** RFC 7591, 3.2.1. */
const registration = z.object({
  client_id: z.string().min(1).max(1_000),
  client_secret: z.string().min(1).max(2_000).nullish(),
  client_secret_expires_at: z.number().nullish(),
  token_endpoint_auth_method: z.string().nullish(),
});

export interface ClientOptions {
  http: AuthorizationHttp;
  clients: SourceClients;
  /** {base_url} as browsers see it. */
  publicUrl: string;
  /** Milliseconds since 1970. */
  now(): number;
}

/** What is requested with it. */
interface Wanted {
  /** RFC 8707. */
  resource: string;
  /** Separated by spaces. */
  scope: string;
}

type IdentifiedClient = SourceClient & { redirectUri: string };

/**
 * Who this service is at an authorization server: the operator's client, its own metadata document, or one that it registers
 * (MCP, Authorization, "Client Registration Approaches").
 *
 * @throws AppError `not_configured`, `provider_error`, `provider_timeout`
 */
export async function identifyClient(
  options: ClientOptions,
  source: SourceSettings,
  server: ServerMetadata,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<IdentifiedClient> {
  const { publicUrl, clients } = options;
  // One client for all servers has one address for all.
  const shared = redirectUriOf(publicUrl, undefined);
  if (source.clientId !== undefined) return { ...(await configuredClient(options, source, source.clientId, server)), redirectUri: shared };
  if (server.client_id_metadata_document_supported === true && publicUrl.startsWith('https:')) {
    return { clientId: publicUrl + CLIENT_DOCUMENT_PATH, authMethod: 'none', redirectUri: shared };
  }
  const namesItself = server.authorization_response_iss_parameter_supported === true;
  const redirectUri = namesItself ? shared : redirectUriOf(publicUrl, source.name);
  const kept = (await clients.load(source.name)).get(server.issuer);
  if (
    kept !== undefined &&
    isFor(kept, server, { ...wanted, redirectUri }, options.now()) &&
    (await isKnown(options, kept, server, wanted, signal))
  )
    return { ...kept, redirectUri };
  const scope = [...new Set([...scopeNames(kept?.scope), ...scopeNames(wanted.scope)])].join(' ');
  const registered = await register(options, source, server, { redirectUri, scope }, signal);
  await clients.save(source.name, server.issuer, registered);
  return { ...registered, redirectUri };
}

/** Whether a registration is of use: its secret is sent to the token endpoint only that it was made for. */
function isFor(kept: SourceClient, server: ServerMetadata, { scope, redirectUri }: Wanted & { redirectUri: string }, now: number): boolean {
  if (kept.isConfigured === true || kept.redirectUri !== redirectUri || kept.tokenEndpoint !== server.token_endpoint) return false;
  if ((kept.secretExpiresAt ?? Number.POSITIVE_INFINITY) * 1_000 <= now) return false;
  const covered = scopeNames(kept.scope);
  return scopeNames(scope).every((name) => covered.includes(name));
}

/**
 * Whether a server still knows a registration. It is asked with a refresh token that it never gave: of one that it has forgotten, it says
 * `invalid_client` (RFC 6749, 5.2). Users would only see its error page. Whatever else it says or fails at is not about that.
 */
async function isKnown(
  { http }: ClientOptions,
  kept: SourceClient,
  server: ServerMetadata,
  { resource }: Wanted,
  signal: AbortSignal,
): Promise<boolean> {
  const asked = { grant_type: 'refresh_token', refresh_token: randomBytes(32).toString('base64url'), resource };
  const answer = await postAsClient(http, server.token_endpoint, kept, asked, signal).catch(() => undefined);
  return errorCodeOf(answer?.body) !== 'invalid_client';
}

/** The operator's secret goes to the issuer at which it was used first: a server that names another one doesn't get it. */
async function configuredClient(
  { clients }: ClientOptions,
  source: SourceSettings,
  clientId: string,
  server: ServerMetadata,
): Promise<SourceClient> {
  const kept = await clients.load(source.name);
  const isOfThis = (client: SourceClient) => client.isConfigured === true && client.clientId === clientId;
  const bound = [...kept].find(([, client]) => isOfThis(client));
  if (bound !== undefined && bound[0] !== server.issuer) {
    throw new AppError('not_configured', `${source.label} names another authorization server than before. The operator has to look at it.`);
  }
  const authMethod = methodOf(server, source.clientSecret !== undefined);
  if (bound === undefined) await clients.save(source.name, server.issuer, { clientId, authMethod, isConfigured: true });
  return { clientId, clientSecret: source.clientSecret, authMethod };
}

async function register(
  { http, publicUrl }: ClientOptions,
  source: SourceSettings,
  server: ServerMetadata,
  { redirectUri, scope }: { redirectUri: string; scope: string },
  signal: AbortSignal,
): Promise<SourceClient> {
  const { registration_endpoint: endpoint } = server;
  if (endpoint === null || endpoint === undefined) {
    throw new AppError('not_configured', `${source.label} lets no client register itself: the operator has to set its client_id.`);
  }
  const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const requested = AUTH_METHODS.find((method) => supported.includes(method)) ?? 'none';
  const metadata = {
    client_name: 'Steward',
    client_uri: publicUrl,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: requested,
    application_type: publicUrl.startsWith('https:') ? 'web' : 'native',
    ...(scope !== '' && { scope }),
  };
  const { status, body } = await postJson(http, endpoint, metadata, signal);
  const parsed = registration.safeParse(body);
  if ((status !== 200 && status !== 201) || !parsed.success)
    throw unusable(source, 'it refused to register Steward', `registration: HTTP ${status}`);
  const { client_id: clientId, client_secret, client_secret_expires_at: expires, token_endpoint_auth_method: given } = parsed.data;
  const clientSecret = client_secret ?? undefined;
  const authMethod = AUTH_METHODS.find((method) => method === given) ?? (clientSecret === undefined ? 'none' : methodOf(server, true));
  if (authMethod !== 'none' && clientSecret === undefined) throw unusable(source, 'it registered Steward without a secret', 'registration');
  return {
    clientId,
    clientSecret,
    authMethod,
    redirectUri,
    tokenEndpoint: server.token_endpoint,
    // What the answer leaves out was requested none the less.
    scope,
    ...(typeof expires === 'number' && expires > 0 && { secretExpiresAt: expires }),
  };
}

/** RFC 8414, 2: without a list, `client_secret_basic`. */
function methodOf({ token_endpoint_auth_methods_supported: supported }: ServerMetadata, hasSecret: boolean): SourceClient['authMethod'] {
  if (!hasSecret) return 'none';
  const isPost = supported?.includes('client_secret_basic') === false && supported.includes('client_secret_post');
  return isPost ? 'client_secret_post' : 'client_secret_basic';
}
