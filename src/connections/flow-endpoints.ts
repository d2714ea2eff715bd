import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { type Endpoint, endpoint, type Request, type Response } from '../http/endpoints/endpoint.ts';
import type { Cookies } from '../http/pages/cookies.ts';
import { text } from '../validation/validate.ts';
import type { FlowDeps } from './connector.ts';
import type { FlowEnd } from './flows-repository.ts';

/** With the first flow: each start would load them. */
const loadCallback = () => import('./callback-service.ts');
const loadConfirmation = () => import('./confirmation-service.ts');

/** Name of the cookie with a binding's secret. */
export const BINDING_COOKIE = 'steward_binding';

/** Ends of the flows of one kind of accounts. */
export interface FlowEndpoints {
  /** Before `/callback` and `/confirm`. */
  path: string;
  /** Of the redirect that ends a flow. */
  integration: 'workspace' | 'mcp';
  /** Begins the summary of the callback. */
  step: string;
  /** Of {@link FlowEndpoints.deps}. */
  errors: readonly ErrorCode[];
  deps(): Promise<FlowDeps>;
  cookies: Cookies;
}

export const redirectUri = text(2048).meta({
  description: 'Where the flow ends; one of the allowed addresses.',
  examples: ['http://localhost:8080/'],
});

const parameter = text(4096).optional();
const confirmationForm = z
  .strictObject({ confirmation: text(100), decision: z.enum(['confirm', 'cancel'], 'must be confirm or cancel') })
  .meta({ id: 'WorkspaceConfirmationForm' });

/**
 * The provider's redirect that completes a flow.
 *
 * @param source a redirect URI of its own for each source
 */
export function callbackEndpoint({ path, integration, step, errors, deps, cookies }: FlowEndpoints, source?: z.ZodType<string>): Endpoint {
  return endpoint({
    method: 'get',
    path: `${path}/callback${source === undefined ? '' : '/:source'}`,
    essential: true,
    summary: `${step}the provider’s redirect`,
    description: 'Redirects to the flow’s `redirect_uri` with the outcome in the query, or shows a confirmation page first.',
    auth: 'none',
    limit: 'provider',
    browser: true,
    // Not strict: the provider may add parameters (RFC 6749, 4.1.2).
    query: z.object({ state: parameter, code: parameter, error: parameter, iss: parameter }),
    ...(source !== undefined && { params: z.object({ source }) }),
    pages: { 200: 'The confirmation page', 303: 'Redirect to the flow’s `redirect_uri`, with the outcome in the query' },
    errors,
    async handle({ query, params, request, response }) {
      const ready = await deps();
      const { completeCallback } = await loadCallback();
      const result = await completeCallback(ready, { ...query, ...params }, cookies.read(request, BINDING_COOKIE));
      if ('outcome' in result) return { redirect: addressOf(result, integration) };
      const { confirmation } = result;
      const { CONFIRMATION_SECONDS, confirmationCookie } = await loadConfirmation();
      cookies.set(response, confirmationCookie(confirmation.form), confirmation.cookie, CONFIRMATION_SECONDS);
      const { confirmationPage } = await import('./confirmation-page.ts');
      return { page: confirmationPage(confirmation) };
    },
  });
}

/** The form of the confirmation page. */
export function confirmEndpoint({ path, integration, errors, deps, cookies }: FlowEndpoints): Endpoint {
  return endpoint({
    method: 'post',
    path: `${path}/confirm`,
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
    errors: ['forbidden', ...errors],
    async handle({ form, request }) {
      const ready = await deps();
      const { confirmationCookie, resolveConfirmation } = await loadConfirmation();
      const cookie = cookies.read(request, confirmationCookie(form.confirmation));
      // The cookie stays until it expires: a second post needs it to receive the recorded outcome.
      const end = await resolveConfirmation(ready, cookie, form.confirmation, form.decision === 'confirm');
      return { redirect: addressOf(end, integration) };
    },
  });
}

/** Binds the browser that began a flow to its user. */
export async function bind(
  { db }: Pick<FlowDeps, 'db'>,
  cookies: Cookies,
  { request, response, userId }: { request: Request; response: Response; userId: string },
): Promise<void> {
  const { BINDING_SECONDS, bindBrowser } = await import('./bindings.ts');
  const secret = await bindBrowser(db, cookies.read(request, BINDING_COOKIE), userId);
  cookies.set(response, BINDING_COOKIE, secret, BINDING_SECONDS);
}

/** The address to which a flow ends: its `redirect_uri` with the outcome in the query. */
export function addressOf({ redirectUri: target, source, outcome }: FlowEnd, integration: FlowEndpoints['integration']): string {
  const url = new URL(target);
  url.searchParams.set('integration', integration);
  if (source !== null) url.searchParams.set('source', source);
  url.searchParams.set('status', outcome.status);
  if (outcome.status === 'error') url.searchParams.set('code', outcome.code);
  else {
    url.searchParams.set('account_id', outcome.account_id);
    if (outcome.missing_scopes.length > 0) url.searchParams.set('missing_scopes', outcome.missing_scopes.join(','));
  }
  return url.href;
}
