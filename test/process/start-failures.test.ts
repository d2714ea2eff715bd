import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, type Exit, type Place, runProcess, startProcess } from '../support/processes/process.ts';
import { connect, outcome } from '../support/scenes/flows.ts';
import { freePort } from '../support/servers/free-port.ts';

const BANK_SECRET = 'canary-of-the-bank-secret';
const CLIENT_SECRET = 'canary-of-the-client-secret';
const DATABASE_PASSWORD = 'canary-of-the-database';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-refusals-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function randomKey(): string {
  return randomBytes(32).toString('base64');
}

/** Complete and valid; each test changes one variable. Nothing listens at its database's address. */
const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.example.com',
  SITE_URL: 'https://www.example.com/',
  DATABASE_URL: `postgres://steward:${DATABASE_PASSWORD}@127.0.0.1:1/steward`,
  ALLOWED_USERS: 'ana@example.com',
  MASTER_KEYS: `k1:${randomKey()}`,
  OIDC_ISSUER: 'https://issuer.example.com',
  OIDC_AUDIENCE: 'steward',
  GOOGLE_CLIENT_ID: 'client',
  GOOGLE_CLIENT_SECRET: CLIENT_SECRET,
  PLAID_CLIENT_ID: 'client',
  PLAID_SECRET: BANK_SECRET,
};

/** Every failed start: exit code 1, a message without a stack on stderr, no secret anywhere. */
async function refusal(env: Record<string, string>): Promise<string> {
  const exit: Exit = await runProcess({ DATA_DIR: folder, ...env });
  expect(exit.code, exit.output).toBe(1);
  expect(exit.stdout).toBe('');
  expect(exit.stderr).not.toMatch(/^\s+at |"stack"|\.ts:\d/m);
  const secrets = [BANK_SECRET, CLIENT_SECRET, DATABASE_PASSWORD];
  for (const key of (env.MASTER_KEYS ?? '').split(',')) secrets.push(key.slice(key.indexOf(':') + 1));
  for (const secret of secrets.filter((value) => value.length > 3)) expect(exit.stderr).not.toContain(secret);
  return exit.stderr;
}

describe('an .env file', () => {
  it('warns of an unknown variable, which may be a misspelt restriction', async () => {
    writeFileSync(join(folder, '.env'), 'ALLOWED_USER=example.com\nNODE_ENV=production\n');
    const exit = await runProcess({ DATA_DIR: folder }, folder);
    rmSync(join(folder, '.env'));
    expect(exit.code).toBe(1);
    expect(exit.stderr).toMatch(/^\.env: ALLOWED_USER is not a known variable\./);
    expect(exit.stderr).toContain('PUBLIC_URL: is missing');
    expect(exit.stderr).not.toContain('NODE_ENV is not');
  });

  it('may have the secrets that the integrations file names', async () => {
    const own = mkdtempSync(join(folder, 'named-'));
    const source = 'tickets: { url: "https://tickets.example/mcp", label: T, client_id: c, client_secret_variable: TICKETS_SECRET }';
    writeFileSync(join(own, 'integrations.yaml'), `version: 1\nsources:\n  ${source}\nagents: {}\n`);
    writeFileSync(join(own, '.env'), `TICKETS_SECRET=${CLIENT_SECRET}\nTICKET_SECRET=x\nNODE_ENV=production\n`);
    const { stderr } = await runProcess({ DATA_DIR: own, INTEGRATIONS_FILE: join(own, 'integrations.yaml') }, own);
    expect(stderr).toMatch(/^\.env: TICKET_SECRET is not a known variable\./);
    expect(stderr).not.toContain('TICKETS_SECRET');
    expect(stderr).not.toContain(CLIENT_SECRET);
  });

  it('is read before what it says of the integrations file is checked', async () => {
    const own = mkdtempSync(join(folder, 'unreadable-'));
    writeFileSync(join(own, '.env'), `INTEGRATIONS_FILE=${own}\nTICKETS_SECRET=x\nNODE_ENV=production\n`);
    const { stderr } = await runProcess({ DATA_DIR: own }, own);
    expect(stderr).toMatch(/^\.env: TICKETS_SECRET is not a known variable\./);
    expect(stderr).toContain('PUBLIC_URL: is missing');
  });
});

describe('starting in production', () => {
  it('names every variable that is missing, in one message', async () => {
    const message = await refusal({ NODE_ENV: 'production' });
    for (const name of ['PUBLIC_URL', 'SITE_URL', 'DATABASE_URL', 'MASTER_KEYS', 'FIREBASE_PROJECT_ID']) {
      expect(message).toMatch(new RegExp(`^ {2}- ${name}: is missing`, 'm'));
    }
  });

  it('reports that the database cannot be reached, and where to look', async () => {
    expect(await refusal(PRODUCTION)).toMatch(/database.*can.t be reached.*DATABASE_URL/is);
  });

  const wrong: [string, Record<string, string>, RegExp][] = [
    ['tokens without a signature', { FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099' }, /FIREBASE_AUTH_EMULATOR_HOST: /],
    ['TLS that checks nothing', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /NODE_TLS_REJECT_UNAUTHORIZED: /],
    ['a PUBLIC_URL without https', { PUBLIC_URL: 'http://api.example.com' }, /PUBLIC_URL: must be https/],
    ['a PUBLIC_URL with a path', { PUBLIC_URL: 'https://api.example.com/steward' }, /PUBLIC_URL: must be an origin/],
    ['a SITE_URL without https', { SITE_URL: 'http://www.example.com' }, /SITE_URL: must be https/],
    [
      'a redirect address without https',
      { ALLOWED_REDIRECT_URIS: 'https://a.example,http://b.example' },
      /ALLOWED_REDIRECT_URIS: must be https/,
    ],
    ['an allowed origin without https', { ALLOWED_ORIGINS: 'http://app.example.com' }, /ALLOWED_ORIGINS: must be https/],
    ['an issuer without https', { OIDC_ISSUER: 'http://issuer.example.com' }, /OIDC_ISSUER: must be https/],
    ['a bank redirect without https', { PLAID_REDIRECT_URI: 'http://app.example.com' }, /PLAID_REDIRECT_URI: must be https/],
    ['a bank address without https', { PLAID_BASE_URL: 'http://bank.example.com' }, /PLAID_BASE_URL: must be https/],
    ...['AUTH_URL', 'TOKEN_URL', 'USERINFO_URL', 'REVOKE_URL', 'API_URL', 'ISSUER'].map(
      (name): [string, Record<string, string>, RegExp] => [
        `a GOOGLE_${name} without https`,
        { [`GOOGLE_${name}`]: 'http://provider.example.com/x' },
        new RegExp(`GOOGLE_${name}: must be https`),
      ],
    ),
    ['a client id without its secret', { GOOGLE_CLIENT_SECRET: '' }, /GOOGLE_CLIENT_SECRET: is missing/],
    [
      'a database that is not Postgres',
      { DATABASE_URL: `mysql://u:${DATABASE_PASSWORD}@db/x` },
      /DATABASE_URL: is not a postgres:\/\/ address/,
    ],
    ['an invalid database address', { DATABASE_URL: `postgres://u:${DATABASE_PASSWORD}@db:port/x` }, /DATABASE_URL/],
    ['two sources of keys', { MASTER_KEYS_FILE: '/nowhere/keys' }, /MASTER_KEYS_FILE: /],
  ];
  it.each(wrong)('rejects %s', async (_what, spoiled, expected) => {
    const message = await refusal({ ...PRODUCTION, ...spoiled });
    expect(message).toMatch(expected);
    // One problem causes one message.
    expect(message.match(/^ {2}- /gm)?.length ?? 1).toBe(message.includes('MASTER_KEYS_FILE') ? 2 : 1);
  });
});

describe('an address to listen on', () => {
  it.each(['http://127.0.0.1', '[::1]', 'nowhere.invalid'])('is rejected by name if there is none: %s', async (HOST) => {
    expect(await refusal({ HOST, SANDBOX: 'expose', PORT: '0' })).toMatch(/^HOST and PORT .+\n$/);
  });
});

describe('master keys', () => {
  const key = randomKey();
  const keysets: [string, string, RegExp][] = [
    ['a short key', `k1:${randomBytes(16).toString('base64')}`, /MASTER_KEYS: key k1 has 16 bytes instead of 32/],
    ['the same id twice', `k1:${key},k1:${randomKey()}`, /MASTER_KEYS: contains a key id twice/],
    ['the same key under two ids', `k1:${key},k2:${key}`, /MASTER_KEYS: contains the same key under two ids/],
    ['the sample key', 'k1:REPLACE_WITH_openssl_rand_base64_32', /MASTER_KEYS: key k1 is the sample/],
    ['a key that is not base64', 'k1:%%%not-base64-at-all-but-long-enough%%%', /MASTER_KEYS: key k1 is not base64/],
    ['a key without an id', key.replaceAll(':', ''), /MASTER_KEYS: entry 1 is not of the form id:base64/],
    ['a key of zeros', `k1:${Buffer.alloc(32).toString('base64')}`, /MASTER_KEYS: key k1 is all zeros/],
  ];
  it.each(keysets)('rejects %s', async (_what, keys, expected) => {
    expect(await refusal({ ...PRODUCTION, MASTER_KEYS: keys })).toMatch(expected);
  });

  it('rejects a keys file that cannot be read, or has no valid keys', async () => {
    const { MASTER_KEYS: _, ...others } = PRODUCTION;
    const absent = join(folder, 'absent');
    expect(await refusal({ ...others, MASTER_KEYS_FILE: absent })).toMatch(/MASTER_KEYS_FILE: can't be read \(ENOENT\)/);
    const bad = join(folder, 'bad-keys');
    writeFileSync(bad, `k1:${randomBytes(8).toString('base64')}`);
    expect(await refusal({ ...others, MASTER_KEYS_FILE: bad })).toMatch(/MASTER_KEYS_FILE: key k1 has 8 bytes/);
  });
});

describe('keys that do not fit the database', () => {
  let place: Place;
  const right = `k1:${randomKey()}`;

  beforeAll(async () => {
    place = await createPlace();
    const child = await startProcess({ ...place.env, MASTER_KEYS: right });
    const { callback } = await connect(child, { email: 'demo@example.com' });
    expect(outcome(callback)).toMatchObject({ status: 'connected' });
    expect(await child.kill('SIGTERM')).toMatchObject({ code: 0 });
  });

  afterAll(() => place.remove());

  it('rejects another key with a known id', async () => {
    const message = await refusal({ ...place.env, MASTER_KEYS: `k1:${randomKey()}` });
    expect(message).toMatch(/^The master key k1 is not the one this database was used with\./);
  });

  it('does not start without a key that encrypts rows', async () => {
    const message = await refusal({ ...place.env, MASTER_KEYS: `k2:${randomKey()}` });
    expect(message).toMatch(/master keys that MASTER_KEYS doesn't name: k1\./);
  });

  it('starts again with the right key, also after a new one was added', async () => {
    const child = await startProcess({ ...place.env, MASTER_KEYS: `k2:${randomKey()},${right}` });
    const accounts = await child.call('/auth/workspace/accounts', { token: await child.signIn() });
    expect(accounts.body.accounts).toHaveLength(1);
    expect(await child.kill('SIGTERM')).toMatchObject({ code: 0 });
  });
});

describe('starting in development', () => {
  const DEVELOPMENT = { NODE_ENV: 'development' };

  it('does not expose the sandbox to the network', async () => {
    expect(await refusal({ ...DEVELOPMENT, HOST: '0.0.0.0' })).toMatch(/HOST: must be loopback while the sandbox is in use/);
    expect(await refusal({ ...DEVELOPMENT, HOST: '::' })).toMatch(/HOST: must be loopback/);
  });

  it('rejects real credentials with the sandbox’s identity', async () => {
    for (const real of [
      { GOOGLE_CLIENT_ID: 'client', GOOGLE_CLIENT_SECRET: CLIENT_SECRET },
      { PLAID_CLIENT_ID: 'client', PLAID_SECRET: BANK_SECRET },
    ]) {
      expect(await refusal({ ...DEVELOPMENT, ...real })).toMatch(/ALLOW_MIXED: must be 1/);
    }
  });

  it('rejects an invalid integrations file, with line and column', async () => {
    const file = join(folder, 'integrations.yaml');
    writeFileSync(file, 'version: 1\nagents:\n  mail:\n    provider: workspace\n    description: Mail.\n    scopes: [mail.modfiy]\n');
    expect(await refusal({ ...DEVELOPMENT, INTEGRATIONS_FILE: file })).toMatch(/integrations\.yaml:6:14 agents\.mail\.scopes\.0: /);
    writeFileSync(file, 'version: 1\nagents: [\n');
    expect(await refusal({ ...DEVELOPMENT, INTEGRATIONS_FILE: file })).toMatch(/integrations\.yaml:\d+:\d+ /);
    expect(await refusal({ ...DEVELOPMENT, INTEGRATIONS_FILE: join(folder, 'none.yaml') })).toMatch(/none\.yaml.*can't be read \(ENOENT\)/);
  });

  it('rejects an invalid port and an unknown environment, naming both', async () => {
    const message = await refusal({ NODE_ENV: 'staging', PORT: '70000' });
    expect(message).toMatch(/^ {2}- NODE_ENV: /m);
    expect(message).toMatch(/^ {2}- PORT: /m);
  });

  it('rejects a data folder that cannot be created', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    expect(await refusal({ ...DEVELOPMENT, DATA_DIR: join(file, 'data'), PORT: String(await freePort()) })).toMatch(/DATA_DIR/);
  });

  it('rejects an embedded database with other files, or one that cannot be created', async () => {
    const dataDir = join(folder, 'damaged');
    mkdirSync(join(dataDir, 'database'), { recursive: true });
    writeFileSync(join(dataDir, 'database/PG_VERSION'), '99');
    expect(await refusal({ ...DEVELOPMENT, DATA_DIR: dataDir, PORT: '0' })).toMatch(
      /^The embedded database can’t be opened \(PGlite .*damaged/,
    );
    rmSync(dataDir, { recursive: true });
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'database'), '');
    expect(await refusal({ ...DEVELOPMENT, DATA_DIR: dataDir, PORT: '0' })).toMatch(/^The embedded database can’t be opened \(EEXIST/);
  });
});
