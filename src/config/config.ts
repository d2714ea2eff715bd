import { isIP } from 'node:net';

/** Limits, each settable by the variable of the same name in .env.example. */
export interface Limits {
  /** Requests a minute from one address, all routes but the probes together. */
  requestsPerMinute: number;
  /** Requests a minute of one signed-in user, wherever they come from. */
  userRequestsPerMinute: number;
  /** Of these, the ones that lead to a provider: from one address, and of one user. */
  providerRequestsPerMinute: number;
  userProviderRequestsPerMinute: number;
  /** GET /user/export of one user. */
  userExportsPerMinute: number;
  /** Live balances of one user within a day, which are paid for by the call. */
  userLiveBalancesPerDay: number;
  /** Waitlist entries a minute from one address. */
  waitlistPerMinute: number;
  /** Requests of `/test` and `/health/…` a minute from one address. */
  probesPerMinute: number;
  /** Largest request body, bytes. */
  bodyBytes: number;
  /** Fields of a urlencoded body. */
  formFields: number;
  /** Request line and headers together, bytes. */
  headerBytes: number;
  headerCount: number;
  /** A request's address, bytes; `queryBytes` what follows its question mark. */
  urlBytes: number;
  queryBytes: number;
  /** Open connections of this process, WebSockets included. */
  connections: number;
  /** Time a client has to send a request's headers, milliseconds. */
  headersTimeoutMs: number;
  /** Time a client has to send a whole request, milliseconds. */
  requestTimeoutMs: number;
  /** Time a client has to take an answer that is ready, milliseconds. */
  answerTimeoutMs: number;
  /** Time that an idle connection is kept, milliseconds. */
  keepAliveMs: number;
  /** Time a provider has to answer one of our steps, milliseconds. */
  providerTimeoutMs: number;
  /** Time the workspace provider has to answer a refresh, milliseconds. */
  refreshTimeoutMs: number;
  /** First retry of a revocation, seconds; doubles up to six hours. */
  revocationRetrySeconds: number;
  databaseConnections: number;
  socketAuthenticationMs: number;
  /** Largest message of a client that is signed in; others are answered with `too_large`. */
  socketPayloadBytes: number;
  /** What a socket may send in all before it is signed in. */
  socketOpeningBytes: number;
  /** Of all sockets of one user together. */
  socketBytesPerMinute: number;
  /** Upgrades a minute from one address. */
  socketConnectsPerMinute: number;
  /** Of one socket; those of a user's sockets together as many times that as there may be sockets. */
  socketMessagesPerMinute: number;
  socketsPerUser: number;
  /** Connections of this process that have not authenticated yet. */
  socketsWaiting: number;
  /** What may wait for a client that reads slowly, before nothing more is read from it. */
  socketBufferBytes: number;
  /** Time that such a client may take nothing at all, milliseconds. */
  socketStallMs: number;
  /** Between two pings, milliseconds; a client that misses two is given up. */
  socketPingMs: number;
  /** Requests of one socket that run at a time. */
  socketCalls: number;
  /** Time that running requests have to finish when the service stops, milliseconds. */
  socketDrainMs: number;
  /** Time between being unready and taking no more connections, for a balancer to notice, milliseconds. */
  stopWaitMs: number;
  /** Time a stop may take in all, milliseconds. */
  stopMs: number;
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
  /** Where the aggregator sends its events; unset where it couldn't reach this service. */
  webhookUrl: string | undefined;
  /** Page on which the sandbox's link flow runs; unset with the real aggregator. */
  linkPageUrl: string | undefined;
}

/** How a key service is reached. */
export interface KeyServiceSettings {
  /** Instead of the service's own address in the key's region. */
  endpoint: string | undefined;
  /** undefined: what the SDK finds on its own (a role of the machine or container, a profile). */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
}

/** Where metrics are served: never on the public listener. */
export interface MetricsSettings {
  host: string;
  port: number;
}

/** Where traces go, by OpenTelemetry's protocol over HTTP. */
export interface TracingSettings {
  url: string;
  /** `name=value,…`, percent-encoded; may hold a key. */
  headers: string | undefined;
  timeoutMs: number;
  compression: 'gzip' | 'none';
  /** As OTEL_TRACES_SAMPLER names them. */
  sampler: string;
  /** Share of traces that a ratio sampler takes, 0 to 1. */
  ratio: number;
  /** A request's own trace context is continued. */
  takesParents: boolean;
  /** Between two exports. */
  delayMs: number;
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
  /** For master keys that AWS KMS holds. */
  keyService: KeyServiceSettings;
  identity: Part<IdentitySettings>;
  workspace: Part<WorkspaceSettings>;
  bank: Part<BankSettings>;
  /** Longest that an issuer's keys are used without asking it again. */
  identityKeysMaxAgeSeconds: number;
  /** Addresses and domains that may use the service, lower case; empty = everyone. */
  allowedUsers: string[];
  allowedRedirectUris: string[];
  allowedOrigins: string[];
  integrationsFile: string;
  trustProxy: boolean | number | string;
  logLevel: string;
  /** `pretty`: readable lines, in development only. `json`: one JSON object per line. */
  logFormat: 'pretty' | 'json';
  /** undefined: not served. */
  metrics: MetricsSettings | undefined;
  /** undefined: not sent. */
  tracing: TracingSettings | undefined;
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
