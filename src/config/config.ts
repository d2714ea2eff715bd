import { isIP } from 'node:net';

/** Limits. Each is set by the variable of the same name in .env.example. */
export interface Limits {
  /** Requests per minute from one address, to all routes except the probes. */
  requestsPerMinute: number;
  /** Requests per minute of one signed-in user, from all addresses. */
  userRequestsPerMinute: number;
  /** Requests per minute to routes that send requests to a provider: from one address, and of one user. */
  providerRequestsPerMinute: number;
  userProviderRequestsPerMinute: number;
  /** GET /user/export requests per minute of one user. */
  userExportsPerMinute: number;
  /** Requests for live balances per day of one user; the aggregator charges for each. */
  userLiveBalancesPerDay: number;
  /** Waitlist entries per minute from one address. */
  waitlistPerMinute: number;
  /** Requests to `/test` and `/health/…` per minute from one address. */
  probesPerMinute: number;
  /** Largest request body, bytes. */
  bodyBytes: number;
  /** Fields of a URL-encoded body. */
  formFields: number;
  /** Request line and headers together, bytes. */
  headerBytes: number;
  headerCount: number;
  /** Request target, bytes; `queryBytes` is the part after the question mark. */
  urlBytes: number;
  queryBytes: number;
  /** Open connections of this process, including WebSockets. */
  connections: number;
  /** For receiving a request's headers, milliseconds. */
  headersTimeoutMs: number;
  /** For receiving a whole request, milliseconds. */
  requestTimeoutMs: number;
  /** For a client to receive a response that is ready, milliseconds. */
  answerTimeoutMs: number;
  /** Time an idle connection is kept open, milliseconds. */
  keepAliveMs: number;
  /** For a provider's response to one step, milliseconds. */
  providerTimeoutMs: number;
  /** For the workspace provider's response to a token refresh, milliseconds. */
  refreshTimeoutMs: number;
  /** Pause before the first retry of a revocation, seconds; doubles up to six hours. */
  revocationRetrySeconds: number;
  databaseConnections: number;
  /** For a WebSocket to authenticate, milliseconds. */
  socketAuthenticationMs: number;
  /** Largest message of an authenticated WebSocket, bytes; a larger one is rejected with `too_large`. */
  socketPayloadBytes: number;
  /** Bytes that a WebSocket may send in total before it is authenticated. */
  socketOpeningBytes: number;
  /** Bytes per minute that all WebSockets of one user may send. */
  socketBytesPerMinute: number;
  /** Upgrades per minute from one address. */
  socketConnectsPerMinute: number;
  /** Messages per minute of one WebSocket. All WebSockets of a user together: this times `socketsPerUser`. */
  socketMessagesPerMinute: number;
  socketsPerUser: number;
  /** WebSockets of this process that are not yet authenticated. */
  socketsWaiting: number;
  /** Bytes buffered for a slow client before the service stops reading from it. */
  socketBufferBytes: number;
  /** Time such a client may receive nothing before it is disconnected, milliseconds. */
  socketStallMs: number;
  /** Interval of pings, milliseconds; a client that misses two is disconnected. */
  socketPingMs: number;
  /** Concurrent requests of one WebSocket. */
  socketCalls: number;
  /** For running WebSocket requests to finish during a shutdown, milliseconds. */
  socketDrainMs: number;
  /** Time between becoming unready and closing the listener, for a load balancer to notice, milliseconds. */
  stopWaitMs: number;
  /** For the whole shutdown, milliseconds. */
  stopMs: number;
}

export interface OidcSettings {
  kind: 'oidc';
  issuer: string;
  audience: string;
  /** The discovery document; at another address than the issuer only for the sandbox, whose address may change. */
  discoveryUrl: string;
}

export interface FirebaseSettings {
  kind: 'firebase';
  projectId: string;
  /** Whether revocation is checked; it needs a service account's key file. */
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
  /** Root of the provider's APIs, possibly with a path; unset: the provider's own hosts. */
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
  /** Where the aggregator sends its webhooks; unset if it cannot reach this service. */
  webhookUrl: string | undefined;
  /** The page of the sandbox's link flow; unset for the real aggregator. */
  linkPageUrl: string | undefined;
}

/** Access to AWS KMS. */
export interface KeyServiceSettings {
  /** Overrides the service's address in the key's region. */
  endpoint: string | undefined;
  /** undefined: the SDK's default credentials (the role of the machine or container, a profile). */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
}

/** The listener of the metrics, which is separate from the public one. */
export interface MetricsSettings {
  host: string;
  port: number;
}

/** Export of traces by OTLP over HTTP. */
export interface TracingSettings {
  url: string;
  /** `name=value,…`, percent-encoded; may contain a secret. */
  headers: string | undefined;
  timeoutMs: number;
  compression: 'gzip' | 'none';
  /** A value of OTEL_TRACES_SAMPLER. */
  sampler: string;
  /** Share of traces that a ratio sampler keeps, 0 to 1. */
  ratio: number;
  /** Whether the `traceparent` header of requests is accepted. */
  takesParents: boolean;
  /** Interval of exports, milliseconds. */
  delayMs: number;
}

/** A real provider, the sandbox, or undefined: not configured (in production only). */
export type Part<Settings> = Settings | 'sandbox' | undefined;

export interface Config {
  environment: 'development' | 'production';
  host: string;
  port: number;
  /** {base_url} as browsers see it, without a trailing slash; unset: the listener's address. */
  publicUrl: string | undefined;
  siteUrl: string | undefined;
  /** Postgres; unset: the embedded database in `dataDir`. */
  databaseUrl: string | undefined;
  dataDir: string;
  masterKeys: { kind: 'inline'; text: string } | { kind: 'file'; path: string } | { kind: 'development' };
  /** For master keys in AWS KMS. */
  keyService: KeyServiceSettings;
  identity: Part<IdentitySettings>;
  workspace: Part<WorkspaceSettings>;
  bank: Part<BankSettings>;
  /** Longest time that an issuer's keys are used before they are fetched again. */
  identityKeysMaxAgeSeconds: number;
  /** E-mail addresses and domains that may use the service, lower case; empty: all. */
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
  /** Whether the sandbox may be served on a listener other than loopback. */
  exposeSandbox: boolean;
  limits: Limits;
}

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Whether a host name (as in `URL.hostname`) always refers to this machine. */
export function isLoopback(hostname: string): boolean {
  if (LOOPBACK_HOSTS.has(hostname)) return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}
