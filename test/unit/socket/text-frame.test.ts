import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { textFrame } from '../../../src/socket/text-frame.ts';

/** Around the lengths at which the header becomes longer. */
const LENGTHS = [0, 1, 125, 126, 65_535, 65_536, 70_000];
const TEXTS = [...LENGTHS.map((length) => 'a'.repeat(length)), 'ü', 'ü'.repeat(63), '€'.repeat(21_846), '🙂'];

it('a client receives the texts that were framed, in order', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, { socket: carrier }) => {
    for (const text of TEXTS) carrier.write(textFrame(text));
    socket.send('sent by ws');
  });
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const received: string[] = [];
  const { promise: untilAll, resolve } = Promise.withResolvers<void>();
  client.on('message', (message, isBinary) => {
    received.push(isBinary ? 'binary' : String(message));
    if (received.length > TEXTS.length) resolve();
  });
  client.on('error', () => client.terminate());
  await Promise.race([untilAll, once(client, 'close')]);
  client.terminate();
  server.close();
  expect(received).toEqual([...TEXTS, 'sent by ws']);
});
