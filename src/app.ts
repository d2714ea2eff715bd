import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import cors from 'cors';
import express, { type Express } from 'express';
import helmet from 'helmet';
import { bankRoutes } from './bank/bank-routes.ts';
import { type Context, isAllowedOrigin } from './context.ts';
import { healthRoutes } from './health/health-routes.ts';
import { homeRoutes, openApiRoute } from './home/home-routes.ts';
import { body } from './http/body.ts';
import { Cookies } from './http/cookies.ts';
import type { Endpoint } from './http/endpoint.ts';
import { errorHandler, notFound } from './http/error-handler.ts';
import { limitPerAddress } from './http/limits.ts';
import { mount } from './http/mount.ts';
import { openApiDocument } from './http/openapi.ts';
import { requestId, requestLog } from './http/request-log.ts';
import { integrationsRoutes } from './integrations/integrations-routes.ts';
import { statusRoutes } from './integrations/status-routes.ts';
import { usersRoutes } from './users/users-routes.ts';
import { waitlistRoutes } from './waitlist/waitlist-routes.ts';
import { queuePendingOfUser } from './workspace/confirmation-service.ts';
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
  const { config, sessions, logger } = context;
  const authenticate = (header: string | undefined) => sessions.authenticate(header);
  const parsers = body(config.limits.bodyBytes);
  const health = healthRoutes({ environment: config.environment, db: context.db, ...state });
  const endpoints = featureEndpoints(context, authenticate, state);
  const documented = [...health, ...endpoints];
  endpoints.push(
    openApiRoute(() =>
      openApiDocument(documented, { publicUrl: context.addresses.publicUrl, version: version(), environment: config.environment }),
    ),
  );

  const app = express();
  app.disable('x-powered-by').disable('etag').set('trust proxy', config.trustProxy).set('query parser', 'simple');
  app.use(requestId);
  // Probes come many times a second: they stand before what they don't need.
  mount(app, health, authenticate, parsers);
  app.use(requestLog(logger));
  app.use(securityHeaders());
  // Before the limit, whose refusal is a page too.
  app.all(browserPaths(endpoints), (_request, response, next) => {
    response.locals.browser = true;
    next();
  });
  // Before the limit: a front end must be able to read that it was limited.
  app.use(crossOrigin(context));
  app.use(limitPerAddress(config.limits.requestsPerMinute));
  app.use('/assets', express.static(join(ROOT, 'public'), { index: false, etag: true, fallthrough: true, redirect: false }));
  if (context.standIns !== undefined) app.use('/sandbox', context.standIns.router);
  app.post(['/waitlist', '/email'], limitPerAddress(config.limits.waitlistPerMinute));
  mount(app, endpoints, authenticate, parsers);
  app.use(notFound);
  app.use(errorHandler(logger));
  return app;
}

function featureEndpoints(
  context: Context,
  authenticate: (header: string | undefined) => ReturnType<Context['sessions']['authenticate']>,
  { userDeleted }: ProcessState,
): Endpoint[] {
  const { config, db, logger, sessions, grants, statuses, revocations, emit, workspace, accounts, bank } = context;
  const { publicUrl } = context.addresses;
  return [
    ...homeRoutes(config, publicUrl),
    ...waitlistRoutes(db, logger),
    ...integrationsRoutes(context.reloads),
    ...statusRoutes(db),
    ...workspaceRoutes({ parts: workspace, accounts, cookies: new Cookies(publicUrl), authenticate, publicUrl }),
    ...bankRoutes({ db, provider: bank, grants, statuses, revocations, emit }),
    ...usersRoutes({
      db,
      sessions,
      grants,
      revocations,
      releaseHeld: async (tx, userId) => (workspace === undefined ? [] : queuePendingOfUser(workspace, tx, userId)),
      userDeleted,
    }),
  ];
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
    origin: (origin, answer) => answer(null, origin !== undefined && isAllowedOrigin(context, origin)),
    credentials: true,
    methods: ['GET', 'POST', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type'],
    exposedHeaders: ['x-request-id', 'retry-after'],
    maxAge: PREFLIGHT_SECONDS,
  });
}

function version(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}
