import { z } from 'zod';
import { BINDING_COOKIE, BINDING_SECONDS, bindBrowser } from '../connections/bindings.ts';
import type { FlowDeps } from '../connections/connector.ts';
import { addressOf } from '../connections/flow-end.ts';
import { AppError } from '../errors.ts';
import type { Authenticate } from '../http/access/require-credential.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import type { Cookies } from '../http/pages/cookies.ts';
import { emailAddress, text } from '../validation/validate.ts';
import { type AccountsDeps, disconnectAccount, listAccounts, setDefaultAccount, workspaceAccount } from './accounts-service.ts';

/** With the first flow: each start would load them. */
const loadStart = () => import('../connections/flow-start.ts');
const loadCallback = () => import('../connections/callback-service.ts');
const loadConfirmation = () => import('../connections/confirmation-service.ts');

const redirectUri = text(2048).meta({
  description: 'Where the flow ends; one of the allowed addresses.',
  examples: ['http://localhost:8080/'],
});
const accountId = z.object({ account_id: z.uuid() });
const accessForm = z.strictObject({ email: emailAddress, redirect_uri: redirectUri.optional() }).meta({ id: 'WorkspaceAccessForm' });
const access = z.object({ status: z.literal('success'), login_url: z.url(), expires_at: z.iso.datetime() }).meta({ id: 'WorkspaceAccess' });
const confirmationForm = z
  .strictObject({ confirmation: text(100), decision: z.enum(['confirm', 'cancel'], 'must be confirm or cancel') })
  .meta({ id: 'WorkspaceConfirmationForm' });
const accountList = z.object({ accounts: z.array(workspaceAccount) }).meta({ id: 'WorkspaceAccountList' });

export interface WorkspaceRoutesOptions {
  /** undefined: the provider is not configured. */
  deps: FlowDeps | undefined;
  accounts: AccountsDeps;
  cookies: Cookies;
  publicUrl: string;
}

/** Connecting (three steps), listing, choosing the default and disconnecting workspace accounts. */
export function workspaceRouter(options: WorkspaceRoutesOptions, middleware: EndpointMiddleware): EndpointRouter {
  const flow = [requestAccess(options), login(options, middleware.authenticate), callback(options), confirm(options)];
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
      const ready = configured(deps);
      const { prepareFlow } = await loadStart();
      const { ticket, expiresAt } = await prepareFlow(ready, caller.userId, { email: form.email, redirectUri: form.redirect_uri });
      const secret = await bindBrowser(ready.db, cookies.read(request, BINDING_COOKIE), caller.userId);
      cookies.set(response, BINDING_COOKIE, secret, BINDING_SECONDS);
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
      const ready = configured(deps);
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

const parameter = text(4096).optional();

function callback({ deps, cookies }: WorkspaceRoutesOptions): Endpoint {
  return endpoint({
    method: 'get',
    path: '/auth/workspace/callback',
    essential: true,
    summary: 'Step 3: the provider’s redirect',
    description: 'Redirects to the flow’s `redirect_uri` with the outcome in the query, or shows a confirmation page first.',
    auth: 'none',
    limit: 'provider',
    browser: true,
    // Not strict: the provider may add parameters (RFC 6749, 4.1.2).
    query: z.object({ state: parameter, code: parameter, error: parameter, iss: parameter }),
    pages: { 200: 'The confirmation page', 303: 'Redirect to the flow’s `redirect_uri`, with the outcome in the query' },
    errors: ['not_configured'],
    async handle({ query, request, response }) {
      const { completeCallback } = await loadCallback();
      const result = await completeCallback(configured(deps), query, cookies.read(request, BINDING_COOKIE));
      if ('outcome' in result) return { redirect: addressOf(result, 'workspace') };
      const { confirmation } = result;
      const { CONFIRMATION_SECONDS, confirmationCookie } = await loadConfirmation();
      cookies.set(response, confirmationCookie(confirmation.form), confirmation.cookie, CONFIRMATION_SECONDS);
      const { confirmationPage } = await import('../connections/confirmation-page.ts');
      return { page: confirmationPage(confirmation) };
    },
  });
}

function confirm({ deps, cookies }: WorkspaceRoutesOptions): Endpoint {
  return endpoint({
    method: 'post',
    path: '/auth/workspace/confirm',
    essential: true,
    summary: 'Submit the confirmation page',
    description: 'Works once, in the browser that received the page.',
    auth: 'none',
    limit: 'provider',
    browser: true,
    form: confirmationForm,
    pages: {
      200: 'A page that leads a browser to the flow’s `redirect_uri`, with the outcome in the query',
      303: 'Redirect of other clients there',
    },
    errors: ['forbidden', 'not_configured'],
    async handle({ form, request }) {
      const { confirmationCookie, resolveConfirmation } = await loadConfirmation();
      const cookie = cookies.read(request, confirmationCookie(form.confirmation));
      // The cookie stays until it expires: a second post needs it to receive the recorded outcome.
      const end = await resolveConfirmation(configured(deps), cookie, form.confirmation, form.decision === 'confirm');
      return { redirect: addressOf(end, 'workspace') };
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

function configured(deps: FlowDeps | undefined): FlowDeps {
  if (deps === undefined) throw new AppError('not_configured', 'Workspace accounts are not set up on this server.');
  return deps;
}
