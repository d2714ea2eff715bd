import { join } from 'node:path';
import express, { type Express, type Request, type RequestHandler } from 'express';
import { approvalsRouter } from './approvals/approvals-routes.ts';
import { chatRouter } from './assistant/chat-routes.ts';
import { threadsRouter } from './assistant/threads-routes.ts';
import { bankRouter } from './bank/bank-routes.ts';
import { agentsRouter } from './clients/agents-routes.ts';
import { allowancesRouter } from './clients/allowances-routes.ts';
import { clientsRouter } from './clients/clients-routes.ts';
import { readOnlyRouter } from './clients/read-only-routes.ts';
import { tokensRouter } from './clients/tokens-routes.ts';
import { toolsRouter } from './clients/tools-routes.ts';
import type { Context } from './context.ts';
import { AppError } from './errors.ts';
import { healthRouter } from './health/health-routes.ts';
import { asyncApiRouter, homeRouter, openApiRouter } from './home/home-routes.ts';
import { body } from './http/body.ts';
import { Cookies } from './http/cookies.ts';
import type { EndpointMiddleware, EndpointRouter } from './http/endpoint-router.ts';
import { allowErrorPages, errorHandler, notFound } from './http/error-handler.ts';
import { requireFirstParty, SESSION_COOKIE } from './http/first-party.ts';
import { admitted, authenticateWithin, limitBytesPerUser, limitPerAddress } from './http/limits.ts';
import { measured, requestId, requestLog } from './http/request-log.ts';
import { inOrder, matcher, mount } from './http/route-table.ts';
import { anyOrigin, crossOrigin, securityHeaders } from './http/security-headers.ts';
import type { Identity } from './identity/identity.ts';
import { integrationsRouter } from './integrations/integrations-routes.ts';
import { ClientLimits } from './mcp/client-limits.ts';
import { MCP_PATH, mcpRouter, resourcePaths } from './mcp/mcp-routes.ts';
import { consentRouter } from './oauth/consent/consent-routes.ts';
import { protocolPaths, protocolRouter, publicPaths } from './oauth/oauth-routes.ts';
import { signInRouter } from './sign-in/sign-in-routes.ts';
import { version } from './startup/version.ts';
import { usersRouter } from './users/users-routes.ts';
import { waitlistRouter } from './waitlist/waitlist-routes.ts';
import { prepareEndOfPending } from './workspace/confirmation-service.ts';
import { workspaceRouter } from './workspace/workspace-routes.ts';

const ROOT = join(import.meta.dirname, '..');

/** What the app needs of the process around it. */
export interface ProcessState {
  connections(): number;
  draining(): boolean;
  /** Closes the user's open connections. */
  userDeleted(userId: string): void;
}

/** The Express app: every layer, in the order in which a request passes through it. */
export function createApp(context: Context, state: ProcessState): Express {
  const { config, clock, logger, telemetry, addresses } = context;
  const middleware = endpointMiddleware(context);
  const health = healthRouter({ ...context, environment: config.environment, ...state }, middleware);
  const features = featureRouters(context, middleware, state);
  const documented = [health, ...features].flatMap(({ endpoints }) => endpoints);
  const service = { publicUrl: addresses.publicUrl, version: version(), environment: config.environment };
  // Both documents are loaded when they are first read; the second makes a set of schemas that only it needs.
  const openApi = openApiRouter(async () => {
    const { openApiDocument } = await import('./http/openapi.ts');
    return () => openApiDocument(documented, service);
  }, middleware);
  const asyncApi = asyncApiRouter(async () => {
    const { asyncApiDocument } = await import('./socket/asyncapi.ts');
    return () => asyncApiDocument(service);
  }, middleware);
  const { consent, protocol } = authorizationRouters(context, middleware);
  const endpoints = [...documented, ...openApi.endpoints, ...asyncApi.endpoints, ...consent.endpoints];
  const isForBrowsers = matcher(endpoints.filter(({ browser }) => browser === true).map(({ path }) => path));
  const forAnyOrigin = new Set([...publicPaths(addresses.publicUrl), ...resourcePaths(addresses.publicUrl)]);
  const isForAnyOrigin = ({ path }: Request) => forAnyOrigin.has(path);
  const routes = new Set([...endpoints.map(({ path }) => path), ...protocolPaths(addresses.publicUrl), MCP_PATH]);
  const perAddress = limitPerAddress(clock, config.limits.requestsPerMinute);

  const app = express();
  app.disable('x-powered-by').disable('etag').set('trust proxy', config.trustProxy).set('query parser', 'simple');
  // An address has one spelling, so that a proxy that blocks it blocks it completely.
  app.enable('case sensitive routing').enable('strict routing');
  const ownOrigins = crossOrigin((origin) => context.allowsOrigin(origin));
  app.use(
    inOrder(
      requestId,
      measured(telemetry, routes, logger),
      // Probes are frequent: they come before the layers that they don't need.
      mount(health),
      requestLog(clock, logger),
      securityHeaders(),
      // Before the limit, because its error is a page too.
      when(({ path }) => isForBrowsers(path), allowErrorPages),
      // CORS comes before the limit, so that a front end can read the error. It ends preflights, so these are counted before it.
      when(isOptions, perAddress),
      when(isForAnyOrigin, anyOrigin()),
      when((request) => !isForAnyOrigin(request), ownOrigins),
      when((request) => !isOptions(request), perAddress),
      mount(...features, openApi, asyncApi),
    ),
  );
  app.use('/assets', files('public'));
  app.use('/client', files('client'));
  // A development dependency, for the page at /api-docs.
  if (config.environment === 'development') app.use('/assets/swagger-ui', files('node_modules/swagger-ui-dist'));
  if (context.sandbox !== undefined) app.use('/sandbox', context.sandbox.router);
  // With MCP_ISSUER, clients sign in at the operator's own server.
  if (config.mcpIssuer === undefined) app.use(protocol, mount(consent));
  app.use(notFound);
  app.use(errorHandler(logger, telemetry));
  return app;
}

/** Of the embedded authorization server: the protocol's endpoints, and the page where users consent. */
function authorizationRouters(context: Context, middleware: EndpointMiddleware) {
  const { authorizationServer, consents, executor, config, webSessions } = context;
  const cookies = new Cookies(context.addresses.publicUrl);
  const consent = consentRouter({ consents, accounts: (userId) => executor.accounts(userId) }, middleware);
  const protocol = protocolRouter(authorizationServer, {
    bodyBytes: config.limits.bodyBytes,
    registrationsPerMinute: config.limits.oauthRegistrationsPerMinute,
    limitAuthorizations: middleware.limits.provider,
    async currentUser(request) {
      const secret = cookies.read(request, SESSION_COOKIE);
      // A session that has ended is none.
      return secret === undefined ? undefined : (await webSessions.find(secret).catch(ifSignedOut))?.userId;
    },
  });
  return { consent, protocol };
}

function ifSignedOut(error: unknown): undefined {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
}

function endpointMiddleware(context: Context): EndpointMiddleware {
  const { clock, authenticateUser, authenticateAny, authenticateClient, authenticateFirstParty, addresses } = context;
  const { limits } = context.config;
  const within = authenticateWithin(clock, limits, {
    idToken: authenticateUser,
    any: authenticateAny,
    client: authenticateClient,
    firstParty: authenticateFirstParty,
  });
  const { origin } = new URL(addresses.publicUrl);
  return {
    clock,
    ...within,
    requireFirstParty: requireFirstParty(within.authenticateFirstParty, new Cookies(addresses.publicUrl), origin),
    parseBody: body(limits.bodyBytes, limits.formFields),
    limitBytes: limitBytesPerUser(clock, limits.socketBytesPerMinute),
    limits: {
      probe: limitPerAddress(clock, limits.probesPerMinute),
      waitlist: limitPerAddress(clock, limits.waitlistPerMinute),
      provider: limitPerAddress(clock, limits.providerRequestsPerMinute),
    },
    admit: admitted(context.admission),
  };
}

/** One router for each feature. */
export function featureRouters(context: Context, middleware: EndpointMiddleware, { userDeleted }: ProcessState): EndpointRouter[] {
  const { config, db, logger, workspace, reloads } = context;
  const { publicUrl } = context.addresses;
  const showsProblems = config.environment === 'development';
  const users = {
    ...context,
    prepareEndOfHeld: async (userId: string) => (workspace === undefined ? async () => [] : prepareEndOfPending(workspace, userId)),
    userDeleted,
    perMinute: config.limits.userExportsPerMinute,
  };
  const signIn = {
    ...context,
    cookies: new Cookies(publicUrl),
    authenticate: (idToken: string | undefined) => context.authenticateFirstParty(idToken, undefined),
    callerOf: (identity: Identity) => context.sessions.callerOf(identity),
  };
  const mcp = {
    ...context,
    limits: new ClientLimits(config.limits.mcpRequestsPerMinute, config.limits.mcpCalls, context.clock),
    streamMs: config.limits.mcpStreamMs,
    publicUrl,
    authorizationServers: [config.mcpIssuer?.issuer ?? publicUrl],
    development: config.environment === 'development',
    authenticate: middleware.authenticateClient,
  };
  return [
    homeRouter(config, publicUrl, middleware),
    waitlistRouter(db, logger, middleware),
    integrationsRouter({ db, providers: context.descriptors, reloads, showsProblems }, middleware),
    workspaceRouter({ deps: workspace, accounts: context, cookies: new Cookies(publicUrl), publicUrl }, middleware),
    bankRouter(context.bankDeps, context.webhooks, middleware),
    usersRouter(users, middleware),
    tokensRouter(context.clientTokens, middleware),
    clientsRouter(context.clientGrants, middleware),
    agentsRouter(context.executor, config.limits, middleware),
    toolsRouter(context, middleware),
    approvalsRouter(context.executor, config.limits, middleware),
    allowancesRouter(context.allowances, middleware),
    readOnlyRouter(context.readOnlySwitches, middleware),
    threadsRouter(context, middleware),
    chatRouter(context, middleware),
    mcpRouter(mcp, middleware),
    signInRouter(signIn, middleware),
  ];
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
