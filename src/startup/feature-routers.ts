import { approvalsRouter } from '../approvals/approvals-routes.ts';
import { automationsRouter } from '../automations/automations-routes.ts';
import { bankRouter } from '../bank/bank-routes.ts';
import { chatRouter } from '../chat/chat-routes.ts';
import { threadsRouter } from '../chat/threads-routes.ts';
import { agentsRouter } from '../clients/agents-routes.ts';
import { allowancesRouter } from '../clients/allowances-routes.ts';
import { clientsRouter } from '../clients/clients-routes.ts';
import { readOnlyRouter } from '../clients/read-only-routes.ts';
import { tokensRouter } from '../clients/tokens-routes.ts';
import { toolsRouter } from '../clients/tools-routes.ts';
import type { Services } from '../context.ts';
import { AppError } from '../errors.ts';
import { homeRouter } from '../home/home-routes.ts';
import type { EndpointMiddleware, EndpointRouter } from '../http/endpoints/endpoint-router.ts';
import { Cookies } from '../http/pages/cookies.ts';
import type { Identity } from '../identity/identity.ts';
import { integrationsRouter } from '../integrations/integrations-routes.ts';
import { ClientLimits } from '../mcp/client-limits.ts';
import { mcpRouter } from '../mcp/mcp-routes.ts';
import { notificationsRouter } from '../notifications/channels/notifications-routes.ts';
import { operatorRouter } from '../operator/operator-routes.ts';
import type { Caller } from '../principal.ts';
import { signInRouter } from '../sign-in/sign-in-routes.ts';
import { sourcesRouter } from '../sources/source-routes.ts';
import { usersRouter } from '../users/users-routes.ts';
import { addressKey } from '../validation/email-address.ts';
import { waitlistRouter } from '../waitlist/waitlist-routes.ts';
import { workspaceRouter } from '../workspace/workspace-routes.ts';

/** What ends with a user or a session. */
export interface Endings {
  /** Closes the user's open connections. */
  userDeleted(userId: string): void;
  /** Closes the connections of sessions that have ended. */
  sessionsEnded(): Promise<void>;
}

/** One router for each feature. */
export function featureRouters(
  context: Services,
  middleware: EndpointMiddleware,
  { userDeleted, sessionsEnded }: Endings,
): EndpointRouter[] {
  const { config, db, logger, workspace, reloads } = context;
  const { publicUrl } = context.addresses;
  const showsProblems = config.environment === 'development';
  const users = {
    ...context,
    prepareConfirmationEnd: async (userId: string) => {
      const { prepareConfirmationEndOf } = await import('../connections/confirmation-service.ts');
      return prepareConfirmationEndOf(context, userId);
    },
    userDeleted,
    perMinute: config.limits.userExportsPerMinute,
  };
  // Each source is listed by its own name.
  const ownProviders = context.descriptors.filter(({ name, hasAccounts = true }) => name !== 'mcp' && hasAccounts);
  const loadSources = async () => {
    if (context.sources === undefined) throw new AppError('not_configured', 'Sources are not set up on this server.');
    return context.sources.open();
  };
  const isOperator = ({ email }: Caller) => email !== null && config.operators.includes(addressKey(email));
  const signIn = {
    ...context,
    sessionsEnded,
    cookies: new Cookies(publicUrl),
    origin: new URL(publicUrl).origin,
    offers: { sandbox: config.identity === 'sandbox', token: config.environment === 'development' },
    isOperator,
    authenticate: (idToken: string | undefined) => context.authenticateFirstParty(idToken),
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
    integrationsRouter({ db, providers: ownProviders, sources: () => context.catalog().sources, reloads, showsProblems }, middleware),
    workspaceRouter({ deps: workspace, accounts: context, cookies: new Cookies(publicUrl), publicUrl }, middleware),
    sourcesRouter({ load: loadSources, cookies: new Cookies(publicUrl), publicUrl }, middleware),
    bankRouter(context.bankDeps, context.webhooks, middleware),
    usersRouter(users, middleware),
    notificationsRouter(context, middleware),
    tokensRouter(context.clientTokens, middleware),
    clientsRouter(context.clientGrants, middleware),
    agentsRouter(context.executor, config.limits, middleware),
    toolsRouter(context, middleware),
    approvalsRouter(context, config.limits, middleware),
    allowancesRouter(context.allowances, middleware),
    readOnlyRouter(context.readOnlySwitches, middleware),
    threadsRouter(context, middleware),
    automationsRouter({ open: () => context.automations.open() }, middleware),
    chatRouter(context, middleware),
    mcpRouter(mcp, middleware),
    signInRouter(signIn, middleware),
    operatorRouter({ ...context, isOperator }, middleware),
  ];
}
