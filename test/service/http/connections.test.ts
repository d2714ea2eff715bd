import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { HttpServer } from '../../../src/http/server/http-server.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { sendRaw } from '../../support/servers/raw-http.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const LARGE = 'x'.repeat(100_000);
const CHECK_MS = 1_000;
const ANSWER_MS = 30_000;
/** Longer than a close waits for open connections. */
const CLOSING_MS = 60_000;

let clock: TestClock;
let http: HttpServer;
let logs: string[];
/** The service's end of the connection of the last request. */
let peer: Socket | undefined;
const sockets: Socket[] = [];

/** The HTTP listener alone. Requests, headers and idle connections are timed by Node, answers by the clock. */
async function listen(env: Record<string, string>): Promise<void> {
  clock = new TestClock({ standsAt: '2027-01-01T00:00:00Z' });
  logs = [];
  peer = undefined;
  const logger = createLogger('debug', { write: (line: string) => void logs.push(line) });
  http = await HttpServer.listen({ config: loadConfig({ PORT: '0', ...env }), clock, logger });
  const app = express();
  app.use((request, _response, next) => {
    peer = request.socket;
    next();
  });
  app.get('/test', (_request, response) => void response.json({ status: 'success' }));
  app.get('/large', (_request, response) => void response.send(LARGE));
  app.post('/waitlist', (request, response) => void request.resume().on('end', () => response.end()));
  http.serve(app, (_request, socket) => socket.destroy());
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all([http.close(), clock.advance(CLOSING_MS)]);
});

/** An accepted connection on which this was sent. */
async function open(text = ''): Promise<Socket> {
  const { port, hostname } = new URL(http.addresses.selfUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

/** All data until the other side closed it. @param drip is sent meanwhile, again and again */
async function ending(socket: Socket, drip = ''): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
  });
  await eventually(() => {
    if (drip !== '' && socket.writable) socket.write(drip);
    return isClosed;
  });
  return text;
}

const ask = () => sendRaw(http.addresses.selfUrl, ['GET /test HTTP/1.1', 'Connection: close']);

describe('a slow client', () => {
  it('with its headers, or silent from the start, is disconnected', async () => {
    await listen({ LIMIT_HEADERS_TIMEOUT_MS: '100' });
    for (const [begun, drip] of [
      ['GET /test HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n'],
      ['', ''],
    ]) {
      expect(await ending(await open(begun), drip), begun).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    }
  });

  it('with its body is disconnected, however steadily it sends', async () => {
    await listen({ LIMIT_REQUEST_TIMEOUT_MS: '100' });
    const head = 'POST /waitlist HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50000\r\n\r\n{';
    expect(await ending(await open(head), ' ')).toMatch(/^HTTP\/1\.1 408 /);
    await eventually(async () => (await ask()).status === 200);
  });

  it('that does not read its responses is disconnected, and the responses are discarded', async () => {
    await listen({ LIMIT_ANSWER_TIMEOUT_MS: String(ANSWER_MS) });
    const socket = await open();
    let received = 0;
    socket.on('data', ({ length }) => {
      received += length;
    });
    socket.pause();
    let sent = 0;
    // Nothing is read: what exceeds the kernel's buffers waits in the service.
    await eventually(() => {
      if (peer !== undefined && peer.writableLength > 0) return true;
      for (let asked = 0; asked < 100; asked += 1) socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
      sent += 100 * LARGE.length;
      return false;
    });
    const held = peer as Socket | undefined;
    await clock.advance(ANSWER_MS);
    expect(held?.destroyed).toBe(false);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await clock.advance(CHECK_MS);
    expect(held?.destroyed).toBe(true);
    socket.resume();
    await closed;
    expect(received).toBeLessThan(sent);
    expect((await ask()).status).toBe(200);
  });

  it('that reads now and then keeps its connection', async () => {
    await listen({ LIMIT_ANSWER_TIMEOUT_MS: String(ANSWER_MS) });
    const socket = await open();
    let responses = 0;
    socket.on('data', (chunk) => {
      responses += String(chunk).split('HTTP/1.1 200').length - 1;
    });
    for (let index = 1; index <= 4; index += 1) {
      socket.write('GET /test HTTP/1.1\r\nHost: x\r\n\r\n');
      await eventually(() => responses === index);
      await clock.advance(0.6 * ANSWER_MS);
    }
    expect(socket.destroyed).toBe(false);
  });

  it('is disconnected after a while without requests', async () => {
    await listen({ LIMIT_KEEP_ALIVE_MS: '1000' });
    const response = await ending(await open('GET /test HTTP/1.1\r\nHost: x\r\n\r\n'));
    expect(response).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(response).toMatch(/^Keep-Alive: timeout=1\r$/m);
  });
});

describe('connections beyond the limit', () => {
  it('are rejected until others end, and logged once a minute', async () => {
    await listen({ LIMIT_CONNECTIONS: '3' });
    const warnings = () => logs.filter((line) => line.includes('new connections are rejected')).length;
    const first = [await open(), await open(), await open()];
    for (let tries = 0; tries < 5; tries += 1) expect(await ending(await open('GET /test HTTP/1.1\r\nHost: x\r\n\r\n'))).toBe('');
    expect(warnings()).toBe(1);
    await clock.advance(60_000);
    expect(await ending(await open('GET /test HTTP/1.1\r\nHost: x\r\n\r\n'))).toBe('');
    expect(warnings()).toBe(2);
    for (const socket of first) socket.destroy();
    const response = await eventually(async () => {
      const tried = await ask();
      return tried.status === 200 ? tried : undefined;
    });
    expect(response.body.status).toBe('success');
  });
});
