import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';
import type { InternalHosts } from '../../../src/config/config.ts';
import { internalHosts } from '../../../src/config/provider-config.ts';
import type { AppError } from '../../../src/errors.ts';
import { Outbound } from '../../../src/outbound/checked-fetch.ts';
import type { Resolve } from '../../../src/outbound/look-up.ts';
import { NO_INTERNAL_HOSTS } from '../../../src/outbound/public-addresses.ts';
import { TestClock } from '../../support/time/test-clock.ts';

/** Counts what connects to this machine, at all of its addresses. */
let tcp: Server;
let connections = 0;
let port = 0;
let respond: (request: IncomingMessage, response: ServerResponse) => void;
const http = createServer((request, response) => respond(request, response));
let url = '';
const opened: Outbound[] = [];
const LIMITS = { timeoutMs: 10_000, maxBytes: 1_000 };

beforeAll(async () => {
  tcp = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '::');
  await once(tcp, 'listening');
  port = (tcp.address() as AddressInfo).port;
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterAll(() => {
  tcp.close();
  http.closeAllConnections();
  http.close();
});
afterEach(() => Promise.all(opened.splice(0).map((outbound) => outbound.close())));

function outboundOf(internal: InternalHosts = NO_INTERNAL_HOSTS, resolve: Resolve = unknownName, clock = systemClock): Outbound {
  const outbound = new Outbound({ clock, internal, resolve });
  opened.push(outbound);
  return outbound;
}
const listed = (...items: string[]) => internalHosts(items, () => expect.unreachable());
const local = () => outboundOf(listed('127.0.0.1'));
const unknownName: Resolve = async () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
const resolvingTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** Ways to write addresses of this machine and of private networks. */
const LITERALS = [
  '127.0.0.1',
  '127.0.0.2',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '127.0.0.1.',
  '127.0x0.0.1',
  '0',
  '0.0.0.0',
  '0x0',
  '10.0.0.1',
  '0xa.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '169.254.43518',
  '168.63.129.16',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '１２７.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '127.0.0.%31',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:7f00:1::1]',
  '[2001::7f00:1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:10.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::10.0.0.1]',
  '[2002:a9fe:a9fe::]',
  '[2001:0:7f00:1::]',
  '[100::1]',
  '[3fff::1]',
  '[4000::1]',
  '0x7f.0x0.0x0.0x1',
  '0300.0250.1.1',
  '00000177.1',
  '4294967295',
  '127.0.0.1%2e',
  '240.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '１６９.254.169.254',
];
/** Names, as a name server may answer for them, or this machine itself. */
const NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'localtest.me',
  'rebind.example',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'metadata.google.internal',
  'ip6-localhost',
  'host.docker.internal',
];

describe('no connection is made to this machine or a private network', () => {
  it.each(LITERALS)('at %s', async (host) => {
    await expectRefusals(host, outboundOf());
  });

  it.each(NAMES)('by the name %s', async (host) => {
    await expectRefusals(host, outboundOf(NO_INTERNAL_HOSTS, resolvingTo('127.0.0.1')));
    await expectRefusals(host, outboundOf(NO_INTERNAL_HOSTS, resolvingTo('::1')));
    // Of several addresses, none may be private.
    await expectRefusals(host, outboundOf(NO_INTERNAL_HOSTS, resolvingTo('93.184.216.34', '::ffff:127.0.0.1')));
    // The answer of the machine's own look-up.
    await expectRefusals(host, outboundOf(NO_INTERNAL_HOSTS, unknownName));
  });

  it('by an address with a name and a password, or of another protocol', async () => {
    for (const address of [
      'https://example.com@127.0.0.1',
      'https://a:b@example.com',
      'file:///etc/passwd',
      'ftp://example.com',
      'data:,x',
    ]) {
      await expect(outboundOf().fetch(address, LIMITS), address).rejects.toMatchObject({ code: 'forbidden' });
    }
  });

  it('by a name that resolves otherwise each time it is asked for', async () => {
    const answers = ['93.184.216.34', '127.0.0.1'];
    let asked = 0;
    const outbound = outboundOf(NO_INTERNAL_HOSTS, async () => {
      asked += 1;
      return [{ address: answers.pop() as string, family: 4 }];
    });
    // Only what the connection is made to is asked for, and judged.
    await expect(outbound.fetch(`https://rebind.example:${port}/`, LIMITS)).rejects.toMatchObject({ code: 'forbidden' });
    expect([asked, connections]).toEqual([1, 0]);
  });

  it('through a proxy that the environment names', async () => {
    const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = `http://127.0.0.1:${port}`;
    try {
      await expectRefusals('127.0.0.1', outboundOf());
      await expect(outboundOf().fetch('https://example.invalid/', LIMITS)).rejects.toMatchObject({ code: 'provider_error' });
      expect(connections).toBe(0);
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  async function expectRefusals(host: string, outbound: Outbound): Promise<void> {
    for (const protocol of ['https:', 'http:']) {
      const error: AppError = await outbound.fetch(`${protocol}//${host}:${port}/`, LIMITS).then(
        () => expect.unreachable(),
        (thrown) => thrown,
      );
      expect(['forbidden', 'provider_error', undefined], `${protocol} ${host}: ${error}`).toContain(error.code);
    }
    expect(connections, host).toBe(0);
  }
});

describe('hosts that the operator lists', () => {
  it('are reached by name or range, also by plain http', async () => {
    respond = (_request, response) => response.end('here');
    const { port: at } = new URL(url);
    const byRange = outboundOf(listed('127.0.0.0/8'), resolvingTo('127.0.0.1'));
    for (const [outbound, host] of [
      [outboundOf(listed('127.0.0.1')), '127.0.0.1'],
      [outboundOf(listed('localhost')), 'localhost'],
      [byRange, '127.0.0.1'],
      [byRange, 'mcp.example'],
    ] as const) {
      expect(await (await outbound.fetch(`http://${host}:${at}/`, LIMITS)).text(), host).toBe('here');
    }
  });

  it('are only those', async () => {
    const outbound = outboundOf(listed('10.0.0.0/8', 'mcp.internal'), resolvingTo('127.0.0.1'));
    for (const host of ['other.internal', '127.0.0.1', 'x.mcp.internal']) {
      await expect(outbound.fetch(`http://${host}:${port}/`, LIMITS), host).rejects.toMatchObject({ code: 'forbidden' });
      await expect(outbound.fetch(`https://${host}:${port}/`, LIMITS), host).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(connections).toBe(0);
  });

  it('are spoken to by plain http only where their address is one of a range that is listed', async () => {
    const outbound = outboundOf(listed('10.0.0.0/8'), resolvingTo('93.184.216.34'));
    await expect(outbound.fetch('http://example.com/', LIMITS)).rejects.toThrow('has to be reached by https');
  });

  it.each([
    ...['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192', '0.0.0.0', '224.0.0.1', '255.255.255.255'],
    ...['fe80::1', 'febf::1', 'fec0::1', 'ff02::1', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', '::'],
    // Link-local addresses of IPv4 within those of IPv6.
    ...[
      '::ffff:169.254.169.254',
      '::169.254.169.254',
      '::ffff:0:169.254.169.254',
      '64:ff9b::169.254.169.254',
      '64:ff9b:1::169.254.169.254',
    ],
    ...['2002:a9fe:a9fe::', '2001:0:a9fe:a9fe::1'],
  ])('never have the address %s', async (address) => {
    const everything = listed('0.0.0.0/0', '::/0', 'mcp.example');
    const outbound = outboundOf(everything, resolvingTo(address));
    await expect(outbound.fetch(`http://other.example:${port}/`, LIMITS)).rejects.toMatchObject({ code: 'forbidden' });
    const literal = address.includes(':') ? `[${address}]` : address;
    await expect(outbound.fetch(`http://${literal}:${port}/`, LIMITS)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('a response', () => {
  it.each([301, 302, 303, 307, 308])(
    'that redirects (%i) is not followed; the error has the final address without its query',
    async (status) => {
      let requests = 0;
      respond = (_request, response) => {
        requests += 1;
        response.writeHead(status, { location: '/mcp/?token=secret' }).end();
      };
      const error: Error = await local()
        .fetch(`${url}/mcp`, LIMITS)
        .catch((thrown) => thrown);
      expect(error.message).toContain(`${url}/mcp/.`);
      expect(error.message).not.toContain('secret');
      expect(requests).toBe(1);
    },
  );

  it('may be a redirect to anything', async () => {
    for (const location of ['', 'javascript:alert(1)', `http://x:y@127.0.0.1:${port}/`, '//', 'a'.repeat(5_000)]) {
      respond = (_request, response) => response.writeHead(302, { location }).end();
      const error: Error = await local()
        .fetch(url, LIMITS)
        .catch((thrown) => thrown);
      expect(error.message).toContain('Redirects are not followed');
      expect(error.message).not.toContain('x:y');
      expect(error.message.length).toBeLessThan(400);
    }
    expect(connections).toBe(0);
  });

  it('is read up to its limit', async () => {
    let isClosed: Promise<unknown> = Promise.resolve();
    respond = (_request, response) => {
      isClosed = once(response, 'close');
      const pump = () => {
        while (response.write('x'.repeat(1_000)));
        response.once('drain', pump);
      };
      pump();
    };
    const response = await local().fetch(url, LIMITS);
    await expect(response.text()).rejects.toMatchObject({ code: 'too_large' });
    await isClosed;
  });

  it('ends at the time limit, before its headers and while it is read', async () => {
    for (const begin of [false, true]) {
      const clock = new TestClock();
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
      respond = (_request, response) => {
        if (begin) response.write('x');
        arrive();
      };
      const fetched = outboundOf(listed('127.0.0.1'), unknownName, clock)
        .fetch(url, LIMITS)
        .then((response) => response.text())
        .catch((thrown) => thrown);
      await arrived;
      await clock.advance(LIMITS.timeoutMs);
      expect(await fetched).toMatchObject({ code: 'provider_timeout' });
    }
  });

  it('ends with its signal', async () => {
    const ending = new AbortController();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    respond = () => arrive();
    const fetched = local().fetch(url, { ...LIMITS, signal: ending.signal });
    await arrived;
    const reason = new Error('over');
    ending.abort(reason);
    await expect(fetched).rejects.toBe(reason);
  });

  it('that is compressed, although that was not asked for, is not read', async () => {
    respond = (request, response) => {
      expect(request.headers['accept-encoding']).toBe('identity');
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(100_000_000)));
    };
    await expect(local().fetch(url, LIMITS)).rejects.toThrow('compressed');
  });

  it('without a body is one', async () => {
    for (const status of [204, 304]) {
      respond = (_request, response) => response.writeHead(status).end();
      expect((await local().fetch(url, LIMITS)).status).toBe(status);
    }
  });

  it('that is none is an error without anything of it', async () => {
    respond = (request) => request.socket.end('SSH-2.0-OpenSSH secret\r\n');
    const error: Error = await local()
      .fetch(url, LIMITS)
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'provider_error', message: '127.0.0.1 can’t be reached.' });
    expect(String(error.cause)).not.toContain('secret');
  });
});
