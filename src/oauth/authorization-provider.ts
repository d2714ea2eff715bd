import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import { AppError } from '../errors.ts';
import { configurationOf, type ProviderDeps, SESSION_COOKIE } from './authorization-configuration.ts';
import { CURRENT_REQUEST } from './entries/current-request.ts';
import { PATHS } from './protocol.ts';
import { usefulParameters } from './request-parameters.ts';
import { ResumedRequests } from './resumed-requests.ts';
import { settled, TokenRequests } from './token-requests.ts';

/** Characters of an authorization request, which is stored until its user decides. */
const MAX_QUERY = 4_096;
/** Where no document of a client is fetched: {@link CURRENT_REQUEST}. */
const NO_FETCH: ReadonlySet<string> = new Set([PATHS.token, PATHS.revoke]);

/**
 * Responds to a request of the protocol.
 *
 * @param userId whose session at the service's own pages the browser has
 * @throws the error of a failure on the service's side, with nothing sent
 */
export type Respond = (request: IncomingMessage, response: ServerResponse, userId: string | undefined) => Promise<void>;

export type AuthorizationProvider = Provider;

/** The library, set up; this module is loaded at the first use. */
export function createProvider(deps: ProviderDeps): { provider: Provider; respond: Respond } {
  const provider = new Provider(deps.publicUrl, configurationOf(deps));
  keepOwnAddress(provider, deps.publicUrl);
  return { provider, respond: responderOf(provider, deps) };
}

/** Addresses come from PUBLIC_URL alone, whatever the request's Host, its headers of proxies, or its absolute target say. */
function keepOwnAddress(provider: Provider, publicUrl: string): void {
  const { protocol, host, origin } = new URL(publicUrl);
  const own = { protocol: protocol.slice(0, -1), host, hostname: host, origin, href: publicUrl, secure: protocol === 'https:' };
  for (const [name, value] of Object.entries(own)) Object.defineProperty(provider.request, name, { get: () => value });
  const context = (provider as unknown as { OIDCContext: { prototype: object } }).OIDCContext;
  const urlFor = (name: string, options?: object) => provider.urlFor(name, options as never);
  Object.defineProperty(context.prototype, 'urlFor', { value: urlFor });
}

function responderOf(provider: Provider, { entries, publicUrl, clock }: ProviderDeps): Respond {
  const resource = publicUrl + PATHS.resource;
  const failures = new WeakMap<ServerResponse, unknown>();
  // Koa would send its own error page and print the error.
  provider.context.onerror = function (this: KoaContextWithOIDC, error: unknown) {
    if (error !== null && error !== undefined) failures.set(this.res, error);
  };
  provider.on('server_error', (context, error) => {
    context.state.failure = error;
  });
  const tokens = new TokenRequests(entries);
  const resumed = new ResumedRequests(provider, entries, clock);
  provider.use(async (context, next) => {
    if (context.path === PATHS.token) return tokens.respond(context, next);
    if (context.path === PATHS.authorize) {
      if (context.querystring.length > MAX_QUERY) throw new AppError('invalid_request', 'The app’s request is too long.');
      context.query = usefulParameters(context.query, resource);
    }
    if (context.path.startsWith(`${PATHS.authorize}/`)) await resumed.respond(context, next);
    else await entries.request(() => settled(context, next));
    dropSessionCookie(context.res);
  });
  const callback = provider.callback();
  return async (request, response, userId) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://relative');
    const redirectUri = searchParams.get('redirect_uri') ?? undefined;
    const current = { request, userId, redirectUri, mayFetch: !NO_FETCH.has(pathname), fetched: new Set<string>() };
    await CURRENT_REQUEST.run(current, () => callback(request, response));
    const failure = failures.get(response);
    if (failure === undefined) return;
    // Of a response that the library had begun.
    for (const name of ['location', 'content-type', 'content-length', 'set-cookie']) response.removeHeader(name);
    throw failure;
  };
}

/** The library's session is not kept (entry-adapter.ts), so that a cookie for it would be of no use. */
function dropSessionCookie(response: ServerResponse): void {
  const cookies = response.getHeader('set-cookie');
  if (!Array.isArray(cookies)) return;
  const kept = cookies.filter((cookie) => ![`${SESSION_COOKIE}=`, `${SESSION_COOKIE}.sig=`].some((name) => cookie.startsWith(name)));
  if (kept.length > 0) response.setHeader('set-cookie', kept);
  else response.removeHeader('set-cookie');
}
