import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { StartError } from '../../../src/errors.ts';
import { type ProductionSteward, startProduction } from '../../support/scenes/production.ts';
import { expectError } from '../../support/users/expect-error.ts';

const KEY = 'one:q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k=';
/** The minimum configuration of production. */
const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://steward.example.com',
  SITE_URL: 'https://www.example.com',
  DATABASE_URL: 'postgres://steward@db.example.com/steward',
  MASTER_KEYS: KEY,
  OIDC_ISSUER: 'https://id.example.com',
  OIDC_AUDIENCE: 'steward',
};
const PLAID = { PLAID_CLIENT_ID: 'client', PLAID_SECRET: 'canary-secret' };

function bankOf(env: Record<string, string>) {
  const { bank } = loadConfig({ ...env });
  return bank === 'sandbox' || bank === undefined ? bank : bank.baseUrl;
}

/** Names of the variables that loadConfig rejects, in its one message. */
function rejected(env: Record<string, string>): string[] {
  try {
    loadConfig({ ...env });
  } catch (error) {
    expect(error).toBeInstanceOf(StartError);
    const { message } = error as Error;
    for (const secret of ['canary-secret', 'db.example.com', KEY.slice(4)]) expect(message).not.toContain(secret);
    return [...message.matchAll(/^ {2}- (\w+): /gm)].map(([, name]) => name as string);
  }
  return [];
}

describe('the aggregator’s environment', () => {
  it('is the local sandbox in development without credentials, and off in production', () => {
    expect(bankOf({})).toBe('sandbox');
    expect(bankOf(PRODUCTION)).toBeUndefined();
  });

  it('is the aggregator’s sandbox in development, its production in production', () => {
    expect(bankOf({ ...PLAID, ALLOW_MIXED: '1' })).toBe('https://sandbox.plaid.com');
    expect(bankOf({ ...PRODUCTION, ...PLAID })).toBe('https://production.plaid.com');
  });

  it.each([
    ['https://proxy.example.com', 'https://proxy.example.com'],
    ['https://proxy.example.com/', 'https://proxy.example.com'],
    ['https://proxy.example.com/bank//', 'https://proxy.example.com/bank'],
  ])('is PLAID_BASE_URL if that is set: %s', (given, used) => {
    expect(bankOf({ ...PRODUCTION, ...PLAID, PLAID_BASE_URL: given })).toBe(used);
  });

  it('is not combined with the sandbox identity by accident', () => {
    expect(rejected(PLAID)).toEqual(['ALLOW_MIXED']);
  });

  it.each([
    ['PLAID_SECRET', { PLAID_CLIENT_ID: 'client' }],
    ['PLAID_CLIENT_ID', { PLAID_SECRET: 'canary-secret' }],
    ['PLAID_BASE_URL', { ...PLAID, PLAID_BASE_URL: 'http://proxy.example.com' }],
    ['PLAID_BASE_URL', { ...PLAID, PLAID_BASE_URL: 'ftp://proxy.example.com' }],
    ['PLAID_BASE_URL', { ...PLAID, PLAID_BASE_URL: 'https://user:canary-secret@proxy.example.com' }],
    ['PLAID_REDIRECT_URI', { ...PLAID, PLAID_REDIRECT_URI: 'http://app.example.com/oauth' }],
    ['PLAID_COUNTRY_CODES', { ...PLAID, PLAID_COUNTRY_CODES: 'US,Germany' }],
    ['PLAID_COUNTRY_CODES', { ...PLAID, PLAID_COUNTRY_CODES: ',' }],
  ])('an invalid %s is rejected by name', (name, env) => {
    expect(rejected({ ...PRODUCTION, ...env })).toEqual([name]);
  });
});

describe('production', () => {
  it('starts with the minimum of variables', () => {
    expect(rejected(PRODUCTION)).toEqual([]);
  });

  it('names every missing variable in one message', () => {
    expect(rejected({ NODE_ENV: 'production' }).sort()).toEqual([
      'DATABASE_URL',
      'FIREBASE_PROJECT_ID',
      'MASTER_KEYS',
      'PUBLIC_URL',
      'SITE_URL',
    ]);
  });

  it('names every invalid variable in one message', () => {
    const wrong = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'http://steward.example.com',
      SITE_URL: 'javascript:alert(1)',
      DATABASE_URL: 'mysql://canary-secret@db.example.com',
      MASTER_KEYS: 'one:canary-secret',
      OIDC_ISSUER: 'http://id.example.com',
      ALLOWED_REDIRECT_URIS: 'http://app.example.com/done',
      ALLOWED_ORIGINS: 'https://app.example.com/path',
      GOOGLE_CLIENT_ID: 'client',
      GOOGLE_TOKEN_URL: 'http://token.example.com',
      PLAID_SECRET: 'canary-secret',
      FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      SANDBOX: 'expose',
    };
    const expected = [...Object.keys(wrong), 'OIDC_AUDIENCE', 'GOOGLE_CLIENT_SECRET', 'PLAID_CLIENT_ID'];
    const given = new Set(['NODE_ENV', 'GOOGLE_CLIENT_ID', 'PLAID_SECRET']);
    expect(rejected(wrong).sort()).toEqual(expected.filter((name) => !given.has(name)).sort());
  });

  it.each([
    ['PUBLIC_URL', { PUBLIC_URL: '' }],
    ['SITE_URL', { SITE_URL: '' }],
    ['DATABASE_URL', { DATABASE_URL: '' }],
    ['MASTER_KEYS', { MASTER_KEYS: '' }],
    ['MASTER_KEYS_FILE', { MASTER_KEYS: '', MASTER_KEYS_FILE: '/nowhere/keys' }],
    ['MASTER_KEYS_FILE', { MASTER_KEYS_FILE: '/nowhere/keys' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: '' }],
    ['OIDC_AUDIENCE', { OIDC_AUDIENCE: '' }],
    ['OIDC_ISSUER', { FIREBASE_PROJECT_ID: 'project' }],
    ['OIDC_CLIENT_ID', { OIDC_CLIENT_SECRET: 'secret' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: '', OIDC_AUDIENCE: '', FIREBASE_PROJECT_ID: 'project', OIDC_CLIENT_ID: 'pages' }],
    ['SIGN_IN_URL', { OIDC_CLIENT_ID: 'pages', SIGN_IN_URL: 'https://app.example.com/' }],
    ['SIGN_IN_URL', { SIGN_IN_URL: 'http://app.example.com/sign-in' }],
    ['SIGN_IN_URL', { SIGN_IN_URL: 'javascript:alert(1)' }],
    ['MCP_ISSUER', { MCP_ISSUER: 'https://other.example.com' }],
    ['AWS_SECRET_ACCESS_KEY', { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE' }],
    ['AWS_ACCESS_KEY_ID', { AWS_SECRET_ACCESS_KEY: 'canary-secret' }],
    ['AWS_ENDPOINT_URL_KMS', { AWS_ENDPOINT_URL_KMS: 'http://kms.example.com' }],
    ['PORT', { PORT: '70000' }],
    ['IDENTITY_KEYS_MAX_AGE_SECONDS', { IDENTITY_KEYS_MAX_AGE_SECONDS: '59' }],
    ['IDENTITY_KEYS_MAX_AGE_SECONDS', { IDENTITY_KEYS_MAX_AGE_SECONDS: '86401' }],
    ['LIMIT_BODY_BYTES', { LIMIT_BODY_BYTES: '-1' }],
    ['LIMIT_PROVIDER_TIMEOUT_MS', { LIMIT_PROVIDER_TIMEOUT_MS: '10001' }],
    ['LIMIT_REFRESH_TIMEOUT_MS', { LIMIT_REFRESH_TIMEOUT_MS: '60001' }],
    ['LIMIT_REVOCATION_RETRY_SECONDS', { LIMIT_REVOCATION_RETRY_SECONDS: '21601' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'maybe' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'loopback, 10.0.0.0/8, nowhere' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/0' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/33' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/8/8' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'fd00::/129' }],
    ['TRUST_PROXY', { TRUST_PROXY: '64:ff9b::192.0.2.1' }],
    ['ALLOWED_USERS', { ALLOWED_USERS: 'notanaddress' }],
    ['ALLOWED_USERS', { ALLOWED_USERS: 'ana@example.com,ben@' }],
    ['OPERATORS', { OPERATORS: 'example.com' }],
    ['OPERATORS', { OPERATORS: 'ana@example.com,ben@' }],
    ['INTERNAL_HOSTS', { INTERNAL_HOSTS: 'https://mcp.internal' }],
    ['INTERNAL_HOSTS', { INTERNAL_HOSTS: 'mcp.internal:8080' }],
    ['INTERNAL_HOSTS', { INTERNAL_HOSTS: '10.0.0.0/8,10.0.0.0/33' }],
    ['INTERNAL_HOSTS', { INTERNAL_HOSTS: '10.0.0.0/' }],
    ['CONSOLE', { CONSOLE: 'yes' }],
    ['SITE_URL', { SITE_URL: 'https://example.com/ a' }],
    ['SITE_URL', { SITE_URL: 'https://exa\nmple.com' }],
    ['SITE_URL', { SITE_URL: 'https:\\\\example.com' }],
    ['SITE_URL', { SITE_URL: 'https:example.com' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://exa\nmple.com' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: 'https://id.example.com/?tenant=a' }],
    ['PLAID_BASE_URL', { PLAID_CLIENT_ID: 'a', PLAID_SECRET: 'b', PLAID_BASE_URL: 'https://bank.example.com?a=b' }],
    ['GOOGLE_API_URL', { GOOGLE_CLIENT_ID: 'a', GOOGLE_CLIENT_SECRET: 'b', GOOGLE_API_URL: 'https://api.example.com/?' }],
    ['MODELS', { MODELS: '[{"name":"m","provider":"openai-compatible","model":"m","baseUrl":"https://m.example.com/v1?a=b"}]' }],
  ])('an invalid %s is rejected by name', (name, env) => {
    const names = rejected({ ...PRODUCTION, ...env });
    expect(names).toContain(name);
    expect(new Set(names).size).toBeLessThanOrEqual(2);
  });

  it('accepts the documented forms of TRUST_PROXY and ALLOWED_USERS', () => {
    for (const TRUST_PROXY of ['true', 'false', '2', 'loopback', '10.0.0.0/8, fd00::/8, 192.0.2.1', '192.0.2.1/32, fd00::1/128']) {
      expect(rejected({ ...PRODUCTION, TRUST_PROXY })).toEqual([]);
    }
    expect(rejected({ ...PRODUCTION, ALLOWED_USERS: 'Ana@example.com, example.org, @example.net' })).toEqual([]);
  });

  it('accepts plain http on loopback', () => {
    expect(rejected({ ...PRODUCTION, PUBLIC_URL: 'http://127.0.0.1:8080', OIDC_ISSUER: 'http://[::1]:9000' })).toEqual([]);
  });

  it.each([
    ['https://steward.example.com/', 'https://steward.example.com'],
    ['https://steward.example.com:443', 'https://steward.example.com'],
    ['HTTPS://Steward.Example.com', 'https://steward.example.com'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example'],
    [' https://steward.example.com:8443/ ', 'https://steward.example.com:8443'],
    ['http://[::1]:8080/', 'http://[::1]:8080'],
  ])('has the origin of PUBLIC_URL and ALLOWED_ORIGINS as browsers write it: %j', (given, origin) => {
    const config = loadConfig({ ...PRODUCTION, PUBLIC_URL: given, ALLOWED_ORIGINS: given });
    expect([config.publicUrl, config.allowedOrigins]).toEqual([origin, [origin]]);
  });

  it.each([
    'https://steward.example.com/base',
    'https://steward.example.com/base/',
    'https://steward.example.com//',
    'https://steward.example.com/%2e%2e/base',
    'https://steward.example.com/?',
    'https://steward.example.com?a=b',
    'https://steward.example.com/#',
    'https://steward.example.com#a',
    'https://user@steward.example.com',
    'https://:canary-secret@steward.example.com/',
  ])('rejects PUBLIC_URL and ALLOWED_ORIGINS with more than an origin, in one line each: %s', (address) => {
    for (const name of ['PUBLIC_URL', 'ALLOWED_ORIGINS']) expect(rejected({ ...PRODUCTION, [name]: address })).toEqual([name]);
  });

  it('takes no white space around a value, as of a file with a line break at its end', () => {
    const keys = { PLAID_CLIENT_ID: 'client\n', PLAID_SECRET: ' secret\r\n', OPENAI_API_KEY: 'key\n' };
    const models = { MODELS: '[{"name":"m","provider":"openai-compatible","model":"m","baseUrl":"https://m.example.com/v1"}]\n' };
    const addresses = { SITE_URL: 'https://example.com/\n', DATABASE_URL: `${PRODUCTION.DATABASE_URL}\n` };
    const config = loadConfig({ ...PRODUCTION, ...keys, ...models, ...addresses });
    expect(config).toMatchObject({ siteUrl: 'https://example.com/', databaseUrl: PRODUCTION.DATABASE_URL });
    expect(config.bank).toMatchObject({ clientId: 'client', secret: 'secret' });
    expect(config.models).toMatchObject([{ apiKey: 'key' }]);
  });

  it('deletes secrets from its environment', () => {
    const secrets = {
      GOOGLE_CLIENT_SECRET: 'canary-secret',
      OIDC_CLIENT_SECRET: 'canary-secret',
      AWS_SECRET_ACCESS_KEY: 'canary-secret',
      AWS_SESSION_TOKEN: 'canary-secret',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=canary-secret',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=canary-secret',
    };
    const environment: Record<string, string | undefined> = {
      ...PRODUCTION,
      ...PLAID,
      GOOGLE_CLIENT_ID: 'client',
      OIDC_CLIENT_ID: 'pages',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      ...secrets,
    };
    loadConfig(environment);
    for (const name of ['MASTER_KEYS', 'PLAID_SECRET', 'DATABASE_URL', ...Object.keys(secrets)])
      expect(environment).not.toHaveProperty(name);
  });
});

describe('production without PLAID_*', () => {
  it('returns 503 not_configured, still lists and deletes, and has no sandbox', async () => {
    const steward = await startProduction();
    try {
      await checkUnconfigured(steward);
    } finally {
      await steward.stop();
    }
  });
});

async function checkUnconfigured(steward: ProductionSteward): Promise<void> {
  const token = await steward.issuer.sign('ada');
  const id = '00000000-0000-4000-8000-000000000000';
  expectError(await steward.call('/auth/bank/create_link_token', { method: 'POST', token }), 'not_configured');
  expectError(await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'public' } }), 'not_configured');
  expectError(await steward.call(`/auth/bank/accounts/${id}/refresh`, { method: 'POST', token }), 'not_configured');
  // Authentication comes first: without a token, the configuration is not disclosed.
  expectError(await steward.call('/auth/bank/create_link_token', { method: 'POST' }), 'invalid_token');
  const list = await steward.call('/auth/bank/accounts', { token });
  expect(list.body).toEqual({ accounts: [] });
  expectError(await steward.call(`/auth/bank/accounts/${id}`, { method: 'DELETE', token }), 'not_found');
  expectError(await steward.call('/sandbox/identity/token', { form: { user: 'demo' } }), 'not_found');
  const home = await steward.call('/');
  expect([home.status, home.headers.get('location'), home.text]).toEqual([302, 'https://www.example.com/', '']);
  expect((await steward.call('/test')).body.environment).toBe('production');
}
