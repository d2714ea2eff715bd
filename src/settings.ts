import { isIP } from 'node:net';

/** Limits, each settable by the variable of the same name in .env.example. */
export interface Limits {
  /** Largest request body, bytes. */
  bodyBytes: number;
  /** Requests a minute from one address, all routes together. */
  requestsPerMinute: number;
  /** Waitlist entries a minute from one address. */
  waitlistPerMinute: number;
  /** Time a client has to send a whole request, milliseconds. */
  requestTimeoutMs: number;
  /** Time a provider has to answer one of our steps, milliseconds. */
  providerTimeoutMs: number;
  /** First retry of a revocation, seconds; doubles up to six hours. */
  revocationRetrySeconds: number;
  databaseConnections: number;
  socketAuthenticationMs: number;
  socketPayloadBytes: number;
  /** Upgrades a minute from one address. */
  socketConnectsPerMinute: number;
  /** Of one socket; those of a user's sockets together as many times that as there may be sockets. */
  socketMessagesPerMinute: number;
  socketsPerUser: number;
  /** Connections of this process that have not authenticated yet. */
  socketsWaiting: number;
  /** Requests of one socket that run at a time. */
  socketCalls: number;
  /** Time that running requests have to finish when the service stops, milliseconds. */
  socketDrainMs: number;
}

export interface OidcSettings {
  kind: 'oidc';
  issuer: string;
  audience: string;
  /** Where discovery starts; differs from the issuer only for the sandbox, whose address may change. */
  discoveryUrl: string;
}

export interface FirebaseSettings {
  kind: 'firebase';
  projectId: string;
  /** A service account's key file is configured, so that revocation can be checked. */
  checkRevoked: boolean;
}

export type IdentitySettings = OidcSettings | FirebaseSettings;

export interface WorkspaceSettings {
  clientId: string;
  clientSecret: string;
  authUrl: string;
  tokenUrl: string;
  userinfoUrl: string;
  revokeUrl: string;
  /** Root of the provider's APIs, possibly with a path; unset = the provider's own hosts. */
  apiUrl: string | undefined;
  /** Expected `iss` of id_tokens and of the callback. */
  issuer: string;
}

export interface BankSettings {
  clientId: string;
  secret: string;
  /** Base address without a trailing slash. */
  baseUrl: string;
  countryCodes: string[];
  redirectUri: string | undefined;
  /** Page on which the sandbox's link flow runs; unset with the real aggregator. */
  linkPageUrl: string | undefined;
}

/** A part is real, a local stand-in, or (in production) left off. */
export type Part<Settings> = Settings | 'sandbox' | undefined;

export interface Config {
  environment: 'development' | 'production';
  host: string;
  port: number;
  /** {base_url} as browsers see it, no trailing slash; unset = the listener's address. */
  publicUrl: string | undefined;
  siteUrl: string | undefined;
  /** Postgres; unset = the embedded database in `dataDir`. */
  databaseUrl: string | undefined;
  dataDir: string;
  masterKeys: { kind: 'inline'; text: string } | { kind: 'file'; path: string } | { kind: 'development' };
  identity: Part<IdentitySettings>;
  workspace: Part<WorkspaceSettings>;
  bank: Part<BankSettings>;
  /** Addresses and domains that may use the service, lower case; empty = everyone. */
  allowedUsers: string[];
  allowedRedirectUris: string[];
  allowedOrigins: string[];
  integrationsFile: string;
  trustProxy: boolean | number | string;
  logLevel: string;
  /** The sandbox may stand on a listener other than loopback. */
  exposeSandbox: boolean;
  limits: Limits;
}

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Whether a host name (as in `URL.hostname`) can only be this machine. */
export function isLoopback(hostname: string): boolean {
  if (LOOPBACK_HOSTS.has(hostname)) return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}
