import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../../support/servers/raw-http.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({
    LIMIT_HEADER_BYTES: '4096',
    LIMIT_HEADER_COUNT: '10',
    LIMIT_URL_BYTES: '1000',
    LIMIT_QUERY_BYTES: '500',
    LIMIT_BODY_BYTES: '300000',
    LIMIT_FORM_FIELDS: '5',
    LIMIT_SOCKET_CONNECTS_PER_MINUTE: '1',
  });
});

afterAll(() => steward.stop());

describe('a request beyond the limits of its form', () => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  const headers = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: a`);

  it.each<[string, number, string, string[]]>([
    ['too many headers', 431, '/test', headers(9)],
    ['far too many headers', 431, '/test', headers(500)],
    ['headers that are too large', 431, '/test', [`X-A: ${'a'.repeat(5000)}`]],
    ['too long an address', 414, `/${'a'.repeat(1000)}`, []],
    ['too long a query', 414, `/test?${'a'.repeat(501)}`, []],
  ])('%s is %d, also for an upgrade', async (_name, status, path, lines) => {
    for (const more of [['Connection: close'], upgrade]) {
      const response = await sendRaw(steward.url, [`GET ${path} HTTP/1.1`, ...lines, ...more]);
      expect(response.status, more[0]).toBe(status);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.body).toEqual({
        status: 'error',
        code: 'too_large',
        message: expect.any(String),
        request_id: response.headers.get('x-request-id'),
      });
    }
  });

  it('just within the limits is accepted', async () => {
    for (const path of [`/test?${'a'.repeat(500)}`, '/test']) {
      expect((await sendRaw(steward.url, [`GET ${path} HTTP/1.1`, ...headers(8), 'Connection: close'])).status).toBe(200);
    }
    expect((await sendRaw(steward.url, [`GET /${'a'.repeat(999)} HTTP/1.1`, 'Connection: close'])).status).toBe(404);
  });

  it('with a large body is read like one with a small body', async () => {
    const post = (body: string, type: string) => steward.call('/waitlist', { body, headers: { 'content-type': type } });
    const [form, json] = ['application/x-www-form-urlencoded', 'application/json'];
    const padding = 'x+%C3%A9'.repeat(20_000);
    expectError(await post(`email=a%40example.com&y=${padding}`, form), 'invalid_request', /^y: is unknown/);
    expectError(await post(`email=a%40example.com&y=${padding}%C3`, form), 'invalid_request', /percent-encoded/);
    expectError(await post(`email=a%40example.com${'&y'.repeat(100_000)}`, form), 'too_large');
    expectError(await post(`email=a%40example.com&y=${padding}`, `${form}; charset=latin1`), 'unsupported_media_type');
    expectError(await post(`email=${padding.repeat(3)}`, form), 'too_large');
    expectError(await post(`{"email":"a@example.com","y":"${padding}"}`, json), 'invalid_request', /^y: is unknown/);
    expect((await post(`\ufeff{"email":"a@example.com"${' '.repeat(100_000)}}`, json)).status).toBe(200);
    for (const wrong of [`["${padding}"]`, `"${padding}"`, `{"email":"${padding}`]) expectError(await post(wrong, json), 'invalid_request');
    expectError(await post(`{"y":[${'[],'.repeat(50_000)}[]]}`, json), 'too_large');
    expectError(await post(`{"y":"${padding}"}`, `${json}; charset=utf-16`), 'unsupported_media_type');
  });

  it('with too many fields is 413', async () => {
    const fields = (count: number) =>
      Object.fromEntries([['email', 'a@example.com'], ...Array.from({ length: count }, (_, i) => [`f${i}`, ''])]);
    // The maximum number is parsed, and then rejected as unknown.
    expectError(await steward.call('/waitlist', { form: fields(4) }), 'invalid_request', /^f0: /);
    expectError(await steward.call('/waitlist', { form: fields(5) }), 'too_large');
  });
});

describe('an upgrade', () => {
  const ask = (path = '/ws', ...more: string[]) =>
    sendRaw(steward.url, [
      `GET ${path} HTTP/1.1`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...more,
    ]);

  it('that is rejected gets an error in the common format', async () => {
    expectError(await ask('/nothing'), 'not_found');
    expectError(await ask('/ws', 'Origin: https://evil.example'), 'forbidden');
    const opened = ask();
    await eventually(async () => (await steward.call('/test')).body.connections === 1);
    const response = await ask();
    expectError(response, 'rate_limited');
    expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    // It does not authenticate.
    await steward.clock.advance(10_000);
    expect((await opened).status).toBe(101);
  });
});
