import { z } from 'zod';
import { addressOf, BINDING_COOKIE, bind, callbackEndpoint, confirmEndpoint, redirectUri } from '../connections/flow-endpoints.ts';
import { AppError } from '../errors.ts';
import { assertRecentSignIn } from '../http/access/recent-sign-in.ts';
import { signInFor } from '../http/access/return-path.ts';
import { type Endpoint, endpoint, type Response, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import type { Cookies } from '../http/pages/cookies.ts';
import type { FailingSignIn } from '../http/pages/error-page.ts';
import type { FirstParty } from '../principal.ts';
import { CLIENT_DOCUMENT_PATH, redirectUriOf } from '../providers/mcp/own-addresses.ts';
import { text } from '../validation/validate.ts';
import type { CountedAccount } from './accounts-service.ts';
import type { SourceDeps } from './source-deps.ts';

/** With the first request: each start would load them. */
const loadAccounts = () => import('./accounts-service.ts');
const loadFlows = () => import('./source-flows.ts');

export interface SourceRoutesOptions {
  /** Loads what the endpoints need. */
  load(): Promise<SourceDeps>;
  cookies: Cookies;
  publicUrl: string;
}

const NAME = z.string().regex(/^[a-z0-9_-]{1,60}$/);
const HASH = z.string().regex(/^tool\.v\d{1,3}:[0-9a-f]{64}$/, 'must be the hash of a definition');
const count = z.int();
const accountId = z.object({ account_id: z.uuid() });

const account = z
  .object({
    id: z.uuid(),
    source: z.string().describe('Its name in the integrations file.'),
    label: z.string(),
    host: z.string().describe('Of the server that it is connected to.'),
    default: z.boolean().describe('Of its source.'),
    status: z.enum(['active', 'reauth_required']),
    connected_at: z.iso.datetime(),
    listed_at: z.iso.datetime().nullable().describe('When the server’s tools were read last; null: not yet.'),
    list_error: z
      .string()
      .nullable()
      .describe('Code of the error with which they were read last; null: they could be read. It is tried again.'),
    missing_scopes: z
      .array(z.string())
      .describe('Permissions that the server asked for in refusing something: connect it again to give them.'),
    tools: z.object({
      allowed: count,
      held: count.describe('New or changed: they are not called until the user decides.'),
      blocked: count,
      gone: count.describe('The server does not list them, or has not been read yet.'),
    }),
  })
  .meta({ id: 'SourceAccount' });

const source = z
  .object({
    name: z.string(),
    label: z.string(),
    host: z.string(),
    auth: z.enum(['oauth', 'header', 'none']).describe('How one connects: a sign-in there, a key that the user enters, or neither.'),
    trust: z.enum(['third_party', 'operator']).describe('`operator`: the operator of this service answers for it.'),
  })
  .meta({ id: 'Source' });

const definition = z
  .record(z.string(), z.unknown())
  .describe('As the server defines it (MCP, `Tool`): name, title, description, inputSchema, outputSchema, annotations, _meta.');

const tool = z
  .object({
    tool: z.string().describe('Its name at the server.'),
    state: z
      .enum(['allowed', 'held', 'blocked', 'gone'])
      .describe('`held`: new, or defined differently than was approved. Only an allowed tool is called.'),
    pinned_by: z.enum(['operator', 'user']).describe('`operator`: by its hash in the integrations file; users don’t decide.'),
    hash: z.string().optional().describe('Of the listed definition, which a decision names; of a tool that is gone, of the approved one.'),
    problem: z
      .string()
      .optional()
      .describe('Of a tool that is gone: why the server’s definition of it can’t be used; absent: it isn’t listed.'),
    approved: definition.optional(),
    listed: definition.optional(),
    changed: z.array(z.string()).describe('Fields in which the two differ.'),
  })
  .meta({ id: 'SourceTool' });

/** Connections to other people's MCP servers, which the integrations file names. */
export function sourcesRouter(options: SourceRoutesOptions, middleware: EndpointMiddleware): EndpointRouter {
  const { load, cookies, publicUrl } = options;
  const step = 'After the sign-in at a source: ';
  const ends = { path: '/auth/sources', integration: 'mcp', step, errors: [], deps: load, cookies } as const;
  const flow = [connect(options), login(options), callbackEndpoint(ends), callbackEndpoint(ends, NAME), confirmEndpoint(ends)];
  const entry = [showEntry(options, middleware), finishEntry(options, middleware)];
  const accounts = [listAccounts(load), disconnect(load), makeDefault(load), listTools(load), decide(load)];
  return endpointRouter('Sources', [...flow, ...entry, ...accounts, clientDocument(publicUrl)], middleware);
}

type Load = SourceRoutesOptions['load'];

function listAccounts(load: Load): Endpoint {
  return endpoint({
    method: 'get',
    path: '/auth/sources/accounts',
    summary: 'List the connections to sources, and the sources that there are',
    auth: 'id_token',
    response: z.object({ accounts: z.array(account), sources: z.array(source) }).meta({ id: 'SourceAccountList' }),
    async handle({ caller }) {
      const deps = await load();
      const accounts = await (await loadAccounts()).listAccounts(deps, caller.userId);
      const sources = [...deps.sources().values()].map(({ name, label, url, auth, trust }) => ({
        name,
        label,
        host: hostOf(url),
        auth,
        trust,
      }));
      return { json: { accounts: accounts.map(shown), sources } };
    },
  });
}

function connect({ load, cookies, publicUrl }: SourceRoutesOptions): Endpoint {
  return endpoint({
    method: 'post',
    path: '/auth/sources/:source/connect',
    summary: 'Connect to a source',
    description: 'Starts a flow and binds this browser to the user. Open `login_url` in the same browser within 60 seconds.',
    auth: 'id_token',
    limit: 'provider',
    params: z.object({ source: NAME }),
    form: z
      .strictObject({
        redirect_uri: redirectUri.optional(),
        account_id: z.uuid().optional().describe('The account to connect again; absent: a new one.'),
        label: text(100).optional().describe('How to call the connection; absent: after its source.'),
      })
      .meta({ id: 'SourceConnectForm' }),
    response: z.object({ login_url: z.url(), expires_at: z.iso.datetime() }).meta({ id: 'SourceConnect' }),
    errors: ['not_found', 'conflict', 'not_configured', 'provider_error', 'provider_timeout'],
    async handle({ caller, params, form, request, response }) {
      const deps = await load();
      const { prepareConnection } = await loadFlows();
      const asked = { redirectUri: form.redirect_uri, accountId: form.account_id, label: form.label };
      const { ticket, expiresAt } = await prepareConnection(deps, caller.userId, params.source, asked);
      await bind(deps, cookies, { request, response, userId: caller.userId });
      return { json: { login_url: `${publicUrl}/auth/sources/login?token=${ticket}`, expires_at: expiresAt.toISOString() } };
    },
  });
}

function login({ load, cookies }: SourceRoutesOptions): Endpoint {
  return endpoint({
    method: 'get',
    path: '/auth/sources/login',
    summary: 'Redirect to the source’s sign-in',
    description: '`token` is the ticket in `login_url`. A source without a sign-in leads to a page of this service.',
    auth: 'none',
    limit: 'provider',
    browser: true,
    query: z.strictObject({ token: text(100) }),
    pages: { 303: 'Redirect to the sign-in' },
    errors: ['invalid_token', 'token_expired'],
    async handle({ query, request }) {
      const deps = await load();
      const { openByTicket } = await import('../connections/flow-start.ts');
      return { redirect: await openByTicket(deps, query.token, cookies.read(request, BINDING_COOKIE)) };
    },
  });
}

const entryId = z.object({ id: z.uuid() });
const ENTRY = '/auth/sources/entry/:id';

function showEntry({ load }: SourceRoutesOptions, { clock }: EndpointMiddleware): Endpoint {
  return endpoint({
    method: 'get',
    path: ENTRY,
    summary: 'The page on which a user connects a source without a sign-in',
    auth: 'first_party',
    browser: true,
    params: entryId,
    pages: { 200: 'The page', 303: 'Redirect to the sign-in, or to the flow’s `redirect_uri` when it has ended' },
    errors: ['not_found', 'recent_login_required'],
    async handle({ caller, params, request, response }) {
      const found = await (await loadFlows()).findEntry(await load(), caller.userId, params.id);
      assertSession(caller);
      if (!('flow' in found)) return { redirect: addressOf(found, 'mcp') };
      if (found.source.auth === 'header') assertRecent(clock, caller, request.path, response);
      const { entryPage } = await import('./entry-page.ts');
      return { page: entryPage({ user: caller, path: request.path, source: found.source }) };
    },
  });
}

function finishEntry({ load }: SourceRoutesOptions, { clock }: EndpointMiddleware): Endpoint {
  return endpoint({
    method: 'post',
    path: ENTRY,
    essential: true,
    summary: 'Submit that page',
    auth: 'first_party',
    browser: true,
    params: entryId,
    form: z
      .strictObject({
        csrf: text(100).optional(),
        decision: z.enum(['connect', 'cancel']),
        value: z
          .string()
          .trim()
          .regex(/^[\x20-\x7e]{1,4096}$/, 'must be a key or token: letters, digits and signs of ASCII')
          .optional()
          .describe('Of a source’s header. It is sent to the source, and shown to nobody.'),
      })
      .meta({ id: 'SourceEntryForm' }),
    pages: {
      200: 'A page that leads a browser to the flow’s `redirect_uri`, with the outcome in the query',
      303: 'Redirect of other clients there',
    },
    errors: ['not_found', 'recent_login_required'],
    async handle({ caller, params, form, request, response }) {
      const deps = await load();
      const flows = await loadFlows();
      const found = await flows.findEntry(deps, caller.userId, params.id);
      assertSession(caller);
      if (!('flow' in found)) return { redirect: addressOf(found, 'mcp') };
      if (form.decision === 'cancel') return { redirect: addressOf(await flows.finishEntry(deps, found, 'cancel'), 'mcp') };
      if (found.source.auth === 'none') return { redirect: addressOf(await flows.finishEntry(deps, found, 'confirm'), 'mcp') };
      assertRecent(clock, caller, request.path, response);
      if (form.value === undefined) throw new AppError('invalid_request', 'value: is required');
      return { redirect: addressOf(await flows.finishEntry(deps, found, { value: form.value }), 'mcp') };
    },
  });
}

function disconnect(load: Load): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/auth/sources/accounts/:account_id',
    summary: 'Disconnect from a source',
    description: 'The account cannot be used from now on. Its tokens are revoked in the background, where the source’s server can do that.',
    auth: 'id_token',
    params: accountId,
    response: success,
    errors: ['not_found'],
    async handle({ caller, params }) {
      await (await loadAccounts()).disconnectAccount(await load(), caller.userId, params.account_id);
      return SUCCEEDED;
    },
  });
}

function makeDefault(load: Load): Endpoint {
  return endpoint({
    method: 'post',
    path: '/auth/sources/accounts/:account_id/default',
    summary: 'Make a connection the default of its source',
    auth: 'id_token',
    params: accountId,
    response: success,
    errors: ['not_found'],
    async handle({ caller, params }) {
      await (await loadAccounts()).setDefaultAccount(await load(), caller.userId, params.account_id);
      return SUCCEEDED;
    },
  });
}

function listTools(load: Load): Endpoint {
  return endpoint({
    method: 'get',
    path: '/auth/sources/accounts/:account_id/tools',
    summary: 'The tools of a connection',
    description:
      'Those that the integrations file lists: what was approved, what the server lists now, and in which fields the two differ.',
    auth: 'id_token',
    params: accountId,
    response: z.object({ tools: z.array(tool) }).meta({ id: 'SourceToolList' }),
    isLarge: true,
    errors: ['not_found'],
    async handle({ caller, params }) {
      const tools = await (await loadAccounts()).listTools(await load(), caller.userId, params.account_id);
      return {
        json: {
          tools: tools.map(({ pinnedBy, approved, listed, ...rest }) => ({
            ...rest,
            pinned_by: pinnedBy,
            approved: approved && { ...approved },
            listed: listed && { ...listed },
          })),
        },
      };
    },
  });
}

function decide(load: Load): Endpoint {
  return endpoint({
    method: 'post',
    path: '/auth/sources/accounts/:account_id/tools/:tool',
    summary: 'Allow or block a tool of a connection',
    description: 'By the user in person. `conflict`: the tool has changed since, or the operator has pinned it in the integrations file.',
    auth: 'first_party',
    params: accountId.extend({ tool: z.string().min(1).max(256) }),
    form: z
      .strictObject({ decision: z.enum(['allow', 'block']), hash: HASH.describe('Of the definition that the user has seen.') })
      .meta({ id: 'SourceToolDecision' }),
    response: success,
    errors: ['not_found', 'conflict'],
    async handle({ caller, params, form }) {
      const { tools } = await load();
      await tools.decide(caller.userId, params.account_id, params.tool, form.decision, form.hash);
      return SUCCEEDED;
    },
  });
}

const DOCUMENT_SECONDS = 3600;

/** The client id metadata document (draft-ietf-oauth-client-id-metadata-document): the id of this service at authorization servers. */
function clientDocument(publicUrl: string): Endpoint {
  const document = z
    .object({
      client_id: z.url(),
      client_name: z.string(),
      client_uri: z.url(),
      redirect_uris: z.array(z.url()),
      grant_types: z.array(z.string()),
      response_types: z.array(z.string()),
      token_endpoint_auth_method: z.string(),
    })
    .meta({ id: 'ClientDocument' });
  return endpoint({
    method: 'get',
    path: CLIENT_DOCUMENT_PATH,
    summary: 'This service as an OAuth client of sources',
    description: 'Its client id metadata document, which authorization servers read.',
    auth: 'none',
    response: document,
    async handle() {
      const json = {
        client_id: publicUrl + CLIENT_DOCUMENT_PATH,
        client_name: 'Steward',
        client_uri: `${publicUrl}/`,
        redirect_uris: [redirectUriOf(publicUrl, undefined)],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      };
      return { json, cacheSeconds: DOCUMENT_SECONDS };
    },
  });
}

function shown({
  id,
  source: name,
  label,
  url,
  isDefault,
  status,
  connectedAt,
  tools,
  ...listing
}: CountedAccount): z.input<typeof account> {
  return {
    id,
    source: name,
    label,
    host: hostOf(url),
    default: isDefault,
    status: status === 'active' ? 'active' : 'reauth_required',
    connected_at: connectedAt.toISOString(),
    listed_at: listing.listedAt?.toISOString() ?? null,
    list_error: listing.listError,
    missing_scopes: listing.wantedScopes,
    tools,
  };
}

function hostOf(url: string): string {
  return new URL(url).host;
}

/** What is entered on a page is for the user who sees it. @throws AppError `forbidden` */
function assertSession({ session }: FirstParty): void {
  if (session === undefined) throw new AppError('forbidden', 'Sign in to the service’s own pages to connect this.');
}

/** @throws AppError `recent_login_required`, with a way to sign in again on its page */
function assertRecent(clock: EndpointMiddleware['clock'], caller: FirstParty, path: string, response: Response): void {
  response.locals.signIn = { again: `${signInFor(path)}&prompt=login` } satisfies FailingSignIn;
  assertRecentSignIn(clock, caller, 'to enter a key');
}
