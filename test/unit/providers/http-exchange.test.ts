import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';
import { ExchangeEnded, type ExchangeOptions, exchange } from '../../../src/providers/transport/http-exchange.ts';
import { LARGE_BYTES } from '../../../src/providers/transport/responses.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const MEGABYTE = 1024 * 1024;
const TURNS = 20;

/** What the server does with the nth request of a connection, once its headers are complete. */
let respond: (socket: Socket, request: string, nth: number) => void;
let server: Server;
let origin: string;
let sockets: Set<Socket>;
let requests: string[];
const faults: unknown[] = [];
const hear = (error: unknown) => void faults.push(error);

beforeAll(async () => {
  process.on('uncaughtException', hear);
  process.on('unhandledRejection', hear);
});

afterAll(() => {
  process.off('uncaughtException', hear);
  process.off('unhandledRejection', hear);
});

// A server each, so that no test gets a connection of another.
beforeEach(async () => {
  sockets = new Set();
  requests = [];
  server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    let nth = 0;
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      requests.push(received);
      nth += 1;
      const request = received;
      received = '';
      respond(socket, request, nth);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
  await settled();
  expect(faults.splice(0)).toEqual([]);
});

/** Node's client uses a connection again only after a turn of the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
}

const tooLarge = () => new Error('too large');
const limit = (bytes: number) => () => ({ bytes, error: tooLarge });

function send(options: Partial<ExchangeOptions> = {}, method = 'GET', headers: Record<string, string> = {}, body?: string) {
  const signal = new AbortController().signal;
  return exchange(
    { method, origin, path: '/', headers, body },
    { signal, clock: systemClock, timeoutMs: 20_000, limit: limit(MEGABYTE), ...options },
  );
}

function answer(headers: string, body: string | Uint8Array = '') {
  respond = (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`);
    socket.write(body);
  };
}

const textOf = async (response: ReturnType<typeof send>) => Buffer.from((await response).bytes).toString();

describe('a response', () => {
  it('is read with its status and Retry-After', async () => {
    respond = (socket) => socket.write('HTTP/1.1 429 No\r\nRETRY-AFTER: 7\r\ncontent-length: 2\r\n\r\nno');
    expect(await send()).toMatchObject({ status: 429, retryAfter: '7', bytes: new TextEncoder().encode('no') });
  });

  it.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => text],
  ] as const)('is decoded: %s', async (coding, encode) => {
    for (const text of [
      'short',
      'text that is long '.repeat(40_000),
      Array.from({ length: 60_000 }, (_, n) => (n * 7919) % 65_537).join(),
    ]) {
      answer(`content-encoding: ${coding}\r\n`, encode(text));
      expect(await textOf(send({ limit: limit(2 * MEGABYTE) }))).toBe(text);
    }
  });

  it('may be empty, also in a coding', async () => {
    respond = (socket) => socket.write('HTTP/1.1 204 No Content\r\ncontent-encoding: gzip\r\n\r\n');
    expect(await send()).toMatchObject({ status: 204, bytes: new Uint8Array() });
    answer('content-encoding: gzip\r\n');
    expect(await textOf(send())).toBe('');
  });

  it('follows interim responses', async () => {
    respond = (socket) =>
      socket.write(`${'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(3)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`);
    expect(await textOf(send())).toBe('ok');
  });

  it('may come in single bytes', async () => {
    respond = async (socket) => {
      for (const byte of `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`) {
        socket.write(byte);
        await nextTurn();
      }
    };
    expect(await textOf(send())).toBe('hello');
  });
});

describe('a request fails', () => {
  it.each([301, 302, 303, 307, 308])('on a redirect: %s', async (status) => {
    respond = (socket) => socket.write(`HTTP/1.1 ${status} Moved\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n`);
    await expect(send()).rejects.toThrow('a redirect');
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['several codings', 'content-encoding: gzip, gzip\r\n'],
    ['several headers of codings', 'content-encoding: gzip\r\nContent-Encoding: br\r\n'],
  ])('on %s', async (_what, headers) => {
    answer(headers, gzipSync(gzipSync('a')));
    await expect(send()).rejects.toThrow('several content codings');
  });

  it.each([
    ['no header at all', 'garbage\r\n\r\n'],
    ['a NUL in a header', 'HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 0\r\n\r\n'],
    ['a header without a name', 'HTTP/1.1 200 OK\r\n: b\r\ncontent-length: 0\r\n\r\n'],
    ['thousands of headers', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}content-length: 0\r\n\r\n`],
    ['a header without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(MEGABYTE)}`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['a damaged coding', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd'],
    ['a damaged chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
  ])('on a response with %s', async (_what, response) => {
    respond = (socket) => socket.write(response);
    await expect(send()).rejects.toThrow();
  });

  it.each(['', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhe'])(
    'when the connection closes too early: %j',
    async (response) => {
      respond = (socket) => socket.end(response);
      await expect(send()).rejects.toMatchObject({ code: expect.stringMatching(/UND_ERR_SOCKET|ECONNRESET|HPE_/) });
    },
  );

  it('when its headers can’t be sent, and nothing is sent', async () => {
    await expect(send({}, 'GET', { authorization: 'Bearer a\r\nx: y' })).rejects.toMatchObject({ code: 'UND_ERR_INVALID_ARG' });
    expect(requests).toEqual([]);
  });

  it('when nobody listens', async () => {
    const signal = new AbortController().signal;
    const request = { method: 'GET', origin: 'http://127.0.0.1:1', path: '/', headers: {} };
    await expect(exchange(request, { signal, clock: systemClock, limit: limit(1) })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('the size of a response', () => {
  it('is limited, and the connection closes', async () => {
    let written = 0;
    respond = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const more = () => {
        if (socket.destroyed) return;
        written += MEGABYTE;
        if (written > 100 * MEGABYTE) return;
        socket.write(`100000\r\n${'x'.repeat(MEGABYTE)}\r\n`, () => setImmediate(more));
      };
      more();
    };
    await expect(send()).rejects.toThrow('too large');
    while (sockets.size > 0) await nextTurn();
    expect(written).toBeLessThan(100 * MEGABYTE);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('is limited after decoding: %s', async (coding, encode) => {
    answer(`content-encoding: ${coding}\r\n`, encode(Buffer.alloc(60 * MEGABYTE)));
    await expect(send()).rejects.toThrow('too large');
  });

  it('of at most 16 kB of gzip is limited after decoding, too', async () => {
    const bomb = gzipSync(Buffer.alloc(12 * MEGABYTE));
    expect(bomb.length).toBeLessThan(16 * 1024);
    answer('content-encoding: gzip\r\n', bomb);
    await expect(send()).rejects.toThrow('too large');
    expect((await send({ limit: limit(12 * MEGABYTE) })).bytes).toHaveLength(12 * MEGABYTE);
  });

  it('may be left out', async () => {
    answer('', 'x'.repeat(2 * MEGABYTE));
    expect(await send({ limit: () => ({ bytes: LARGE_BYTES, error: undefined }) })).toMatchObject({ status: 200, bytes: new Uint8Array() });
    while (sockets.size > 0) await nextTurn();
  });
});

describe('a large response', () => {
  it.each([
    ['', (body: string) => body],
    ['content-encoding: gzip\r\n', gzipSync],
  ] as const)('waits for its place, and is read to its end then: %j', async (header, encode) => {
    const body = Array.from({ length: 200_000 }, (_, n) => (n * 7919) % 65_537).join();
    answer(header, encode(body));
    const place = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const enterLarge = () => {
      entered.resolve();
      return place.promise;
    };
    let isDone = false;
    const response = send({ limit: limit(12 * MEGABYTE), acquireLarge: enterLarge }).finally(() => {
      isDone = true;
    });
    await entered.promise;
    await settled();
    expect(isDone).toBe(false);
    place.resolve();
    expect(await textOf(response)).toBe(body);
  });

  it('no longer waits when it is given up', async () => {
    answer('', 'x'.repeat(MEGABYTE));
    const controller = new AbortController();
    const ended = Promise.withResolvers<void>();
    const enterLarge = (ending: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        ending.addEventListener('abort', () => {
          ended.resolve();
          reject(ending.reason);
        });
        controller.abort();
      });
    await expect(send({ limit: limit(12 * MEGABYTE), acquireLarge: enterLarge, signal: controller.signal })).rejects.toBeInstanceOf(
      ExchangeEnded,
    );
    await ended.promise;
  });
});

describe('a request that is given up', () => {
  const parts = ['', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'];
  it.each([...parts, `${parts[1]}content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n`])(
    'ends at once, and its connection closes: %j',
    async (part) => {
      const controller = new AbortController();
      respond = (socket) => {
        socket.write(part);
        setImmediate(() => controller.abort());
      };
      await expect(send({ signal: controller.signal })).rejects.toBeInstanceOf(ExchangeEnded);
      while (sockets.size > 0) await nextTurn();
    },
  );

  it('before it begins is not sent', async () => {
    await expect(send({ signal: AbortSignal.abort() })).rejects.toBeInstanceOf(ExchangeEnded);
    expect(requests).toEqual([]);
  });

  it('ends at its time limit, however many bytes drip in', async () => {
    const clock = new TestClock({ standsAt: '2026-05-04T10:00:00Z' });
    // Each drip is received some time after the one before.
    respond = async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
      while (!socket.destroyed) {
        socket.write('x');
        await clock.advance(5_000);
        await nextTurn();
      }
    };
    await expect(send({ clock, timeoutMs: 20_000 })).rejects.toBeInstanceOf(ExchangeEnded);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(20_000);
  });
});

describe('a connection', () => {
  it('is kept for the next request', async () => {
    answer('', 'ok');
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await textOf(send())).toBe('ok');
      await settled();
    }
    expect(sockets.size).toBe(1);
  });

  it('that the provider closes at the next request fails it, and nothing is sent twice', async () => {
    respond = (socket, _request, nth) => (nth === 1 ? socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok') : socket.destroy());
    expect(await textOf(send())).toBe('ok');
    await settled();
    await expect(send({}, 'POST', { 'content-type': 'text/plain' }, 'change')).rejects.toMatchObject({
      code: expect.stringMatching(/UND_ERR_SOCKET|ECONNRESET/),
    });
    expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
  });
});
