import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect as connectTcp, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSIDE } from '../support/browser/inside-paths.ts';
import { programsMissing } from '../support/processes/programs.ts';
import { type ProductionSteward, startProduction } from '../support/scenes/production.ts';
import { Balancer } from '../support/servers/balancer.ts';
import { send } from '../support/users/request.ts';
import { SocketClient } from '../support/users/socket-client.ts';

const CANARY = 'canary-token-7f3a';
describe.skipIf(programsMissing('haproxy'))('the TLS proxy', () => {
  let steward: ProductionSteward;
  let proxy: Balancer;
  /** The response to headers that do not end. It comes after a time limit of the proxy, meanwhile the other tests run. */
  let slow: Promise<string>;

  beforeAll(async () => {
    steward = await startProduction({ TRUST_PROXY: '1' });
    proxy = await Balancer.create();
    await proxy.listen('single', { STEWARD: new URL(steward.url).host });
    const socket = connectTcp(proxy.httpPort, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: ');
    slow = text(socket);
  });

  afterAll(async () => {
    await proxy?.remove();
    await steward?.stop();
  });

  const call = (path: string) => send(proxy.url, path);

  /** The response to exactly these bytes. */
  async function raw(target: string, headers = ''): Promise<string> {
    const socket = connectTls({ port: proxy.httpsPort, host: '127.0.0.1', ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    socket.write(`GET ${target} HTTP/1.1\r\nhost: steward.example.com\r\n${headers}connection: close\r\n\r\n`);
    return text(socket);
  }

  /** The same over HTTP/2. */
  async function overHttp2(path: string): Promise<number> {
    const session = connectHttp2(proxy.url, { ca: proxy.certificate });
    const stream = session.request({ ':path': path });
    const [headers] = await once(stream, 'response');
    stream.resume();
    session.destroy();
    return Number(headers[':status']);
  }

  it('serves the service over TLS, with one HSTS header', async () => {
    const response = await call('/test');
    expect(response).toMatchObject({ status: 200, body: { environment: 'production' } });
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    expect(await overHttp2('/test')).toBe(200);
  });

  it.each(INSIDE)('does not expose %s, and returns an error in the service’s format', async (target) => {
    const { runs } = steward.context.integrations;
    const response = await raw(target);
    expect(response).toMatch(/^HTTP\/1\.1 404 /);
    expect(response).toContain('"code":"not_found"');
    expect(response.toLowerCase()).toContain('strict-transport-security: max-age=31536000');
    if (target.startsWith('/')) expect(await overHttp2(target)).toBe(404);
    expect(steward.context.integrations.runs).toBe(runs);
  });

  it('leaves them available internally', async () => {
    const { runs } = steward.context.integrations;
    expect((await steward.call('/update_integrations')).status).toBe(200);
    expect(steward.context.integrations.runs).toBe(runs + 1);
  });

  it('logs paths, and never a query, a token or unreadable input', async () => {
    await call(`/auth/workspace/login?token=${CANARY}`);
    await overHttp2(`/auth/workspace/login?token=${CANARY}`);
    await raw(
      `/auth/workspace/callback?code=${CANARY}`,
      `authorization: ${CANARY}\r\ncookie: a=${CANARY}\r\nreferer: https://a/?${CANARY}\r\n`,
    );
    await raw(`https://steward.example.com/test?${CANARY}`);
    await raw(`/test?${CANARY} HTTP/9`);
    await raw(`/test?${CANARY}`, `x: ${CANARY.repeat(2_000)}\r\n`);
    await redirect(`/auth/workspace/login?token=${CANARY}`);
    expect(proxy.output).toContain(' GET /auth/workspace/login ');
    expect(proxy.output).toContain(' GET /auth/workspace/callback ');
    expect(proxy.output).not.toContain(CANARY);
    expect(steward.logs.join('')).not.toContain(CANARY);
  });

  /** The response to plain HTTP. */
  async function redirect(path: string) {
    const asked = httpRequest({ port: proxy.httpPort, host: '127.0.0.1', path, headers: { host: 'steward.example.com' } }).end();
    const [response] = await once(asked, 'response');
    response.resume();
    return { status: response.statusCode, location: response.headers.location };
  }

  it('redirects plain HTTP to https', async () => {
    expect(await redirect('/test')).toEqual({ status: 308, location: 'https://steward.example.com/test' });
  });

  it('accepts TLS 1.2 and newer only', async () => {
    const shake = (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
      new Promise<string | null>((resolve) => {
        const versions = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' } as const;
        const socket = connectTls({ port: proxy.httpsPort, host: '127.0.0.1', ...versions }, () => resolve(socket.getProtocol()));
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
      });
    expect(await shake('TLSv1.1')).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    expect(await shake('TLSv1.2')).toBe('TLSv1.2');
    expect(await shake('TLSv1.3')).toBe('TLSv1.3');
  });

  it('forwards WebSockets', async () => {
    const socket = await SocketClient.signedIn(proxy.url, await steward.issuer.sign('ada'));
    expect(await socket.request({ type: 'list' })).toMatchObject({ type: 'result' });
    await socket.close();
  });

  it('disconnects a client that sends headers too slowly', async () => {
    expect(await slow).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe.skipIf(programsMissing('haproxy'))('the TLS proxy of a service that is down', () => {
  let proxy: Balancer;
  let service: Server;

  beforeAll(async () => {
    // It accepts requests, and closes each connection.
    service = createServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1');
    await once(service, 'listening');
    proxy = await Balancer.create();
    await proxy.listen('single', { STEWARD: `127.0.0.1:${(service.address() as AddressInfo).port}` });
  });

  afterAll(() => proxy?.remove());

  it.each([
    [502, 'in the middle of a request', async () => {}],
    [503, 'before it', async () => void service.close()],
  ])('returns %d in the service’s format when it went %s', async (status, _when, before) => {
    await before();
    const response = await send(proxy.url, '/test');
    expect(response).toMatchObject({ status, body: { status: 'error', code: 'unavailable', message: expect.any(String) } });
    expect(response.headers.get('retry-after')).toBe('5');
  });
});
