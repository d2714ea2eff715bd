import type { Services } from '../context.ts';
import { SESSION_COOKIE } from '../http/access/first-party.ts';
import type { EndpointMiddleware } from '../http/endpoints/endpoint-router.ts';
import { Cookies } from '../http/pages/cookies.ts';
import { consentRouter } from '../oauth/consent/consent-routes.ts';
import { protocolRouter } from '../oauth/oauth-routes.ts';

/** Of the embedded authorization server: the protocol's endpoints, and the page where users consent. */
export function authorizationRouters(context: Services, middleware: EndpointMiddleware) {
  const { authorizationServer, consents, executor, config, webSessions } = context;
  const cookies = new Cookies(context.addresses.publicUrl);
  const consent = consentRouter({ consents, accounts: (userId) => executor.accounts(userId) }, middleware);
  const protocol = protocolRouter(authorizationServer, {
    bodyBytes: config.limits.bodyBytes,
    registrationsPerMinute: config.limits.oauthRegistrationsPerMinute,
    limitAuthorizations: middleware.limits.provider,
    async currentUser(request) {
      return (await webSessions.current(cookies.read(request, SESSION_COOKIE)))?.userId;
    },
  });
  return { consent, protocol };
}
