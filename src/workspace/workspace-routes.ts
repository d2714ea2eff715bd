import { z } from 'zod';
import type { FlowDeps } from '../connections/connector.ts';
import { BINDING_COOKIE, bind, callbackEndpoint, confirmEndpoint, type FlowEndpoints, redirectUri } from '../connections/flow-endpoints.ts';
import { AppError } from '../errors.ts';
import type { Authenticate } from '../http/access/require-credential.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import type { Cookies } from '../http/pages/cookies.ts';
import { emailAddress, text } from '../validation/validate.ts';
import { type AccountsDeps, disconnectAccount, listAccounts, setDefaultAccount, workspaceAccount } from './accounts-service.ts';

/** With the first flow: each start would load it. */
const loadStart = () => import('../connections/flow-start.ts');
const accountId = z.object({ account_id: z.uuid() });
const accessForm = z.strictObject({ email: emailAddress, redirect_uri: redirectUri.optional() }).meta({ id: 'WorkspaceAccessForm' });
const access = z.object({ status: z.literal('success'), login_url: z.url(), expires_at: z.iso.datetime() }).meta({ id: 'WorkspaceAccess' });
const accountList = z.object({ accounts: z.array(workspaceAccount) }).meta({ id: 'WorkspaceAccountList' });

export interface WorkspaceRoutesOptions {
  /** undefined: the provider is not configured. */
  deps: (() => Promise<FlowDeps>) | undefined;
  accounts: AccountsDeps;
  cookies: Cookies;
  publicUrl: string;
}

/** Connecting (three steps), listing, choosing the default and disconnecting workspace accounts. */
export function workspaceRouter(options: WorkspaceRoutesOptions, middleware: EndpointMiddleware): EndpointRouter {
  const { cookies } = options;
  const ends: FlowEndpoints = {
    path: '/auth/workspace',
    integration: 'workspace',
    step: 'Step 3: ',
    errors: ['not_configured'],
    deps: () => configured(options.deps),
    cookies,
  };
  const flow = [requestAccess(options), login(options, middleware.authenticate), callbackEndpoint(ends), confirmEndpoint(ends)];
  return endpointRouter('Workspace', [...flow, ...accountEndpoints(options.accounts)], middleware);
}

function requestAccess({ deps, cookies, publicUrl }: WorkspaceRoutesOptions): Endpoint {
  return endpoint({
    method: 'post',
    path: '/workspace_access_request',
    summary: 'Step 1: request access to a workspace account',
    description: 'Starts a flow and binds this browser to the user. Open `login_url` in the same browser within 60 seconds.',
    auth: 'id_token',
    limit: 'provider',
    form: accessForm,
    response: access,
    errors: ['not_configured'],
    async handle({ caller, form, request, response }) {
      const ready = await configured(deps);
      const { prepareFlow } = await loadStart();
      const { ticket, expiresAt } = await prepareFlow(ready, caller.userId, { email: form.email, redirectUri: form.redirect_uri });
      await bind(ready, cookies, { request, response, userId: caller.userId });
      const loginUrl = `${publicUrl}/auth/workspace/login?token=${ticket}`;
      return { json: { status: 'success' as const, login_url: loginUrl, expires_at: expiresAt.toISOString() } };
    },
  });
}

function login({ deps, cookies }: WorkspaceRoutesOptions, authenticate: Authenticate): Endpoint {
  return endpoint({
    method: 'get',
    path: '/auth/workspace/login',
    summary: 'Step 2: redirect to the provider’s consent page',
    description: '`token` is the ticket of step 1, or an ID token.',
    auth: 'none',
    limit: 'provider',
    browser: true,
    query: z.strictObject({ token: text(8192), redirect_uri: redirectUri.optional(), email: emailAddress.optional() }),
    pages: { 303: 'Redirect to the provider’s consent page' },
    errors: ['invalid_token', 'token_expired', 'forbidden', 'not_configured'],
    async handle({ query, request }) {
      const ready = await configured(deps);
      // Also with a ticket, whose flow has its own address: one that is not allowed is always an error.
      ready.redirectUris.resolve(query.redirect_uri);
      const { openByTicket, openForUser } = await loadStart();
      if (!query.token.includes('.')) {
        return { redirect: await openByTicket(ready, query.token, cookies.read(request, BINDING_COOKIE)) };
      }
      const caller = await authenticate(query.token, true);
      return { redirect: await openForUser(ready, caller.userId, { email: query.email, redirectUri: query.redirect_uri }) };
    },
  });
}

function accountEndpoints(accounts: AccountsDeps): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/auth/workspace/accounts',
      summary: 'List the connected workspace accounts',
      auth: 'id_token',
      response: accountList,
      handle: async ({ caller }) => ({ json: { accounts: await listAccounts(accounts, caller.userId) } }),
    }),
    endpoint({
      method: 'delete',
      path: '/auth/workspace/accounts/:account_id',
      summary: 'Disconnect a workspace account',
      description: 'The account cannot be used from now on. Its tokens are revoked at the provider in the background, with retries.',
      auth: 'id_token',
      params: accountId,
      response: success,
      errors: ['not_found'],
      async handle({ caller, params }) {
        await disconnectAccount(accounts, caller.userId, params.account_id);
        return SUCCEEDED;
      },
    }),
    endpoint({
      method: 'post',
      path: '/auth/workspace/accounts/:account_id/default',
      summary: 'Make a workspace account the default',
      auth: 'id_token',
      params: accountId,
      response: success,
      errors: ['not_found'],
      async handle({ caller, params }) {
        await setDefaultAccount(accounts, caller.userId, params.account_id);
        return SUCCEEDED;
      },
    }),
  ];
}

async function configured(deps: WorkspaceRoutesOptions['deps']): Promise<FlowDeps> {
  if (deps === undefined) throw new AppError('not_configured', 'Workspace accounts are not set up on this server.');
  return deps();
}
