import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let steward: TestSteward;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await steward.stop();
});

/** An accepted connection on which this was sent. */
async function open(text = ''): Promise<Socket> {
  const { port, hostname } = new URL(steward.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

/** All data until the other side closed it. */
async function ending(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}

describe('a slow client', () => {
  it('with its headers, or silent from the start, is disconnected', async () => {
    steward = await startSteward({ LIMIT_HEADERS_TIMEOUT_MS: '1000' });
    for (const begun of ['GET /test HTTP/1.1\r\nHost: x\r\n', '']) {
      const socket = await open(begun);
      const drip = setInterval(() => begun !== '' && socket.write('X-A: b\r\n'), 200);
      expect(await ending(socket), begun).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      clearInterval(drip);
    }
  });

  it('with its body is disconnected, however steadily it sends', async () => {
    steward = await startSteward({ LIMIT_REQUEST_TIMEOUT_MS: '1500' });
    const head = 'POST /waitlist HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{';
    const socket = await open(head);
    const drip = setInterval(() => socket.write(' '), 100);
    expect(await ending(socket)).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
    expect((await steward.call('/test')).status).toBe(200);
  });

  it('that does not read its responses is disconnected, and the responses are discarded', async () => {
    steward = await startSteward({ LIMIT_ANSWER_TIMEOUT_MS: '1000' });
    const socket = await open();
    socket.pause();
    const ended = once(socket, 'error');
    // Nothing is read: what exceeds the kernel's buffers waits in the service, until it closes the connection.
    const asking = setInterval(() => socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100)), 100);
    const [error] = await ended;
    clearInterval(asking);
    expect(['ECONNRESET', 'EPIPE']).toContain(error.code);
    expect((await steward.call('/test')).status).toBe(200);
  });

  it('that reads now and then keeps its connection', async () => {
    steward = await startSteward({ LIMIT_ANSWER_TIMEOUT_MS: '1000' });
    const socket = await open();
    let responses = 0;
    socket.on('data', (chunk) => {
      responses += String(chunk).split('HTTP/1.1 200').length - 1;
    });
    for (let index = 1; index <= 4; index += 1) {
      socket.write('GET /test HTTP/1.1\r\nHost: x\r\n\r\n');
      await eventually(() => responses === index);
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
    expect(socket.destroyed).toBe(false);
  });

  it('is disconnected after a while without requests', async () => {
    steward = await startSteward({ LIMIT_KEEP_ALIVE_MS: '1000' });
    const response = await ending(await open('GET /test HTTP/1.1\r\nHost: x\r\n\r\n'));
    expect(response).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(response).toMatch(/^Keep-Alive: timeout=1\r$/m);
  });
});

describe('connections beyond the limit', () => {
  it('are rejected until others end, and logged once', async () => {
    steward = await startSteward({ LIMIT_CONNECTIONS: '3' });
    const first = [await open(), await open(), await open()];
    for (let tries = 0; tries < 5; tries += 1) expect(await ending(await open('GET /test HTTP/1.1\r\nHost: x\r\n\r\n'))).toBe('');
    expect(steward.logs.filter((line) => line.includes('new connections are rejected'))).toHaveLength(1);
    for (const socket of first) socket.destroy();
    const response = await eventually(async () => {
      const tried = await sendRaw(steward.url, ['GET /test HTTP/1.1', 'Connection: close']);
      return tried.status === 200 ? tried : undefined;
    });
    expect(response.body.status).toBe('success');
  });
});

describe('a request beyond the limits of its form', () => {
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  const headers = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: a`);

  it.each<[string, number, string, string[]]>([
    ['too many headers', 431, '/test', headers(99)],
    ['far too many headers', 431, '/test', headers(500)],
    ['headers that are too large', 431, '/test', [`X-A: ${'a'.repeat(5000)}`]],
    ['too long an address', 414, `/${'a'.repeat(1000)}`, []],
    ['too long a query', 414, `/test?${'a'.repeat(501)}`, []],
  ])('%s is %d, also for an upgrade', async (_name, status, path, lines) => {
    steward = await startSteward({ LIMIT_HEADER_BYTES: '4096', LIMIT_URL_BYTES: '1000', LIMIT_QUERY_BYTES: '500' });
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
    steward = await startSteward({ LIMIT_URL_BYTES: '1000', LIMIT_QUERY_BYTES: '500', LIMIT_HEADER_COUNT: '10' });
    for (const path of [`/test?${'a'.repeat(500)}`, '/test']) {
      expect((await sendRaw(steward.url, [`GET ${path} HTTP/1.1`, ...headers(8), 'Connection: close'])).status).toBe(200);
    }
    expect((await sendRaw(steward.url, [`GET /${'a'.repeat(999)} HTTP/1.1`, 'Connection: close'])).status).toBe(404);
  });

  it('with a large body is read like one with a small body', async () => {
    steward = await startSteward({ LIMIT_BODY_BYTES: '300000' });
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
    steward = await startSteward({ LIMIT_FORM_FIELDS: '5' });
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
    steward = await startSteward({ LIMIT_SOCKET_CONNECTS_PER_MINUTE: '1', LIMIT_SOCKET_AUTHENTICATION_MS: '100' });
    expectError(await ask('/nothing'), 'not_found');
    expectError(await ask('/ws', 'Origin: https://evil.example'), 'forbidden');
    expect((await ask()).status).toBe(101);
    const response = await ask();
    expectError(response, 'rate_limited');
    expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
});
