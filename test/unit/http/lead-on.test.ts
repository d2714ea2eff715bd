import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leadOn } from '../../../src/http/middleware/lead-on.ts';
import { type LoopbackServer, startLoopbackServer } from '../../support/servers/loopback-server.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('an address that a response leads to', () => {
  let server: LoopbackServer;
  let target = '';

  beforeAll(async () => {
    const app = express();
    app.use((_request, response) => leadOn(response, target));
    app.use((_error: unknown, _request: unknown, response: express.Response, _next: unknown) => response.status(500).end());
    server = await startLoopbackServer(app);
  });
  afterAll(() => server.close());

  function ask(address: string, method: string, headers: Record<string, string> = BROWSER): Promise<Response> {
    target = address;
    return fetch(server.url, { method, headers, redirect: 'manual' });
  }

  it.each([
    ['GET', BROWSER],
    ['POST', { accept: '*/*' }],
    ['POST', { accept: 'application/json' }],
  ])('is that of a redirect for %s with %j', async (method, headers) => {
    const response = await ask('https://app.example/?a=1&b=2', method, headers);
    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([303, 'https://app.example/?a=1&b=2', '']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it.each([
    ['https://app.example/?a=1&b="><script>', 'https://app.example/?a=1&amp;b=&quot;&gt;&lt;script&gt;'],
    ["http://127.0.0.1:9/'x", 'http://127.0.0.1:9/&#39;x'],
    ['/sign-in?return_to=%2Fapprovals', '/sign-in?return_to=%2Fapprovals'],
  ])('after a browser’s form is that of a page: %s', async (address, written) => {
    const response = await ask(address, 'POST');
    expect([response.status, response.headers.get('location')]).toEqual([200, null]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none';.* form-action 'self';/);
    const text = await response.text();
    expect(text).toContain(`<meta http-equiv="refresh" content="0; url=${written}">`);
    expect(text).toContain('<link rel="icon" href="/assets/favicon.svg"');
    expect(text).toContain(`<a href="${written}">`);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', '//other.example', '/\\other.example', 'com.example.app:/x', ' https://x', ''])(
    'is never %j in a page',
    async (address) => expect((await ask(address, 'POST')).status).toBe(500),
  );
});
