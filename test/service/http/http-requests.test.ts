import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../../support/servers/raw-http.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';

const FRONT_END = 'https://app.example.com';
const METHODS = ['PUT', 'PATCH', 'DELETE', 'POST', 'GET', 'OPTIONS', 'PROPFIND', 'QUERY', 'LINK'];

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({ ALLOWED_ORIGINS: FRONT_END });
});

afterAll(() => steward.stop());

/** A raw request, on a new connection. */
function raw(requestLine: string, ...headers: string[]) {
  return sendRaw(steward.url, [requestLine, ...headers, 'Connection: close']);
}

/** What is responded to a request without a host. */
function withoutHost(requestLine: string): Promise<string> {
  const { port } = new URL(steward.url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${requestLine}\r\nConnection: close\r\n\r\n`));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
  });
}

describe('a request target that is no address', () => {
  it.each(['http://a:99999/oauth/authorize?x', 'http://[/oauth/authorize'])('%s is 400 in JSON', async (target) => {
    for (const method of ['GET', 'POST']) expectError(await raw(`${method} ${target} HTTP/1.1`, 'Content-Length: 0'), 'invalid_request');
  });
});

describe('an unknown address', () => {
  it.each([
    '/nothing',
    '/auth',
    '/auth/bank',
    '/auth/bank/accounts/x/y',
    '/TEST/x',
    '/test/extra',
    '//test',
    '/favicon.ico.php',
    '/.env',
    '/.git/config',
  ])('%s is 404 in JSON', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT'])
      expectError(await raw(`${method} ${path} HTTP/1.1`, 'Content-Length: 0'), 'not_found');
  });

  it('is not repeated in the response', async () => {
    const response = await request(steward.url).get('/<script>alert(1)</script>');
    expect(response.text).not.toContain('alert');
  });
});

describe('another method', () => {
  it('is 405 with Allow at every documented address', async () => {
    const { paths } = (await request(steward.url).get('/openapi.json')).body;
    let tried = 0;
    for (const [path, operations] of Object.entries<Record<string, unknown>>({ ...paths, '/openapi.json': { get: {} } })) {
      const known = Object.keys(operations).map((method) => method.toUpperCase());
      const browser = known.includes('GET') && (await raw(`HEAD ${path} HTTP/1.1`)).status === 405;
      const allow = known.includes('GET') && !browser ? [...known, 'HEAD'] : known;
      for (const method of METHODS.filter((candidate) => !known.includes(candidate))) {
        const response = await raw(`${method} ${path.replace(/\{\w+\}/g, 'x')} HTTP/1.1`, 'Content-Length: 0');
        expectError(response, 'method_not_allowed');
        expect(response.headers.get('allow')?.split(', ').sort(), `${method} ${path}`).toEqual([...allow].sort());
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(100);
  }, 120_000);

  it('unknown to HTTP is 400', async () => {
    expect((await raw('NONSENSE /test HTTP/1.1')).status).toBe(400);
  });
});

describe('HEAD', () => {
  it('responds like GET, without the body', async () => {
    for (const path of ['/test', '/openapi.json', '/']) {
      const [head, get] = [await raw(`HEAD ${path} HTTP/1.1`), await raw(`GET ${path} HTTP/1.1`)];
      expect(head.status).toBe(200);
      expect(head.text).toBe('');
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    }
  });

  it('is 405 on the flow’s routes, which link scanners must not follow', async () => {
    for (const path of ['/auth/workspace/login?token=x', '/auth/workspace/callback?state=x']) {
      const response = await raw(`HEAD ${path} HTTP/1.1`);
      expect([response.status, response.headers.get('allow'), response.text]).toEqual([405, 'GET', '']);
    }
  });
});

/** Requests that Node's parser rejects before the service receives them. */
describe('a malformed request', () => {
  it.each<[string, number, string[], string]>([
    ['headers of 20 kB', 431, ['GET /test HTTP/1.1', `X-Large: ${'a'.repeat(20_000)}`], ''],
    ['an address of 20 kB', 431, [`GET /${'a'.repeat(20_000)} HTTP/1.1`], ''],
    [
      'both content-length and transfer-encoding',
      400,
      ['POST /waitlist HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked'],
      '0\r\n\r\n',
    ],
    ['two lengths', 400, ['POST /waitlist HTTP/1.1', 'Content-Length: 5', 'Content-Length: 6'], 'email='],
    ['a negative length', 400, ['POST /waitlist HTTP/1.1', 'Content-Length: -1'], ''],
    ['a length in hex', 400, ['POST /waitlist HTTP/1.1', 'Content-Length: 0x10'], ''],
    ['transfer-encoding hidden by a space', 400, ['POST /waitlist HTTP/1.1', 'Transfer-Encoding : chunked'], '0\r\n\r\n'],
    ['chunked twice', 400, ['POST /waitlist HTTP/1.1', 'Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
    [
      'an invalid chunk size',
      400,
      ['POST /waitlist HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
      'zz\r\n\r\n',
    ],
    ['a bare line feed in a header', 400, ['GET /test HTTP/1.1', 'X-A: b\nX-B: c'], ''],
    ['a NUL in a header', 400, ['GET /test HTTP/1.1', 'X-A: b\0c'], ''],
    ['a folded header', 400, ['GET /test HTTP/1.1', 'X-A: b', ' c'], ''],
    ['another protocol', 400, ['GET /test HTCPCP/1.0'], ''],
    ['two hosts', 400, ['GET /test HTTP/1.1', 'Host: other.example'], ''],
    ['two hosts for an upgrade', 400, ['GET /ws HTTP/1.1', 'hOST: other.example', 'Upgrade: websocket', 'Connection: Upgrade'], ''],
    ['HTTP/0.9', 505, ['GET /test'], ''],
    ['HTTP/2.0 without its preface', 505, ['GET /test HTTP/2.0'], ''],
  ])('%s is %d, with a request id and in the format of errors', async (_name, status, lines, body) => {
    const response = await sendRaw(steward.url, [...lines, 'Connection: close'], body);
    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ status: 'error', message: expect.any(String), request_id: response.headers.get('x-request-id') });
  });

  it.each(['GET /test HTTP/1.1', 'GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade'])(
    'without a host is 400: %j',
    async (line) => {
      const response = await withoutHost(line);
      expect(response).toMatch(/^HTTP\/1\.1 400 /);
      expect(response).toContain('"code":"invalid_request"');
    },
  );

  it('that never ends is aborted: slow headers, or a slow body', async ({ onTestFinished }) => {
    const impatient = await startSteward({ LIMIT_REQUEST_TIMEOUT_MS: '1500' });
    onTestFinished(() => impatient.stop());
    for (const started of [
      'POST /waitlist HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"em',
      'GET /test HTTP/1.1\r\nHos',
    ]) {
      const { port } = new URL(impatient.url);
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(started));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      await new Promise((resolve) => socket.on('close', resolve));
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
    }
  });

  it('keeps the connection usable after a rejection by the service', async () => {
    const response = await sendRaw(steward.url, ['GET /nothing HTTP/1.1'], `GET /test HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(response.status).toBe(404);
    expect(response.text).toContain('HTTP/1.1 200 OK');
  });
});

/** Requests that Node's server would respond to by itself, or pass to the sockets. */
describe('a request with optional features', () => {
  it.each([
    ['an unknown expectation', ['Expect: miracles']],
    ['HTTP/2 in the clear', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']],
  ])('such as %s gets a normal response', async (_name, wishes) => {
    const response = await sendRaw(steward.url, ['GET /test HTTP/1.1', ...wishes, 'Connection: close']);
    expect([response.status, response.body.status]).toEqual([200, 'success']);
    expectError(await sendRaw(steward.url, ['GET /nothing HTTP/1.1', ...wishes, 'Connection: close']), 'not_found');
  });

  it('such as HTTP/1.0 needs no host', async () => {
    expect(await withoutHost('GET /test HTTP/1.0')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('x-request-id', () => {
  it('is in every response, unique, and never the client’s', async () => {
    const seen = new Set<string>();
    const paths = [
      '/test',
      '/',
      '/openapi.json',
      '/nothing',
      '/integrations',
      '/assets/steward.css',
      '/assets/none',
      '/health/live',
      '/auth/workspace/login',
      '/sandbox/control/state',
      '/sandbox/none',
    ];
    for (const path of paths) {
      const response = await request(steward.url)
        .get(path)
        .set({ 'x-request-id': 'chosen-by-client', 'x-correlation-id': 'chosen-by-client' });
      expect(response.headers['x-request-id'], path).toMatch(/^[0-9a-f-]{36}$/);
      seen.add(response.headers['x-request-id'] as string);
    }
    const preflight = await request(steward.url)
      .options('/integrations')
      .set({ origin: FRONT_END, 'access-control-request-method': 'GET' });
    seen.add(preflight.headers['x-request-id'] as string);
    expect(seen.size).toBe(paths.length + 1);
    expect(steward.logs.join('')).not.toContain('chosen-by-client');
  });

  it('is the request’s id in the log', async () => {
    const response = await request(steward.url).get('/integrations?canary=query-canary');
    const lines = steward.logs.filter((line) => line.includes(response.body.request_id));
    expect(lines.length).toBeGreaterThan(0);
    expect(steward.logs.join('')).not.toContain('query-canary');
  });
});
