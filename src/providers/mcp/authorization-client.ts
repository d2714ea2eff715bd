import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { type ServerMetadata, unusable } from './authorization-discovery.ts';
import { type AuthorizationHttp, postJson } from './authorization-http.ts';
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
  redirectUri: string;
  /** Milliseconds since 1970. */
  now(): number;
}

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
  scope: string,
  signal: AbortSignal,
): Promise<SourceClient> {
  if (source.clientId !== undefined) return configuredClient(options, source, source.clientId, server);
  const { publicUrl, clients, redirectUri, now } = options;
  if (server.client_id_metadata_document_supported === true && publicUrl.startsWith('https:')) {
    return { clientId: `${publicUrl}/oauth/client.json`, authMethod: 'none' };
  }
  const kept = (await clients.load(source.name)).get(server.issuer);
  const expiresAt = kept?.secretExpiresAt ?? Number.POSITIVE_INFINITY;
  if (kept !== undefined && kept.isConfigured !== true && kept.redirectUri === redirectUri && expiresAt * 1_000 > now()) return kept;
  const registered = await register(options, source, server, scope, signal);
  await clients.save(source.name, server.issuer, registered);
  return registered;
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
  { http, publicUrl, redirectUri }: ClientOptions,
  source: SourceSettings,
  server: ServerMetadata,
  scope: string,
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
    ...(typeof expires === 'number' && expires > 0 && { secretExpiresAt: expires }),
  };
}

/** RFC 8414, 2: without a list, `client_secret_basic`. */
function methodOf({ token_endpoint_auth_methods_supported: supported }: ServerMetadata, hasSecret: boolean): SourceClient['authMethod'] {
  if (!hasSecret) return 'none';
  const isPost = supported?.includes('client_secret_basic') === false && supported.includes('client_secret_post');
  return isPost ? 'client_secret_post' : 'client_secret_basic';
}
