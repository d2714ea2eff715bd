import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { boundConnections, type ConnectionBounds } from '../../../src/http/server/connections.ts';
import { rejectSocket } from '../../../src/http/server/raw-responses.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const CHECK_MS = 1_000;
const ANSWER_MS = 30_000;

describe('a client that doesn’t read the rejection of its upgrade', () => {
  let server: Server;
  let bounds: ConnectionBounds;
  let client: Socket;
  let clock: TestClock;
  let ended: Promise<unknown>;

  /** A service that rejects every upgrade, and a client that has read nothing for so long that no more can be sent. */
  async function refuse(): Promise<void> {
    clock = new TestClock({ standsAt: 0 });
    server = createServer((_request, response) => response.end('x'.repeat(16 * 1024)));
    bounds = boundConnections(server, { connections: 10, answerTimeoutMs: ANSWER_MS }, clock, createLogger('silent'));
    const upgraded = new Promise<Duplex>((resolve) => {
      server.on('upgrade', (_request, socket) => {
        rejectSocket(socket, { code: 'not_found', message: 'There is no such address.' });
        resolve(socket);
      });
    });
    const connected = once(server, 'connection');
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    client.pause();
    const [held] = (await connected) as [Socket];
    while (held.writableLength === 0) {
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(server, 'request');
      await new Promise(setImmediate);
    }
    client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    ended = once(await upgraded, 'close');
    expect(held.writableLength).toBeGreaterThan(0);
  }

  afterEach(() => {
    client.destroy();
    bounds.stop();
    server.close();
  });

  it('is disconnected', async () => {
    await refuse();
    // The first check notices that it does not read.
    await clock.advance(CHECK_MS + ANSWER_MS);
    await ended;
  });

  it('is disconnected at a stop', async () => {
    await refuse();
    bounds.destroyUpgraded();
    await ended;
  });
});
