import { ClientTokens } from '../clients/client-tokens.ts';
import { ClientGrants } from '../executor/client-grants.ts';
import type { Executor } from '../executor/executor.ts';
import { createAccessTokenVerifier, type VerifierOptions } from '../identity/verifier.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { ExternalClients } from '../mcp/external-clients.ts';
import { MCP_PATH } from '../mcp/mcp-routes.ts';
import { AuthorizationServer } from '../oauth/authorization-server.ts';
import { ClientAccessTokens } from '../oauth/client-access-tokens.ts';
import type { FetchDocument } from '../oauth/clients/client-documents.ts';
import { Consents } from '../oauth/consent/consents.ts';
import type { Sessions } from '../users/sessions.ts';
import { ServiceSecrets } from '../vault/keys/service-secrets.ts';
import type { Core } from './core.ts';
import type { createEvents } from './create-events.ts';

interface ClientDeps extends ReturnType<typeof createEvents> {
  publicUrl: string;
  sessions: Sessions;
  verifying: VerifierOptions;
  executor: Executor;
  catalog: () => Catalog;
  fetchDocument: FetchDocument | undefined;
}

/** Scripts and assistants with credentials of their own: personal access tokens, and apps that users sign in to. */
export function createClients({ config, clock, logger, db, keyring }: Core, deps: ClientDeps) {
  const { publicUrl, sessions, executor, catalog } = deps;
  const assertAllowed = (email: string | null) => sessions.assertAllowed(email);
  const accountIds = async (userId: string) => (await executor.accounts(userId)).map(({ id }) => id);
  const clientGrants = new ClientGrants({ ...deps, db, accountIds });
  const serviceSecrets = new ServiceSecrets(db, keyring);
  const authorizationServer = new AuthorizationServer({
    db,
    clock,
    publicUrl,
    secrets: serviceSecrets,
    clientGrants,
    assertAllowed,
    documentsPerMinute: config.limits.oauthDocumentsPerMinute,
    isDevelopment: config.environment === 'development',
    logger,
    fetchDocument: deps.fetchDocument,
  });
  const mcpClients =
    config.mcpIssuer === undefined
      ? new ClientAccessTokens({ db, publicUrl, assertAllowed })
      : new ExternalClients({
          clock,
          grants: clientGrants,
          verify: createAccessTokenVerifier(config.mcpIssuer, publicUrl + MCP_PATH, deps.verifying),
          user: (issuer, subject, issuedAt) => sessions.known(issuer, subject, issuedAt),
        });
  return {
    clientGrants,
    clientTokens: new ClientTokens({ db, grants: clientGrants, assertAllowed }),
    serviceSecrets,
    authorizationServer,
    consents: new Consents({ server: authorizationServer, clientGrants, catalog }),
    /** Whose access tokens are accepted at /mcp, besides personal ones. */
    mcpClients,
  };
}
