import { variables as environmentVariables } from '../../src/config/environment.ts';
import { limitsOf } from '../../src/config/limits.ts';
import type { Services } from '../../src/context.ts';
import { healthRouter } from '../../src/health/health-routes.ts';
import { asyncApiRouter, homeRouter, openApiRouter } from '../../src/home/home-routes.ts';
import type { Endpoint } from '../../src/http/endpoints/endpoint.ts';
import type { EndpointMiddleware } from '../../src/http/endpoints/endpoint-router.ts';
import { PROVIDERS } from '../../src/providers/providers.ts';
import { featureRouters } from '../../src/startup/feature-routers.ts';

/** Every declaration, of development and of production. No handler is called, so dependencies may be absent. */
export function declaredEndpoints(): Endpoint[] {
  const pass = () => undefined;
  const limits = { probe: pass, waitlist: pass, provider: pass };
  const middleware = {
    requireCredential: () => pass,
    limitBytes: () => pass,
    admit: pass,
    parseBody: [pass],
    limits,
  } as unknown as EndpointMiddleware;
  const context = (environment: string) =>
    ({
      config: { environment, console: true, limits: limitsOf(environmentVariables.parse({})) },
      addresses: { publicUrl: 'https://steward.example.com' },
      descriptors: PROVIDERS,
    }) as unknown as Services;
  const production = context('production');
  const routers = [
    homeRouter(production.config, production.addresses.publicUrl, middleware),
    ...featureRouters(context('development'), middleware, { userDeleted() {}, async sessionsEnded() {} }),
    openApiRouter(async () => () => ({}), middleware),
    asyncApiRouter(async () => () => ({}), middleware),
    healthRouter({} as never, middleware),
  ];
  return routers.flatMap((router) => router.endpoints);
}
