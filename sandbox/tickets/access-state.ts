export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

/** A client that registered itself. */
export interface RegisteredClient {
  name: string;
  redirectUris: string[];
  method: (typeof AUTH_METHODS)[number];
  /** SHA-256 of its secret; null: it has none. */
  secretHash: string | null;
}

/** What somebody allowed a client. */
export interface AccessGrant {
  /** Id of a user of the tracker. */
  user: string;
  clientId: string;
  scopes: string[];
}

export interface StoredToken {
  kind: 'access' | 'refresh';
  grant: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** A refresh token that was used: another use of it ends its grant. */
  spent: boolean;
}

/** Clients, grants and tokens, which are stored as SHA-256 hashes only. */
export interface AccessState {
  clients: Record<string, RegisteredClient>;
  grants: Record<string, AccessGrant>;
  tokens: Record<string, StoredToken>;
}

/** What tests change. A restart resets it. */
export interface AccessBehaviour {
  tokenLifeSeconds: number;
  omitRefreshToken: boolean;
  /** Answers don't say who gives them, as of most servers in use (RFC 9207). */
  omitIss: boolean;
}

export function seedAccess(): AccessState {
  return { clients: {}, grants: {}, tokens: {} };
}
