import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { StartError } from '../errors.ts';
import { addressKey, domainKey, isEmailAddress } from '../validation/email-address.ts';
import { type Config, isLoopback, type KeyServiceSettings } from './config.ts';
import { Problems } from './config-problems.ts';
import { type Variables, variables } from './environment.ts';
import { limitsOf } from './limits.ts';
import { mailSettings } from './mail-config.ts';
import { parseKeyset } from './master-key-list.ts';
import { isModelKey, modelBudget, modelList } from './model-config.ts';
import { bank, identity, internalHostsOf, mcpIssuer, signIn, workspace } from './provider-config.ts';
import { metrics, tracing } from './telemetry-config.ts';

/** `client_secret_variable` of a source, and its value. */
const NAMED_SECRET = /\bclient_secret_variable["']?\s*:\s*["']?(\w+)/g;

type Environment = Record<string, string | undefined>;

/** Names of networks in Express's `trust proxy` (Express, "Behind proxies"). */
const NAMED_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** Deleted from the environment once read, so that a later dump of it does not contain them. */
const SECRET_VARIABLES = [
  'MASTER_KEYS',
  'GOOGLE_CLIENT_SECRET',
  'PLAID_SECRET',
  'OIDC_CLIENT_SECRET',
  'SMTP_URL',
  'SMTP_PASSWORD',
  'DATABASE_URL',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
];

/**
 * Loads `.env` of the working directory, if it exists. Variables that are already set take precedence.
 *
 * @returns names in the file that are neither known variables nor in the integrations file: a misspelt ALLOWED_USERS would admit every user
 */
export function readEnvironmentFile(): string[] {
  if (!existsSync('.env')) return [];
  process.loadEnvFile('.env');
  const unknown = Object.keys(parseEnv(readFileSync('.env', 'utf8'))).filter((name) => !(name in variables.shape || isModelKey(name)));
  const named = unknown.length === 0 ? new Set() : secretsNamedIn(integrationsFile());
  return unknown.filter((name) => !named.has(name));
}

/** Names of variables that an integrations file gives for secrets of clients. Its errors are told where it is read as a whole. */
function secretsNamedIn(path: string): ReadonlySet<string> {
  try {
    const named = readFileSync(path, 'utf8').matchAll(NAMED_SECRET);
    return new Set([...named].map(([, name = '']) => name));
  } catch {
    return new Set();
  }
}

/**
 * Reads and checks the environment. The only reader of `process.env`.
 *
 * @param environment name → value; secrets are deleted from it
 * @throws StartError with one message that lists all invalid variables
 */
export function loadConfig(environment: Environment = process.env): Config {
  // An empty value means "not set", as in `FOO=` of an .env file; a blank one is a mistake.
  const set = Object.entries(environment).filter(([, value = '']) => value !== '');
  // What was read from a file often ends in a line break.
  const given = Object.fromEntries(set.map(([name, value]) => [name, value?.trim() || value]));
  const problems = new Problems(given.NODE_ENV === 'production');
  const config = assemble(parseVariables(given, problems), given, problems);
  if (problems.found.length > 0) throw refuse(problems.found);
  for (const name of Object.keys(environment)) if (SECRET_VARIABLES.includes(name) || isModelKey(name)) delete environment[name];
  return config;
}

/** An invalid variable is reported and treated as not set, so that one start reports all problems. */
function parseVariables(given: Environment, problems: Problems): Variables {
  // Parsed once: compiling the schema takes 2 ms longer than interpreting it.
  const parsed = variables.safeParse(given, { jitless: true });
  if (parsed.success) return parsed.data;
  const wrong = new Set(parsed.error.issues.map((issue) => String(issue.path[0])));
  for (const issue of parsed.error.issues) problems.add(issue.path.join('.'), issue.message);
  return variables.parse(Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name))));
}

function refuse(problems: string[]): StartError {
  const lines = problems.map((problem) => `  - ${problem}`).join('\n');
  return new StartError(`Steward can't start with this configuration:\n${lines}\nEvery variable is described in .env.example.`);
}

/** The path of the integrations file, which commands read without a complete configuration. */
export function integrationsFile(): string {
  // An empty value means "not set".
  return resolve(variables.shape.INTEGRATIONS_FILE.parse(process.env.INTEGRATIONS_FILE?.trim() || undefined));
}

/** The hosts of INTERNAL_HOSTS, and this machine, which commands read without a complete configuration. */
export function internalHostsSetting(): Config['internalHosts'] {
  const problems = new Problems(false);
  const hosts = internalHostsOf(
    { INTERNAL_HOSTS: variables.shape.INTERNAL_HOSTS.parse(process.env.INTERNAL_HOSTS?.trim() || undefined) },
    problems,
  );
  if (problems.found.length > 0) throw refuse(problems.found);
  return hosts;
}

/**
 * A secret that the integrations file names by its variable. It stays in the environment, since a reload may name it later.
 *
 * @returns `taken` for a variable of this service's own
 */
export function namedSecret(variable: string): { value: string | undefined } | 'taken' {
  if (variable in variables.shape || SECRET_VARIABLES.includes(variable) || isModelKey(variable)) return 'taken';
  return { value: process.env[variable]?.trim() || undefined };
}

/** Whether Firebase's ID tokens come from its emulator. firebase-admin reads the variable for every token, too. */
export function usesFirebaseEmulator(): boolean {
  return (process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '') !== '';
}

function assemble(env: Variables, given: Environment, problems: Problems): Config {
  checkProcess(env, problems);
  const config: Config = {
    environment: env.NODE_ENV,
    host: env.HOST,
    port: env.PORT,
    publicUrl: publicUrl(env, problems),
    siteUrl: problems.exact('SITE_URL', env.SITE_URL),
    databaseUrl: databaseUrl(env, problems),
    dataDir: resolve(env.DATA_DIR),
    masterKeys: masterKeys(env, problems),
    keyService: keyService(env, problems),
    identity: identity(env, problems),
    signIn: signIn(env, problems),
    mcpIssuer: mcpIssuer(env, problems),
    workspace: workspace(env, problems),
    bank: bank(env, problems),
    mail: mailSettings(env, problems),
    models: modelList(env, given, problems),
    modelBudget: modelBudget(env),
    identityKeysMaxAgeSeconds: env.IDENTITY_KEYS_MAX_AGE_SECONDS,
    allowedUsers: env.ALLOWED_USERS.map((user) => allowedUser(user, problems)),
    console: env.CONSOLE === 'on',
    operators: env.OPERATORS.map((user) => operator(user, problems)),
    internalHosts: internalHostsOf(env, problems),
    allowedRedirectUris: env.ALLOWED_REDIRECT_URIS.map((uri) => problems.exact('ALLOWED_REDIRECT_URIS', uri)),
    allowedOrigins: env.ALLOWED_ORIGINS.map((origin) => problems.origin('ALLOWED_ORIGINS', origin)),
    integrationsFile: resolve(env.INTEGRATIONS_FILE),
    trustProxy: trustProxy(env.TRUST_PROXY, problems),
    logLevel: env.LOG_LEVEL,
    logFormat: logFormat(env, problems),
    metrics: metrics(env, problems),
    tracing: tracing(env, problems),
    exposeSandbox: env.SANDBOX === 'expose',
    limits: limitsOf(env),
  };
  checkSandbox(config, env, problems);
  return config;
}

function logFormat({ LOG_FORMAT }: Variables, problems: Problems): Config['logFormat'] {
  if (problems.production && LOG_FORMAT === 'pretty') problems.add('LOG_FORMAT', 'must be json in production');
  return LOG_FORMAT ?? (problems.production ? 'json' : 'pretty');
}

function checkProcess(env: Variables, problems: Problems): void {
  if (!problems.production) return;
  if (env.PUBLIC_URL === undefined) problems.add('PUBLIC_URL', 'is missing: the public address of this service');
  if (env.SITE_URL === undefined) problems.add('SITE_URL', 'is missing: GET / redirects to it');
  if (env.FIREBASE_AUTH_EMULATOR_HOST !== undefined) {
    problems.add('FIREBASE_AUTH_EMULATOR_HOST', 'must not be set in production: unsigned tokens would be accepted');
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    problems.add('NODE_TLS_REJECT_UNAUTHORIZED', 'must not be 0 in production: certificates would not be checked');
  }
  if (env.SANDBOX !== undefined) problems.add('SANDBOX', 'must not be set in production');
}

/** Without a path: `__Host-` cookies (RFC 6265bis, 4.1.3.2) and well-known documents (RFC 8615) are of a whole host. */
function publicUrl({ PUBLIC_URL }: Variables, problems: Problems): string | undefined {
  return PUBLIC_URL === undefined ? undefined : problems.origin('PUBLIC_URL', PUBLIC_URL);
}

function databaseUrl(env: Variables, problems: Problems): string | undefined {
  if (env.DATABASE_URL === undefined) {
    if (problems.production) problems.add('DATABASE_URL', 'is missing: production has no embedded database');
    return undefined;
  }
  // An address without a host is a local socket, which the driver accepts and URL does not.
  const readable = URL.canParse(env.DATABASE_URL.replace('@/', '@socket/'));
  if (!/^postgres(ql)?:\/\//.test(env.DATABASE_URL) || !readable) problems.add('DATABASE_URL', 'is not a postgres:// address');
  return env.DATABASE_URL;
}

function masterKeys({ MASTER_KEYS: text, MASTER_KEYS_FILE: file }: Variables, problems: Problems): Config['masterKeys'] {
  if (text !== undefined && file !== undefined) problems.add('MASTER_KEYS_FILE', 'and MASTER_KEYS exclude each other');
  if (file !== undefined) {
    checkKeyset('MASTER_KEYS_FILE', () => readFileSync(file, 'utf8'), problems);
    return { kind: 'file', path: resolve(file) };
  }
  if (text !== undefined) {
    checkKeyset('MASTER_KEYS', () => text, problems);
    return { kind: 'inline', text };
  }
  if (problems.production) problems.add('MASTER_KEYS', 'is missing (or MASTER_KEYS_FILE): nothing could be encrypted');
  return { kind: 'development' };
}

function checkKeyset(variable: string, read: () => string, problems: Problems): void {
  try {
    parseKeyset(read());
  } catch (error) {
    const unreadable = error instanceof Error && 'code' in error;
    problems.add(variable, unreadable ? `can't be read (${error.code})` : (error as Error).message);
  }
}

function keyService(env: Variables, problems: Problems): KeyServiceSettings {
  const endpoint = problems.base('AWS_ENDPOINT_URL_KMS', env.AWS_ENDPOINT_URL_KMS);
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = env;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    problems.add(accessKeyId === undefined ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY', 'is missing: set both or neither');
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) return { endpoint, credentials: undefined };
  return { endpoint, credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) } };
}

/** Express's `trust proxy`: true, false, a number of hops, or a list of addresses. */
function trustProxy(value: string, problems: Problems): boolean | number | string {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d+$/.test(value)) return Number(value);
  if (!value.split(',').every((part) => isProxyAddress(part.trim()))) {
    problems.add('TRUST_PROXY', 'must be true, false, a number of proxies, or a list of their addresses');
  }
  return value;
}

function isProxyAddress(part: string): boolean {
  if (NAMED_NETWORKS.has(part)) return true;
  const [address = '', prefix, ...rest] = part.split('/');
  const family = isIP(address);
  // Express cannot parse an IPv6 address that ends as IPv4, unless it is IPv4-mapped; its error would not name the variable.
  if (family === 0 || rest.length > 0 || (family === 6 && address.includes('.') && !/^::ffff:[\d.]+$/i.test(address))) return false;
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/** A mail address or a domain, as it is compared. Any other value would match no user, or the wrong ones. */
function allowedUser(value: string, problems: Problems): string {
  const domain = value.replace(/^@/, '');
  const isDomain = !domain.includes('@');
  const user = isDomain ? domainKey(domain) : addressKey(value);
  if (!isEmailAddress(isDomain ? `user@${user}` : user)) {
    problems.add('ALLOWED_USERS', 'must be mail addresses and domains, separated by commas');
  }
  return user;
}

/** A mail address, as it is compared. */
function operator(value: string, problems: Problems): string {
  const address = addressKey(value);
  if (!isEmailAddress(address)) problems.add('OPERATORS', 'must be mail addresses, separated by commas');
  return address;
}

function checkSandbox(config: Config, env: Variables, problems: Problems): void {
  if (problems.production) return;
  const sandboxed = [config.identity, config.workspace, config.bank].includes('sandbox');
  if (sandboxed && !isLoopback(config.host) && !config.exposeSandbox) {
    problems.add(
      'HOST',
      'must be loopback while the sandbox is in use: any client that reaches the port could sign in as any user (or set SANDBOX=expose)',
    );
  }
  const real = [config.workspace, config.bank].some((part) => part !== undefined && part !== 'sandbox');
  if (config.identity === 'sandbox' && real && !env.ALLOW_MIXED) {
    problems.add(
      'ALLOW_MIXED',
      'must be 1 to use real workspace or bank credentials with the sandbox identity: any client that reaches the port could use a real account',
    );
  }
}
