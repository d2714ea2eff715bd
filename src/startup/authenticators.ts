import { isClientToken } from '../clients/client-token.ts';
import type { ClientTokens } from '../clients/client-tokens.ts';
import { AppError } from '../errors.ts';
import { bareCredential } from '../http/access/require-credential.ts';
import type { Caller, Principal } from '../principal.ts';
import type { Sessions } from '../users/sessions.ts';

interface CredentialsOf {
  sessions: Sessions;
  clientTokens: ClientTokens;
  mcpClients: { authenticate(credential: string): Promise<Principal> };
}

/** Who calls, by each kind of credential. All throw AppError `invalid_token`, `token_expired`, `forbidden`, `unavailable`. */
export function authenticators({ sessions, clientTokens, mcpClients }: CredentialsOf) {
  return {
    /** The user of an ID token. */
    async authenticateUser(header: string | undefined): Promise<Caller> {
      if (!isClientToken(bareCredential(header))) return sessions.authenticate(header);
      throw new AppError('invalid_token', 'An ID token is required. A personal access token can only list and call actions.');
    },
    /** The user of an ID token, where a client may not be. */
    async authenticateFirstParty(header: string | undefined): Promise<Caller> {
      if (isClientToken(bareCredential(header)))
        throw new AppError('forbidden', 'Only the user in person can do this, not a personal access token.');
      return sessions.authenticate(header);
    },
    /** The client of a token for /mcp: one of its own sign-in, or a personal access token. */
    async authenticateClient(header: string | undefined): Promise<Principal> {
      const credential = bareCredential(header);
      if (credential === '') throw new AppError('invalid_token', 'Sign in first: this address is for clients that the user has connected.');
      return (isClientToken(credential) ? clientTokens : mcpClients).authenticate(credential);
    },
    /** The principal of a bare credential, an ID token or a personal access token; a `Bearer ` prefix is tolerated. */
    async authenticateAny(header: string | undefined): Promise<Principal> {
      const credential = bareCredential(header);
      return (isClientToken(credential) ? clientTokens : sessions).authenticate(credential);
    },
  };
}
