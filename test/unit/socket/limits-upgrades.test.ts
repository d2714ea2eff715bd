import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { boundConnections, type ConnectionBounds } from '../../../src/http/connections.ts';
import { rejectSocket } from '../../../src/http/raw-responses.ts';
import { createLogger } from '../../../src/observability/logger.ts';

describe('a client that doesn’t read the rejection of its upgrade', () => {
  let server: Server;
  let bounds: ConnectionBounds;
  let client: Socket;
  let ended: Promise<unknown>;

  /** A service that rejects every upgrade, and a client that has read nothing for so long that no more can be sent. */
  async function refuse(answerTimeoutMs: number): Promise<void> {
    server = createServer((_request, response) => response.end('x'.repeat(16 * 1024)));
    bounds = boundConnections(server, { connections: 10, answerTimeoutMs }, createLogger('silent'));
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
    await refuse(1_000);
    await ended;
  });

  it('is disconnected at a stop', async () => {
    await refuse(3_600_000);
    bounds.destroyUpgraded();
    await ended;
  });
});
