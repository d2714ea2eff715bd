import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../../support/servers/raw-http.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';

const FRONT_END = 'https://app.example.com';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({ ALLOWED_ORIGINS: FRONT_END });
});

afterAll(() => steward.stop());

/** A raw request, on a new connection. */
function raw(requestLine: string, ...headers: string[]) {
  return sendRaw(steward.url, [requestLine, ...headers, 'Connection: close']);
}

describe('a page of another origin', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  };

  async function corsHeaders(origin: string, path = '/integrations', options: { method?: string; headers?: Record<string, string> } = {}) {
    const response = await steward.call(path, { ...options, headers: { ...options.headers, origin } });
    return [...response.headers].filter(([name]) => name.startsWith('access-control-'));
  }

  it.each([FRONT_END, 'http://localhost:5173', 'http://127.0.0.1:3000'])('may send requests with credentials from %s', async (origin) => {
    expect(Object.fromEntries(await corsHeaders(origin))).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'x-request-id,retry-after,www-authenticate',
    });
    const response = await steward.call('/integrations', { ...preflight, headers: { ...preflight.headers, origin } });
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': expect.stringContaining('authorization'),
      'access-control-allow-methods': 'GET,POST,PATCH,DELETE',
      vary: expect.stringContaining('Origin'),
    });
  });

  it.each([
    'null',
    'https://evil.example',
    'https://app.example.com.evil.example',
    'https://evil.example/https://app.example.com',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://sub.app.example.com',
    'https://user@app.example.com',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'file://',
    '',
  ])('may not send requests from %j', async (origin) => {
    expect(await corsHeaders(origin)).toEqual([]);
    expect(await corsHeaders(origin, '/integrations', preflight)).toEqual([]);
    expect(await corsHeaders(origin, '/nothing')).toEqual([]);
  });

  it('never receives a wildcard, and caches separate origins', async () => {
    const response = await request(steward.url).get('/integrations').set({ origin: FRONT_END });
    expect(response.headers['access-control-allow-origin']).not.toBe('*');
    expect(response.headers.vary).toMatch(/\bOrigin\b/i);
  });
});

describe('/assets', () => {
  it('serves the pages’ files', async () => {
    const response = await request(steward.url).get('/assets/steward.css');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toMatch(/^text\/css/);
  });

  it.each([
    '/assets/../package.json',
    '/assets/%2e%2e/package.json',
    '/assets/%2e%2e%2fpackage.json',
    '/assets/..%2fpackage.json',
    '/assets/..%5cpackage.json',
    '/assets/.%2e/.%2e/etc/passwd',
    '/assets/%252e%252e/package.json',
    '/assets/....//package.json',
    '/assets//etc/passwd',
    '/assets/%2fetc%2fpasswd',
    '/assets/steward.css%00.html',
    '/assets/%00',
    '/assets/%zz',
    '/assets/.gitignore',
    '/assets/',
    '/assets',
  ])('serves no other file: %s', async (path) => {
    const response = await raw(`GET ${path} HTTP/1.1`);
    expect([400, 404]).toContain(response.status);
    expectError(response, response.status === 400 ? 'invalid_request' : 'not_found');
    expect(response.text).not.toMatch(/devDependencies|root:|Steward<|package/);
  });
});

describe('an address', () => {
  it.each([
    '/auth/bank/accounts/%00',
    '/auth/bank/accounts/%zz',
    '/auth/bank/accounts/%c0%ae',
    '/%00',
    '/%ff',
    '/test%00',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/auth/bank/accounts/%2e%2e%2f',
  ])('%s is rejected as a client error', async (path) => {
    for (const method of ['GET', 'DELETE']) {
      const response = await raw(`${method} ${path} HTTP/1.1`);
      expect([400, 401, 404, 405], response.text).toContain(response.status);
      expectError(response, response.body.code);
    }
  });

  it('of 12,000 characters is rejected as a client error', async () => {
    expectError(await raw(`GET /${'a'.repeat(12_000)} HTTP/1.1`), 'not_found');
    expectError(await raw(`GET /auth/workspace/login?token=${'a'.repeat(12_000)} HTTP/1.1`), 'invalid_request', /^token: /);
  });

  it('in absolute form is used by its path only', async () => {
    const response = await raw('GET http://evil.example/test HTTP/1.1');
    expect([200, 404]).toContain(response.status);
    expect(response.text).not.toContain('evil');
  });
});

describe('security headers', () => {
  it.each(['/integrations', '/', '/nothing', '/assets/steward.css', '/openapi.json', '/auth/workspace/login'])(
    'are on %s',
    async (path) => {
      const { headers } = await request(steward.url).get(path);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/);
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['strict-transport-security']).toContain('max-age=');
      expect(headers['cross-origin-opener-policy']).toBe('same-origin-allow-popups');
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
    },
  );

  it('allow only assets to be cached', async () => {
    for (const path of ['/integrations', '/', '/test', '/openapi.json', '/nothing']) {
      expect((await request(steward.url).get(path)).headers['cache-control'], path).toBe('no-store');
    }
  });
});
