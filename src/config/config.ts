import { isIP } from 'node:net';
import type { IPv4, IPv6 } from 'ipaddr.js';
import type { Limits } from './limits.ts';

export type { Limits };

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

/** How users sign in to the service's own pages: as an OAuth client of the issuer, or at the operator's page. */
export type SignInSettings = { clientId: string; clientSecret: string | undefined } | { pageUrl: string };

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

/** The server that mail to users is handed to (RFC 6409). */
export interface MailSettings {
  host: string;
  port: number;
  /** TLS from the first byte on (RFC 8314); else STARTTLS, which is required where there is a password. */
  implicitTls: boolean;
  credentials: { user: string; password: string } | undefined;
  /** The sender, a bare address. */
  from: string;
}

/** A language model that the assistant may use. */
export interface ModelSettings {
  /** What front ends call it. */
  name: string;
  provider: 'openai-compatible' | 'anthropic' | 'google';
  /** The provider's id of it. */
  model: string;
  /** Without a trailing slash; undefined: the provider's own address. */
  baseUrl: string | undefined;
  contextTokens: number;
  /** Per million tokens; undefined: it costs nothing. */
  inputPrice: number | undefined;
  outputPrice: number | undefined;
  apiKey: string | undefined;
  /** It is the sandbox's, which is no language model. */
  isStandIn?: true;
}

/** What one user's runs may use within a day (UTC); undefined: any amount. */
export interface ModelBudget {
  runs: number | undefined;
  steps: number | undefined;
  tokens: number | undefined;
  seconds: number | undefined;
  /** In the currency of the prices. */
  cost: number | undefined;
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

/** Hosts that the operator lists because they are not in the public internet (INTERNAL_HOSTS). */
export interface InternalHosts {
  /** By name or number, as in `URL.hostname` without brackets. They may be private, and spoken to by plain http. */
  names: ReadonlySet<string>;
  /** Addresses that may be private, and spoken to by plain http, whatever their names are. */
  ranges: readonly (readonly [IPv4 | IPv6, number])[];
}

/** A real provider, the sandbox, or undefined: not configured (in production only). */
export type ProviderConfig<Settings> = Settings | 'sandbox' | undefined;

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
  identity: ProviderConfig<IdentitySettings>;
  /** `sandbox`: at the sandbox's issuer. undefined: users can't sign in to the service's own pages. */
  signIn: ProviderConfig<SignInSettings>;
  /** The operator's own authorization server for MCP clients; undefined: the embedded one. */
  mcpIssuer: Pick<OidcSettings, 'issuer' | 'discoveryUrl'> | undefined;
  workspace: ProviderConfig<WorkspaceSettings>;
  bank: ProviderConfig<BankSettings>;
  /** `sandbox`: the one that it plays. undefined: mail can't be sent. */
  mail: ProviderConfig<MailSettings>;
  /** The assistant's models, the default one first; `sandbox`: its stand-in. */
  models: ModelSettings[] | 'sandbox';
  modelBudget: ModelBudget;
  /** Longest time that an issuer's keys are used before they are fetched again. */
  identityKeysMaxAgeSeconds: number;
  /** Mail addresses and domains that may use the service, lower case; empty: all. */
  allowedUsers: string[];
  /** Whether the console is served at /console. */
  console: boolean;
  /** Verified mail addresses of users who see how the service is doing, as they are compared. */
  operators: string[];
  /** Hosts of sources that may be private and spoken to by plain http. */
  internalHosts: InternalHosts;
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
