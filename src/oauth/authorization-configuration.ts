import type { IncomingMessage } from 'node:http';
import { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import type { ServiceSecret } from '../vault/keys/service-secrets.ts';
import { fetchFailure, MAX_DOCUMENT_BYTES, withUsedMetadata } from './clients/client-documents.ts';
import { AUTH_METHODS, reduceMetadata } from './clients/client-metadata.ts';
import { unreachableDocument } from './clients/unreachable-documents.ts';
import { CURRENT_REQUEST } from './entries/current-request.ts';
import { CODE_SECONDS, type Entries } from './entries/entries.ts';
import { EntryAdapter, NoSessions } from './entries/entry-adapter.ts';
import { PATHS, SCOPES } from './protocol.ts';

const ACCESS_TOKEN_SECONDS = 3600;
/** For signing in and deciding. */
const INTERACTION_SECONDS = 1800;
/** How long a published document of a client is used. */
const DOCUMENT_SECONDS = { min: 60, max: 3600 };

/** Name of the cookie of the library's session, which is not kept. */
export const SESSION_COOKIE = 'steward_oauth_session';

export interface ProviderDeps {
  clock: Clock;
  publicUrl: string;
  entries: Entries;
  /** The one to use first. */
  secrets: readonly ServiceSecret[];
  /** Fetches the published document of a client. */
  fetchDocument(url: URL | string, signal: AbortSignal): Promise<Response>;
  /** Logs that a client's document could not be fetched. */
  logUnreachable(clientId: string, error: unknown): void;
  /** Clients on the same machine can be connected without a way to the internet. */
  isDevelopment: boolean;
  /** Counts a fetch for the client address of a request. @throws AppError `rate_limited` */
  countFetch(request: IncomingMessage): void;
  /** Whether the user exists and may use the service. */
  isAllowed(userId: string): Promise<boolean>;
}

/** The library's configuration: what is not needed is off. */
export function configurationOf(deps: ProviderDeps): Configuration {
  const { publicUrl, entries, secrets } = deps;
  const cookie = { httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:'), signed: true } as const;
  return {
    allowOmittingSingleRegisteredRedirectUri: false,
    adapter: (model: string) => (model === 'Session' ? new NoSessions(model, entries) : new EntryAdapter(model, entries)),
    clientAuthMethods: [...AUTH_METHODS],
    clientBasedCORS: () => true,
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token'], id_token_signed_response_alg: 'ES256' },
    cookies: {
      keys: secrets.map(({ cookieKey }) => Buffer.from(cookieKey)) as never,
      names: { session: SESSION_COOKIE, interaction: 'steward_oauth', resume: 'steward_oauth_resume' },
      long: cookie,
      short: cookie,
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    expiresWithSession: () => false,
    extraClientMetadata: { properties: ['steward'], validator: validateMetadata },
    features: featuresOf(deps),
    fetch: async (url, options) => withUsedMetadata(await documentOf(deps, String(url), options?.signal as AbortSignal)),
    fetchResponseBodyLimits: { 'client_id metadata document': MAX_DOCUMENT_BYTES, jwks_uri: 0, sector_identifier_uri: 0 },
    findAccount: async (_context, accountId) =>
      (await deps.isAllowed(accountId)) ? { accountId, claims: async () => ({ sub: accountId }) } : undefined,
    formats: { bitsOfOpaqueRandomness: 256 },
    interactions: { policy: alwaysAsk(), url: (_context, { uid }) => `${publicUrl}${PATHS.consent}/${uid}` },
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    jwks: { keys: secrets.map(({ signingKey }) => signingKey) as never },
    pkce: { required: () => true },
    renderError: showError,
    responseTypes: ['code'],
    rotateRefreshToken: true,
    routes: {
      authorization: PATHS.authorize,
      token: PATHS.token,
      registration: PATHS.register,
      revocation: PATHS.revoke,
      jwks: PATHS.jwks,
    },
    scopes: [...SCOPES],
    ttl: {
      AccessToken: (context) => withinGrant(context, ACCESS_TOKEN_SECONDS),
      AuthorizationCode: CODE_SECONDS,
      Grant: 366 * 24 * 3600,
      Interaction: INTERACTION_SECONDS,
      RefreshToken: (context) => withinGrant(context, Number.POSITIVE_INFINITY),
      Session: INTERACTION_SECONDS,
    },
  } as Configuration;
}

/** The document of a client, or what takes its place. */
async function documentOf(deps: ProviderDeps, id: string, signal: AbortSignal): Promise<Response> {
  try {
    return await deps.fetchDocument(id, signal);
  } catch (error) {
    deps.logUnreachable(id, error);
    const document = deps.isDevelopment ? unreachableDocument(id, error, CURRENT_REQUEST.getStore()?.redirectUri) : undefined;
    if (document === undefined) throw error;
    return document;
  }
}

function featuresOf({ publicUrl, countFetch }: ProviderDeps): NonNullable<Configuration['features']> {
  const resource = publicUrl + PATHS.resource;
  return {
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      cacheDuration: DOCUMENT_SECONDS,
      allowFetch: async (_context: unknown, clientId: string) => {
        const current = CURRENT_REQUEST.getStore();
        // The library looks for a client again when it reports that the client can't be found.
        if (current === undefined || !current.mayFetch || current.fetched.has(clientId)) return false;
        current.fetched.add(clientId);
        countFetch(current.request);
        return true;
      },
      allowClient: async () => true,
    },
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
    resourceIndicators: {
      enabled: true,
      // At the token endpoint, a list is offered to choose from.
      defaultResource: async (_context: unknown, _client: unknown, offered?: string | string[]) => {
        if (offered !== undefined && [offered].flat().some((one) => one !== resource)) throw new errors.InvalidTarget();
        return resource;
      },
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_context: unknown, indicator: string) => {
        if (indicator !== resource) throw new errors.InvalidTarget();
        return { scope: SCOPES.join(' '), audience: resource, accessTokenFormat: 'opaque' };
      },
    },
    // A token that is another client's is left alone, and the response is as for an unknown one (RFC 7009, 2.1).
    revocation: { enabled: true, allowedPolicy: async (_context, client, token) => token.clientId === client.clientId },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
  } as NonNullable<Configuration['features']>;
}

/** One question, the consent, which no earlier answer replaces. */
function alwaysAsk(): interactionPolicy.Prompt[] {
  const { Check, Prompt } = interactionPolicy;
  const check = new Check(
    'consent_missing',
    'the user has to consent',
    'consent_required',
    ({ oidc }) => oidc.result?.consent === undefined,
  );
  return [new Prompt({ name: 'consent', requestable: true }, check)];
}

function validateMetadata(_context: unknown, _name: string, _value: unknown, metadata: object): void {
  const problem = reduceMetadata(metadata as Record<string, unknown>);
  if (problem !== undefined) throw new errors.InvalidClientMetadata(problem);
}

/** Seconds; nothing outlives the grant. */
function withinGrant(context: KoaContextWithOIDC, seconds: number): number {
  const left = context.oidc.entities.Grant?.remainingTTL ?? 0;
  return Math.max(1, Math.min(seconds, Math.floor(left)));
}

/** Errors that can't be sent to the client. A browser gets the service's own page, everybody else the protocol's JSON. */
function showError(context: KoaContextWithOIDC, out: { error: string; error_description?: string }, cause: unknown): void {
  const { error, error_description: description = error } = out;
  if (context.oidc.route === 'authorization' || context.oidc.route === 'resume') {
    context.state.failure ??= fetchFailure(cause) ?? new AppError('invalid_request', `The app’s request is not valid: ${description}.`);
  } else context.body = out;
}
