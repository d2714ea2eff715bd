import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { StartRefused } from './errors.ts';
import { parseKeyset } from './keyset.ts';

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
  socketMessagesPerMinute: number;
  socketsPerUser: number;
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

type Environment = Record<string, string | undefined>;

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/** Whether a host name (as in `URL.hostname`) can only be this machine. */
export function isLoopback(hostname: string): boolean {
  if (LOOPBACK_HOSTS.has(hostname)) return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}

const positive = z.coerce.number().int().positive();
const flag = z.enum(['0', '1', 'true', 'false']).transform((value) => value === '1' || value === 'true');
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const port = z.coerce.number().int().min(0).max(65535);

const variables = z.object({
  NODE_ENV: z.enum(['development', 'production']).default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  PUBLIC_URL: z.string().optional(),
  SITE_URL: z.string().optional(),
  DATABASE_URL: z.string().optional(),
  DATA_DIR: z.string().default('.data'),
  MASTER_KEYS: z.string().optional(),
  MASTER_KEYS_FILE: z.string().optional(),
  FIREBASE_PROJECT_ID: z.string().optional(),
  GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
  FIREBASE_AUTH_EMULATOR_HOST: z.string().optional(),
  OIDC_ISSUER: z.string().optional(),
  OIDC_AUDIENCE: z.string().optional(),
  ALLOWED_USERS: list.default([]),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GOOGLE_AUTH_URL: z.string().default('https://accounts.google.com/o/oauth2/v2/auth'),
  GOOGLE_TOKEN_URL: z.string().default('https://oauth2.googleapis.com/token'),
  GOOGLE_USERINFO_URL: z.string().default('https://openidconnect.googleapis.com/v1/userinfo'),
  GOOGLE_REVOKE_URL: z.string().default('https://oauth2.googleapis.com/revoke'),
  GOOGLE_API_URL: z.string().optional(),
  GOOGLE_ISSUER: z.string().default('https://accounts.google.com'),
  PLAID_CLIENT_ID: z.string().optional(),
  PLAID_SECRET: z.string().optional(),
  PLAID_COUNTRY_CODES: list.default(['US']),
  PLAID_REDIRECT_URI: z.string().optional(),
  PLAID_BASE_URL: z.string().optional(),
  ALLOWED_REDIRECT_URIS: list.default([]),
  ALLOWED_ORIGINS: list.default([]),
  INTEGRATIONS_FILE: z.string().default('integrations.yaml'),
  TRUST_PROXY: z.string().default('false'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  SANDBOX: z.enum(['expose']).optional(),
  ALLOW_MIXED: flag.default(false),
  NODE_TLS_REJECT_UNAUTHORIZED: z.string().optional(),
  LIMIT_BODY_BYTES: positive.default(10_240),
  LIMIT_REQUESTS_PER_MINUTE: positive.default(3_000),
  LIMIT_WAITLIST_PER_MINUTE: positive.default(120),
  LIMIT_REQUEST_TIMEOUT_MS: positive.default(30_000),
  LIMIT_PROVIDER_TIMEOUT_MS: positive.max(10_000).default(10_000),
  LIMIT_REVOCATION_RETRY_SECONDS: positive.max(21_600).default(60),
  LIMIT_DATABASE_CONNECTIONS: positive.default(10),
  LIMIT_SOCKET_AUTHENTICATION_MS: positive.default(5_000),
  LIMIT_SOCKET_PAYLOAD_BYTES: positive.default(65_536),
  LIMIT_SOCKET_MESSAGES_PER_MINUTE: positive.default(100),
  LIMIT_SOCKETS_PER_USER: positive.default(10),
});

type Variables = z.infer<typeof variables>;

/** Removed from the environment once read, so that a later dump of it shows nothing (research/security: Keys). */
const SECRET_VARIABLES = ['MASTER_KEYS', 'GOOGLE_CLIENT_SECRET', 'PLAID_SECRET', 'DATABASE_URL'];

/**
 * Reads and checks the whole environment: the only reader of `process.env`.
 *
 * @param environment name → value; secrets are deleted from it
 * @throws StartRefused one message that names every variable at fault
 */
export function loadConfig(environment: Environment = process.env): Config {
  // An empty value means "not set", as in `FOO=` of an .env file.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = variables.safeParse(given);
  if (!parsed.success) {
    throw refuse(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const problems = new Problems(parsed.data.NODE_ENV === 'production');
  const config = assemble(parsed.data, problems);
  if (problems.found.length > 0) throw refuse(problems.found);
  for (const name of SECRET_VARIABLES) delete environment[name];
  return config;
}

function refuse(problems: string[]): StartRefused {
  const lines = problems.map((problem) => `  - ${problem}`).join('\n');
  return new StartRefused(`Steward can't start with this configuration:\n${lines}\nEvery variable is described in .env.example.`);
}

class Problems {
  readonly found: string[] = [];
  readonly production: boolean;

  constructor(production: boolean) {
    this.production = production;
  }

  add(variable: string, problem: string): void {
    this.found.push(`${variable}: ${problem}`);
  }

  /** A http(s) address without credentials or fragment, https in production unless loopback; returned without trailing slash. */
  address(variable: string, value: string): string {
    const url = URL.parse(value);
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
      this.add(variable, 'is not an http(s) address');
      return value;
    }
    if (url.username !== '' || url.password !== '' || url.hash !== '') {
      this.add(variable, 'must hold neither credentials nor a fragment');
    }
    if (this.production && url.protocol !== 'https:' && !isLoopback(url.hostname)) {
      this.add(variable, 'must be https in production');
    }
    return value.replace(/\/+$/, '');
  }

  optionalAddress(variable: string, value: string | undefined): string | undefined {
    return value === undefined ? undefined : this.address(variable, value);
  }
}

function assemble(env: Variables, problems: Problems): Config {
  checkProcess(env, problems);
  const config: Config = {
    environment: env.NODE_ENV,
    host: env.HOST,
    port: env.PORT,
    publicUrl: problems.optionalAddress('PUBLIC_URL', env.PUBLIC_URL),
    siteUrl: env.SITE_URL === undefined ? undefined : siteUrl(env.SITE_URL, problems),
    databaseUrl: databaseUrl(env, problems),
    dataDir: resolve(env.DATA_DIR),
    masterKeys: masterKeys(env, problems),
    identity: identity(env, problems),
    workspace: workspace(env, problems),
    bank: bank(env, problems),
    allowedUsers: env.ALLOWED_USERS.map((user) => user.toLowerCase()),
    allowedRedirectUris: env.ALLOWED_REDIRECT_URIS.map((uri) => redirectUri(uri, problems)),
    allowedOrigins: env.ALLOWED_ORIGINS.map((origin) => allowedOrigin(origin, problems)),
    integrationsFile: resolve(env.INTEGRATIONS_FILE),
    trustProxy: trustProxy(env.TRUST_PROXY),
    logLevel: env.LOG_LEVEL,
    exposeSandbox: env.SANDBOX === 'expose',
    limits: limits(env),
  };
  checkSandbox(config, env, problems);
  return config;
}

function checkProcess(env: Variables, problems: Problems): void {
  if (!problems.production) return;
  if (env.PUBLIC_URL === undefined) problems.add('PUBLIC_URL', 'is missing: the address browsers reach this service at');
  if (env.SITE_URL === undefined) problems.add('SITE_URL', 'is missing: where GET / leads');
  if (env.FIREBASE_AUTH_EMULATOR_HOST !== undefined) {
    problems.add('FIREBASE_AUTH_EMULATOR_HOST', 'must not be set in production: unsigned tokens would be accepted');
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    problems.add('NODE_TLS_REJECT_UNAUTHORIZED', 'must not be 0 in production: certificates would not be checked');
  }
  if (env.SANDBOX !== undefined) problems.add('SANDBOX', 'must not be set in production');
}

function siteUrl(value: string, problems: Problems): string {
  problems.address('SITE_URL', value);
  return value;
}

function databaseUrl(env: Variables, problems: Problems): string | undefined {
  if (env.DATABASE_URL === undefined) {
    if (problems.production) problems.add('DATABASE_URL', 'is missing: production has no embedded database');
    return undefined;
  }
  if (!/^postgres(ql)?:\/\//.test(env.DATABASE_URL)) problems.add('DATABASE_URL', 'is not a postgres:// address');
  return env.DATABASE_URL;
}

function masterKeys(env: Variables, problems: Problems): Config['masterKeys'] {
  if (env.MASTER_KEYS !== undefined && env.MASTER_KEYS_FILE !== undefined) {
    problems.add('MASTER_KEYS_FILE', 'and MASTER_KEYS exclude each other');
  }
  if (env.MASTER_KEYS_FILE !== undefined) {
    try {
      parseKeyset(readFileSync(env.MASTER_KEYS_FILE, 'utf8'));
    } catch (error) {
      const unreadable = error instanceof Error && 'code' in error;
      problems.add('MASTER_KEYS_FILE', unreadable ? `can't be read (${error.code})` : (error as Error).message);
    }
    return { kind: 'file', path: resolve(env.MASTER_KEYS_FILE) };
  }
  if (env.MASTER_KEYS !== undefined) {
    try {
      parseKeyset(env.MASTER_KEYS);
    } catch (error) {
      problems.add('MASTER_KEYS', (error as Error).message);
    }
    return { kind: 'inline', text: env.MASTER_KEYS };
  }
  if (problems.production) problems.add('MASTER_KEYS', 'is missing (or MASTER_KEYS_FILE): nothing could be encrypted');
  return { kind: 'development' };
}

function identity(env: Variables, problems: Problems): Config['identity'] {
  if (env.FIREBASE_PROJECT_ID !== undefined && env.OIDC_ISSUER !== undefined) {
    problems.add('OIDC_ISSUER', 'and FIREBASE_PROJECT_ID exclude each other');
  }
  if (env.FIREBASE_PROJECT_ID !== undefined) {
    return {
      kind: 'firebase',
      projectId: env.FIREBASE_PROJECT_ID,
      checkRevoked: env.GOOGLE_APPLICATION_CREDENTIALS !== undefined,
    };
  }
  if (env.OIDC_ISSUER !== undefined) {
    problems.address('OIDC_ISSUER', env.OIDC_ISSUER);
    if (env.OIDC_AUDIENCE === undefined) problems.add('OIDC_AUDIENCE', 'is missing: the client id ID tokens are made out to');
    // The issuer is compared as it stands; only the discovery path is normalised (OIDC Discovery 1.0, 4.1).
    const discoveryUrl = `${env.OIDC_ISSUER.replace(/\/+$/, '')}/.well-known/openid-configuration`;
    return { kind: 'oidc', issuer: env.OIDC_ISSUER, audience: env.OIDC_AUDIENCE ?? '', discoveryUrl };
  }
  if (env.OIDC_AUDIENCE !== undefined) problems.add('OIDC_ISSUER', 'is missing while OIDC_AUDIENCE is set');
  if (!problems.production) return 'sandbox';
  problems.add('FIREBASE_PROJECT_ID', 'is missing (or OIDC_ISSUER and OIDC_AUDIENCE): nobody could sign in');
  return undefined;
}

function workspace(env: Variables, problems: Problems): Config['workspace'] {
  if (env.GOOGLE_CLIENT_ID === undefined && env.GOOGLE_CLIENT_SECRET === undefined) {
    return problems.production ? undefined : 'sandbox';
  }
  if (env.GOOGLE_CLIENT_ID === undefined) problems.add('GOOGLE_CLIENT_ID', 'is missing while GOOGLE_CLIENT_SECRET is set');
  if (env.GOOGLE_CLIENT_SECRET === undefined) problems.add('GOOGLE_CLIENT_SECRET', 'is missing while GOOGLE_CLIENT_ID is set');
  problems.address('GOOGLE_ISSUER', env.GOOGLE_ISSUER);
  return {
    clientId: env.GOOGLE_CLIENT_ID ?? '',
    clientSecret: env.GOOGLE_CLIENT_SECRET ?? '',
    authUrl: problems.address('GOOGLE_AUTH_URL', env.GOOGLE_AUTH_URL),
    tokenUrl: problems.address('GOOGLE_TOKEN_URL', env.GOOGLE_TOKEN_URL),
    userinfoUrl: problems.address('GOOGLE_USERINFO_URL', env.GOOGLE_USERINFO_URL),
    revokeUrl: problems.address('GOOGLE_REVOKE_URL', env.GOOGLE_REVOKE_URL),
    apiUrl: problems.optionalAddress('GOOGLE_API_URL', env.GOOGLE_API_URL),
    issuer: env.GOOGLE_ISSUER,
  };
}

/** The aggregator's hosts, mapped explicitly: the SDK would fall back to production on an unknown name. */
const BANK_HOSTS = {
  development: 'https://sandbox.plaid.com',
  production: 'https://production.plaid.com',
} as const;

function bank(env: Variables, problems: Problems): Config['bank'] {
  if (env.PLAID_CLIENT_ID === undefined && env.PLAID_SECRET === undefined) {
    return problems.production ? undefined : 'sandbox';
  }
  if (env.PLAID_CLIENT_ID === undefined) problems.add('PLAID_CLIENT_ID', 'is missing while PLAID_SECRET is set');
  if (env.PLAID_SECRET === undefined) problems.add('PLAID_SECRET', 'is missing while PLAID_CLIENT_ID is set');
  const countries = env.PLAID_COUNTRY_CODES.map((code) => code.toUpperCase());
  if (countries.length === 0 || countries.some((code) => !/^[A-Z]{2}$/.test(code))) {
    problems.add('PLAID_COUNTRY_CODES', 'is not a list of two-letter country codes');
  }
  return {
    clientId: env.PLAID_CLIENT_ID ?? '',
    secret: env.PLAID_SECRET ?? '',
    baseUrl: problems.address('PLAID_BASE_URL', env.PLAID_BASE_URL ?? BANK_HOSTS[env.NODE_ENV]),
    countryCodes: countries,
    redirectUri: env.PLAID_REDIRECT_URI === undefined ? undefined : redirectUri(env.PLAID_REDIRECT_URI, problems, 'PLAID_REDIRECT_URI'),
    linkPageUrl: undefined,
  };
}

function redirectUri(value: string, problems: Problems, variable = 'ALLOWED_REDIRECT_URIS'): string {
  problems.address(variable, value);
  return value;
}

function allowedOrigin(value: string, problems: Problems): string {
  problems.address('ALLOWED_ORIGINS', value);
  const url = URL.parse(value);
  if (url !== null && url.origin !== value.replace(/\/$/, '')) problems.add('ALLOWED_ORIGINS', 'takes origins only: scheme, host and port');
  return url?.origin ?? value;
}

/** As Express understands it: true, false, a number of hops, or a list of addresses. */
function trustProxy(value: string): boolean | number | string {
  if (value === 'true' || value === 'false') return value === 'true';
  return /^\d+$/.test(value) ? Number(value) : value;
}

function checkSandbox(config: Config, env: Variables, problems: Problems): void {
  if (problems.production) return;
  const sandboxed = [config.identity, config.workspace, config.bank].includes('sandbox');
  if (sandboxed && !isLoopback(config.host) && !config.exposeSandbox) {
    problems.add(
      'HOST',
      'must be loopback while the sandbox is in use: whoever reaches the port could sign in as anyone (or set SANDBOX=expose)',
    );
  }
  const real = [config.workspace, config.bank].some((part) => part !== undefined && part !== 'sandbox');
  if (config.identity === 'sandbox' && real && !env.ALLOW_MIXED) {
    problems.add(
      'ALLOW_MIXED',
      'must be 1 to use real workspace or bank credentials with the sandbox identity: whoever reaches the port could use a real account',
    );
  }
}

function limits(env: Variables): Limits {
  return {
    bodyBytes: env.LIMIT_BODY_BYTES,
    requestsPerMinute: env.LIMIT_REQUESTS_PER_MINUTE,
    waitlistPerMinute: env.LIMIT_WAITLIST_PER_MINUTE,
    requestTimeoutMs: env.LIMIT_REQUEST_TIMEOUT_MS,
    providerTimeoutMs: env.LIMIT_PROVIDER_TIMEOUT_MS,
    revocationRetrySeconds: env.LIMIT_REVOCATION_RETRY_SECONDS,
    databaseConnections: env.LIMIT_DATABASE_CONNECTIONS,
    socketAuthenticationMs: env.LIMIT_SOCKET_AUTHENTICATION_MS,
    socketPayloadBytes: env.LIMIT_SOCKET_PAYLOAD_BYTES,
    socketMessagesPerMinute: env.LIMIT_SOCKET_MESSAGES_PER_MINUTE,
    socketsPerUser: env.LIMIT_SOCKETS_PER_USER,
  };
}
