import { join } from 'node:path';
import express, { type Express, type Request, type RequestHandler } from 'express';
import type { Services } from './context.ts';
import { healthRouter } from './health/health-routes.ts';
import { limitPerAddress } from './http/access/limits.ts';
import { allowErrorPages, errorHandler, notFound } from './http/middleware/error-handler.ts';
import { matcher } from './http/middleware/path-matcher.ts';
import { measured, requestId, requestLog } from './http/middleware/request-log.ts';
import { anyOrigin, crossOrigin, securityHeaders } from './http/middleware/security-headers.ts';
import type { Site } from './http/pages/own-page.ts';
import { MCP_PATH, RESOURCE_PATHS } from './mcp/mcp-routes.ts';
import { PROTOCOL_PATHS, PUBLIC_PATHS } from './oauth/oauth-routes.ts';
import { CLIENT_DOCUMENT_PATH } from './providers/mcp/own-addresses.ts';
import { authorizationRouters } from './startup/authorization-routers.ts';
import { documentRouters } from './startup/document-routers.ts';
import { endpointMiddleware } from './startup/endpoint-middleware.ts';
import { type Endings, featureRouters } from './startup/feature-routers.ts';

const ROOT = join(import.meta.dirname, '..');

/** What the app needs of the process around it. */
export interface ProcessState extends Endings {
  connections(): number;
  draining(): boolean;
}

/** The Express app: every layer, in the order in which a request passes through it. */
export function createApp(context: Services, state: ProcessState): Express {
  const { config, clock, logger, telemetry } = context;
  const middleware = endpointMiddleware(context);
  const health = healthRouter({ ...context, environment: config.environment, ...state }, middleware);
  const features = featureRouters(context, middleware, state);
  const documents = documentRouters(context, middleware, [health, ...features]);
  const { consent, protocol } = authorizationRouters(context, middleware);
  const endpoints = [health, ...features, ...documents, consent].flatMap((router) => router.endpoints);
  const routes = new Set([...endpoints.map(({ path }) => path), ...PROTOCOL_PATHS, MCP_PATH]);
  const isForBrowsers = matcher(endpoints.filter(({ browser }) => browser === true).map(({ path }) => path));
  const forAnyOrigin = new Set([...PUBLIC_PATHS, ...RESOURCE_PATHS, CLIENT_DOCUMENT_PATH]);
  const isForAnyOrigin = ({ path }: Request) => forAnyOrigin.has(path);
  const perAddress = limitPerAddress(clock, config.limits.requestsPerMinute);

  const app = express();
  app.disable('x-powered-by').disable('etag').set('trust proxy', config.trustProxy).set('query parser', 'simple');
  // An address has one spelling, so that a proxy that blocks it blocks it completely.
  app.enable('case sensitive routing').enable('strict routing');
  app.locals.site = {
    host: new URL(context.addresses.publicUrl).host,
    home: config.environment === 'production' && config.console ? '/console' : '/',
  } satisfies Site;
  app.use(requestId, measured(telemetry, routes, logger));
  // Probes are frequent: they come before the layers that they don't need.
  app.use(health);
  app.use(requestLog(clock, logger), securityHeaders());
  // Before the limit, because its error is a page too.
  app.use(when(({ path }) => isForBrowsers(path), allowErrorPages));
  // CORS comes before the limit, so that a front end can read the error. It ends preflights, so these are counted before it.
  app.use(when(isOptions, perAddress));
  app.use(when(isForAnyOrigin, anyOrigin()));
  app.use(
    when(
      (request) => !isForAnyOrigin(request),
      crossOrigin((origin) => context.allowsOrigin(origin)),
    ),
  );
  // Files don't count: a page has many of them, and would lack some after a few reloads, or behind a shared address.
  app.use('/assets', files('public'));
  app.use('/client', files('client'));
  app.use(when((request) => !isOptions(request), perAddress));
  app.use(...features, ...documents);
  if (context.sandbox !== undefined) app.use('/sandbox', context.sandbox.router).use('/.well-known', context.sandbox.wellKnown);
  // With MCP_ISSUER, clients sign in at the operator's own server.
  if (config.mcpIssuer === undefined) app.use(protocol, consent);
  app.use(notFound);
  app.use(errorHandler(logger, telemetry));
  return app;
}

/** Serves a folder of this repository. */
function files(folder: string): RequestHandler {
  return express.static(join(ROOT, folder), { index: false, etag: true, fallthrough: true, redirect: false });
}

function when(applies: (request: Request) => boolean, handler: RequestHandler): RequestHandler {
  return (request, response, next) => (applies(request) ? handler(request, response, next) : next());
}

function isOptions({ method }: Request): boolean {
  return method === 'OPTIONS';
}
