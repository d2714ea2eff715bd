import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../src/clock/clock.ts';
import { fetchJson } from '../../../src/providers/transport/provider-fetch.ts';
import { WorkspaceApi } from '../../../src/providers/workspace/workspace-api.ts';

/** More than Node's fetch reads ahead, so that the body is incomplete. */
const BODY = Buffer.alloc(200_000, 'x');
const TURNS = 20;

let server: Server;
let url: string;
let codings: string;
let ends: Promise<unknown>[];
const faults: unknown[] = [];
const hear = (error: unknown) => void faults.push(error);

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': codings });
    if (codings === 'gzip') response.end(gzipSync('{"fine":true}'));
    else response.write(BODY);
  });
  server.on('connection', (socket: Socket) => ends.push(once(socket, 'close')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.on('uncaughtException', hear);
});

afterAll(async () => {
  process.off('uncaughtException', hear);
  server.close();
  await once(server, 'close');
});

beforeEach(() => {
  ends = [];
});

afterEach(() => {
  faults.length = 0;
  server.closeAllConnections();
});

/** The caller aborts and the provider closes the connection, which ends the body. */
async function over(controller: AbortController): Promise<void> {
  controller.abort(new Error('the call was given up'));
  server.closeAllConnections();
  await Promise.all(ends);
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
}

describe('a response of several content codings, whose body stays open', () => {
  it.each(['gzip,gzip', 'gzip, gzip, gzip, gzip, gzip, gzip', Array(40).fill('br').join(',')])(
    'is rejected, and its end causes no uncaught exception: %s',
    async (given) => {
      codings = given;
      const controller = new AbortController();
      await expect(fetchJson(url, { signal: controller.signal, clock: systemClock })).rejects.toMatchObject({ code: 'provider_error' });
      await over(controller);
      expect(faults).toEqual([]);
    },
  );

  it('is rejected for a call of an API, too', async () => {
    codings = Array(6).fill('gzip').join(',');
    const controller = new AbortController();
    const tokens = { current: async () => 'token', renewed: async () => 'token' };
    const session = new WorkspaceApi({ apiUrl: url, timeoutMs: 60_000, clock: systemClock }).session('user', tokens, controller.signal);
    const call = session.call('drive.files.create', { requestBody: { name: 'a' } }, z.object({}));
    await expect(call).rejects.toMatchObject({ code: 'provider_error' });
    await over(controller);
    expect(faults).toEqual([]);
  });
});

it('a response of one content coding is read', async () => {
  codings = 'gzip';
  expect((await fetchJson(url, { signal: new AbortController().signal, clock: systemClock })).body).toEqual({ fine: true });
});
