import { type Request, type Response, Router, urlencoded } from 'express';
import { EMAIL, OPENID, PROFILE } from './consent-scopes.ts';
import { apiRoutes } from './google/api-routes.ts';
import { GOOGLE_APIS } from './google/google-apis.ts';
import { consentRoutes } from './workspace/workspace-consent-routes.ts';
import type { Token } from './workspace/workspace-grants.ts';
import type { WorkspaceProvider } from './workspace/workspace-provider.ts';
import { avatar } from './workspace-accounts.ts';

/** The provider's routes, mounted at /sandbox/workspace. */
export function workspaceProviderRoutes(provider: WorkspaceProvider): Router {
  const router = Router();
  router.use(provider.controls.intercept('workspace'));
  router.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  router.use(consentRoutes(provider));
  router.post('/token', urlencoded({ extended: false, limit: '16kb' }), (request, response) => token(provider, request, response));
  router.post('/revoke', urlencoded({ extended: false, limit: '16kb' }), (request, response) => revoke(provider, request, response));
  router.get('/userinfo', (request, response) => userinfo(provider, request, response));
  router.post('/userinfo', (request, response) => userinfo(provider, request, response));
  router.get('/certs', (_request, response) => {
    response.json(provider.keySet);
  });
  router.get('/avatar/:sub.svg', (request, response, next) => {
    const account = provider.grants.account(request.params.sub);
    if (account === undefined) return next();
    // Front ends of other origins show the picture, too.
    response.set({ 'Cross-Origin-Resource-Policy': 'cross-origin', 'Content-Security-Policy': "default-src 'none'" });
    response.type('image/svg+xml').send(avatar(account));
  });
  router.use(
    '/api',
    apiRoutes(GOOGLE_APIS, {
      data: provider.data,
      controls: provider.controls,
      authenticate(request) {
        const token = bearerToken(provider, request);
        const account = token && provider.grants.account(token.sub);
        return token && account && { token, account };
      },
    }),
  );
  return router;
}

async function token(provider: WorkspaceProvider, request: Request, response: Response): Promise<void> {
  const form = singleFields(request.body);
  if (form === undefined) {
    response
      .status(400)
      .json({ error: 'invalid_request', error_description: 'Send each parameter once, as application/x-www-form-urlencoded.' });
    return;
  }
  const { authorization } = request.headers;
  const { status, body } = await provider.tokenEndpoint.handle(form, authorization);
  // RFC 6749, 5.2: tells a client that used the header which scheme is supported.
  if (status === 401 && authorization !== undefined) response.set('WWW-Authenticate', 'Basic realm="sandbox"');
  response.status(status).json(body);
}

/** A parsed form in which every field occurs once (RFC 6749, 3.2); undefined otherwise, or when it is not a form. */
function singleFields(body: unknown): Record<string, string> | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const fields = Object.entries(body);
  return fields.every((field): field is [string, string] => typeof field[1] === 'string') ? Object.fromEntries(fields) : undefined;
}

/** RFC 7009, with the provider's extensions: the token may be in the query, and all tokens of its account are revoked. */
function revoke(provider: WorkspaceProvider, request: Request, response: Response): void {
  provider.controls.count('workspace', 'revocations');
  const value = singleFields(request.body)?.token ?? request.query.token;
  const found = typeof value === 'string' ? provider.grants.find(value) : undefined;
  if (found === undefined) {
    response.status(400).json({ error: 'invalid_token', error_description: 'Token expired or revoked' });
    return;
  }
  provider.grants.revoke(found.sub);
  response.json({});
}

function userinfo(provider: WorkspaceProvider, request: Request, response: Response): void {
  const token = bearerToken(provider, request);
  const account = token && provider.grants.account(token.sub);
  if (token === undefined || account === undefined) {
    response.set('WWW-Authenticate', 'Bearer realm="sandbox", error="invalid_token"');
    response.status(401).json({ error: 'invalid_token', error_description: 'Invalid Credentials' });
    return;
  }
  const { scopes } = token;
  if (![OPENID, EMAIL, PROFILE].some((scope) => scopes.includes(scope))) {
    response.status(403).set('WWW-Authenticate', 'Bearer error="insufficient_scope"').json({ error: 'insufficient_scope' });
    return;
  }
  const picture = `${provider.publicUrl}/sandbox/workspace/avatar/${account.sub}.svg`;
  response.json({
    sub: account.sub,
    ...(scopes.includes(EMAIL) ? { email: account.email, email_verified: true } : {}),
    ...(scopes.includes(PROFILE) ? { name: account.name, picture } : {}),
  });
}

/** The valid access token of an `Authorization: Bearer` header (RFC 6750, 2.1). */
function bearerToken(provider: WorkspaceProvider, request: Request): Token | undefined {
  const value = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const token = value === undefined ? undefined : provider.grants.find(value);
  return token?.kind === 'access' ? token : undefined;
}
