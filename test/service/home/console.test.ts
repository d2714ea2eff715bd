import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProductionSteward, startProduction } from '../../support/scenes/production.ts';
import { startSteward } from '../../support/steward.ts';

const PUBLIC_URL = 'https://steward.example.com';
const GOOGLE = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' };
const REFERENCE = /(?:src|href)="(\/(?:assets|client)\/[^"]+)"|(?:from|import)\s*\(?\s*'(\.[^']+|\/[^']+)'/g;

let steward: ProductionSteward;
beforeAll(async () => {
  steward = await startProduction({ CONSOLE: 'on', OIDC_CLIENT_ID: 'pages', ...GOOGLE });
});
afterAll(() => steward.stop());

/** The page and everything that it loads, by address. */
async function loaded(address: string, files = new Map<string, string>()): Promise<Map<string, string>> {
  const response = await steward.call(address);
  expect([address, response.status]).toEqual([address, 200]);
  files.set(address, response.text);
  if (/\.(css|svg)$/.test(address)) return files;
  for (const [, absolute, relative = ''] of response.text.matchAll(REFERENCE)) {
    const next = new URL(absolute ?? relative, new URL(address, PUBLIC_URL)).pathname;
    if (!files.has(next)) await loaded(next, files);
  }
  return files;
}

describe('GET /console in production with CONSOLE=on', () => {
  it('is the console, with the headers of every page', async () => {
    const { status, text, headers } = await steward.call('/console');
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, 'text/html; charset=utf-8', 'no-store']);
    expect(text).toContain('<script type="module" src="/assets/console/app.js">');
    const policy = headers.get('content-security-policy');
    for (const part of ["default-src 'none'", "script-src 'self';", "connect-src 'self';", "frame-ancestors 'none'", "form-action 'self'"])
      expect(policy).toContain(part);
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
    expect(headers.get('x-frame-options')).not.toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('has nothing of the sandbox, of pasted tokens and of the API reference', async () => {
    expect((await steward.call('/console')).text).not.toMatch(/sandbox|ID token|api-docs|development|password/i);
    for (const path of ['/api-docs', '/sandbox', '/sandbox/identity/.well-known/openid-configuration'])
      expect((await steward.call(path)).status, path).toBe(404);
  });

  it('loads only what is there', async () => {
    const files = await loaded('/console');
    expect(files.size).toBeGreaterThan(50);
    expect([...files.keys()]).toContain('/client/steward-client.js');
  });

  it('is told to sign in users by GET /sign-in only', async () => {
    const { sign_in: ways } = (await steward.call('/auth/session')).body;
    expect(ways).toEqual({ url: '/sign-in', sandbox: false, token: false });
  });

  it('leaves the interface’s GET / as it is', async () => {
    const { status, headers } = await steward.call('/');
    expect([status, headers.get('location')]).toEqual([302, 'https://www.example.com/']);
  });

  it('may be where a flow ends, and only exactly', async () => {
    const token = await steward.issuer.sign('ada');
    const asked = (redirect_uri: string) =>
      steward.call('/workspace_access_request', { token, form: { email: 'ada@example.com', redirect_uri } });
    expect((await asked(`${PUBLIC_URL}/console`)).status).toBe(200);
    for (const other of [`${PUBLIC_URL}/`, `${PUBLIC_URL}/console/`, `${PUBLIC_URL}/console?x`, 'https://evil.example/console'])
      expect([other, (await asked(other)).status]).toEqual([other, 400]);
  });

  it('admits the bank’s widget only with its credentials', async () => {
    const banked = await startProduction({ CONSOLE: 'on', PLAID_CLIENT_ID: 'id', PLAID_SECRET: 'secret' });
    expect((await banked.call('/console')).headers.get('content-security-policy')).toContain('https://cdn.plaid.com/link/');
    await banked.stop();
  });
});

describe('GET /console otherwise', () => {
  it.each<[string, Record<string, string>]>([
    ['by default', {}],
    ['with CONSOLE=off', { CONSOLE: 'off' }],
  ])('is not there in production %s, nor may a flow end there', async (_when, env) => {
    const without = await startProduction({ ...env, ...GOOGLE });
    expect((await without.call('/console')).status).toBe(404);
    const form = { email: 'ada@example.com', redirect_uri: `${PUBLIC_URL}/console` };
    expect((await without.call('/workspace_access_request', { token: await without.issuer.sign('ada'), form })).status).toBe(400);
    await without.stop();
  });

  it('is the development page in development, with its sandbox', async () => {
    const development = await startSteward({ CONSOLE: 'on' });
    expect((await development.call('/console')).text).toBe((await development.call('/')).text);
    expect((await development.call('/console')).text).toContain('api-docs');
    await development.stop();
    const without = await startSteward();
    expect((await without.call('/console')).status).toBe(404);
    await without.stop();
  });
});
