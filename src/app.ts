import { join } from 'node:path';
import cors from 'cors';
import express, { type Express, type Request, type RequestHandler } from 'express';
import helmet from 'helmet';
import { bankRoutes } from './bank/bank-routes.ts';
import { bankWebhookRoutes } from './bank/bank-webhook-routes.ts';
import type { Context } from './context.ts';
import { unseal as unsealApproval } from './executor/approval-preview.ts';
import { openAnswer } from './executor/idempotency.ts';
import { healthRoutes } from './health/health-routes.ts';
import { homeRoutes, openApiRoute } from './home/home-routes.ts';
import { body } from './http/body.ts';
import { Cookies } from './http/cookies.ts';
import type { Endpoint } from './http/endpoint.ts';
import { errorHandler, notFound } from './http/error-handler.ts';
import { limitPerAddress, UserLimits } from './http/limits.ts';
import { type Authenticate, mount } from './http/mount.ts';
import { openApiDocument } from './http/openapi.ts';
import { measured, requestId, requestLog } from './http/request-log.ts';
import { integrationsRoutes } from './integrations/integrations-routes.ts';
import { statusRoutes } from './integrations/status-routes.ts';
import { version } from './startup/version.ts';
import { AuditPages } from './users/audit-pages.ts';
import { usersRoutes } from './users/users-routes.ts';
import { waitlistRoutes } from './waitlist/waitlist-routes.ts';
import { prepareEndOfPending } from './workspace/confirmation-service.ts';
import { workspaceRoutes } from './workspace/workspace-routes.ts';

const ROOT = join(import.meta.dirname, '..');
const PREFLIGHT_SECONDS = 600;

/** What the app asks of the process around it. */
export interface ProcessState {
  connections(): number;
  draining(): boolean;
  /** Ends what the user still has open. */
  userDeleted(userId: string): void;
}

/** The Express app. The order of its layers stands here and nowhere else. */
export function createApp(context: Context, state: ProcessState): Express {
  const { config, logger } = context;
  const { limits } = config;
  const authenticate = authenticateWithin(new UserLimits(limits), context);
  const parsers = body(limits.bodyBytes, limits.formFields);
  const perAddress = limitPerAddress(limits.requestsPerMinute);
  const health = healthRoutes({ environment: config.environment, db: context.db, absentKeyIds: context.absentKeyIds, logger, ...state });
  const endpoints = featureEndpoints(context, authenticate, state);
  const documented = [...health, ...endpoints];
  endpoints.push(
    openApiRoute(() =>
      openApiDocument(documented, { publicUrl: context.addresses.publicUrl, version: version(), environment: config.environment }),
    ),
  );

  const app = express();
  app.disable('x-powered-by').disable('etag').set('trust proxy', config.trustProxy).set('query parser', 'simple');
  // An address is written in one way: a proxy that closes it closes it whole.
  app.enable('case sensitive routing').enable('strict routing');
  app.use(requestId);
  app.use(measured(context.telemetry, new Set(endpoints.concat(health).map(({ path }) => path)), logger));
  // Probes come many times a second: they stand before what they don't need.
  app.use(['/test', '/health'], limitPerAddress(limits.probesPerMinute));
  mount(app, health, authenticate, parsers);
  app.use(requestLog(logger));
  app.use(securityHeaders());
  // Before the limit, whose refusal is a page too.
  app.all(browserPaths(endpoints), (_request, response, next) => {
    response.locals.browser = true;
    next();
  });
  // Before the limit: a front end must be able to read that it was limited. Preflights end there, so they are counted first.
  app.use(when(isOptions, perAddress));
  app.use(crossOrigin(context));
  app.use(when((request) => !isOptions(request), perAddress));
  app.use('/assets', files('public'));
  app.use('/client', files('client'));
  if (context.sandbox !== undefined) app.use('/sandbox', context.sandbox.router);
  app.post(['/waitlist', '/email'], limitPerAddress(limits.waitlistPerMinute));
  app.use(providerPaths(endpoints), limitPerAddress(limits.providerRequestsPerMinute));
  mount(app, endpoints, authenticate, parsers);
  app.use(notFound);
  app.use(errorHandler(logger, context.telemetry));
  return app;
}

function featureEndpoints(context: Context, authenticate: Authenticate, { userDeleted }: ProcessState): Endpoint[] {
  const { config, db, logger, sessions, names, grants, revocations, workspace, accounts, userKeys } = context;
  const { publicUrl } = context.addresses;
  return [
    ...homeRoutes(config, publicUrl),
    ...waitlistRoutes(db, logger),
    ...integrationsRoutes(context.reloads, context.config.environment === 'development'),
    ...statusRoutes(db),
    ...workspaceRoutes({ deps: workspace, accounts, cookies: new Cookies(publicUrl), authenticate, publicUrl }),
    ...bankRoutes(context.bankDeps),
    ...bankWebhookRoutes(context.webhooks),
    ...usersRoutes({
      db,
      names,
      sessions,
      grants,
      revocations,
      prepareEndOfHeld: async (userId) => (workspace === undefined ? async () => [] : prepareEndOfPending(workspace, userId)),
      userDeleted,
      logger,
      userKeys,
      audit: new AuditPages(db, userKeys),
      unseal: { approval: unsealApproval, answer: openAnswer },
      perMinute: config.limits.userExportsPerMinute,
    }),
  ];
}

/** Counts a user's requests as soon as it is known whose they are. */
function authenticateWithin(limits: UserLimits, { sessions }: Context): Authenticate {
  return async (header, toProvider) => {
    const caller = await sessions.authenticate(header);
    limits.take(caller.userId, toProvider);
    return caller;
  };
}

/** A folder of ours, without an index and without redirects. */
function files(folder: string): RequestHandler {
  return express.static(join(ROOT, folder), { index: false, etag: true, fallthrough: true, redirect: false });
}

function when(applies: (request: Request) => boolean, handler: RequestHandler): RequestHandler {
  return (request, response, next) => (applies(request) ? handler(request, response, next) : next());
}

function isOptions({ method }: Request): boolean {
  return method === 'OPTIONS';
}

function providerPaths(endpoints: Endpoint[]): string[] {
  return endpoints.filter((endpoint) => endpoint.provider === true).map((endpoint) => endpoint.path);
}

function browserPaths(endpoints: Endpoint[]): string[] {
  return endpoints.filter((endpoint) => endpoint.browser === true).map((endpoint) => endpoint.path);
}

/** Everything is refused to a browser unless a page's own policy allows it. */
function securityHeaders() {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"] } },
    // The link page is a popup that talks to its opener.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
  });
}

function crossOrigin(context: Context) {
  return cors({
    origin: (origin, answer) => answer(null, origin !== undefined && context.allowsOrigin(origin)),
    credentials: true,
    methods: ['GET', 'POST', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type'],
    exposedHeaders: ['x-request-id', 'retry-after'],
    maxAge: PREFLIGHT_SECONDS,
  });
}
