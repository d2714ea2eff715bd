import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { sendRaw } from '../support/servers/raw-http.ts';
import { check, type Outcome } from './support/check.ts';
import { logErrors } from './support/log-errors.ts';
import { tryOut } from './support/random.ts';

const PLENTY = '100000000';
/** Every kind of value: none, all, a number, names, addresses and networks of both families. */
const TRUSTED = [
  'false',
  '0',
  '1',
  '2',
  'true',
  'loopback',
  'loopback, linklocal, uniquelocal',
  '127.0.0.1,10.0.0.0/8',
  '::1,::ffff:127.0.0.1,fe80::/10',
];

let place: Place;
let steward: TestProcess | undefined;

beforeAll(async () => {
  place = await createPlace();
});

afterAll(async () => {
  await steward?.kill('SIGKILL');
  await place.remove();
});

const octet = fc.oneof(fc.nat(255), fc.constantFrom(256, 999, '010', '0x7f', ''));
const ipv4 = fc.array(octet, { minLength: 3, maxLength: 5 }).map((parts) => parts.join('.'));
const group = fc.oneof(fc.stringMatching(/^[0-9a-fA-F]{0,5}$/), fc.constantFrom('', 'ffff', '64', 'ff9b'));
const groups = fc.array(group, { maxLength: 9 }).map((parts) => parts.join(':'));
/** Almost valid addresses, with text around them. */
const address = fc.oneof(
  ipv4,
  fc.ipV4(),
  fc.ipV6(),
  groups,
  fc.tuple(groups, fc.constantFrom(':', '::', ':::'), ipv4).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('::', '::ffff:', '64:ff9b::', '2001:db8::', '1:2:3:4:5:6:', '1::2:'), fc.ipV4()).map((parts) => parts.join('')),
  fc.constantFrom('unknown', '_hidden', 'localhost', '', ' ', ',', '-1', '4294967295', '0', '::', '::1', '1.2.3.4.in-addr.arpa'),
);
const decorated = fc
  .tuple(
    address,
    fc.constantFrom('', '', '%eth0', '%', '%25', ':80', '/8', '/64', ' ', '\t', '"', ';', `%${'x'.repeat(500)}`),
    fc.boolean(),
  )
  .map(([text, tail, brackets]) => (brackets ? `[${text}]` : text) + tail);
const list = fc.array(decorated, { maxLength: 6 }).map((all) => all.join(', '));
const bytes = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,80}$/);
const value = fc.oneof({ weight: 3, arbitrary: list }, { weight: 1, arbitrary: bytes });

const headers = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: value.map((text) => `X-Forwarded-For: ${text}`) },
    value.map((text) => `X-Forwarded-Host: ${text}`),
    fc.constantFrom('https', 'javascript', 'http, https', '').map((text) => `X-Forwarded-Proto: ${text}`),
    value.map((text) => `Forwarded: for=${text}`),
    bytes.map((text) => `Origin: ${text}`),
    address.map((text) => `Host: ${text}`),
    fc.constantFrom('13', '8', '-1', '', '1e9').map((text) => `Sec-WebSocket-Version: ${text}`),
    bytes.map((text) => `Sec-WebSocket-Key: ${text}`),
    bytes.map((text) => `Sec-WebSocket-Protocol: ${text}`),
    bytes.map((text) => `Sec-WebSocket-Extensions: ${text}`),
    fc.constantFrom('permessage-deflate; server_max_window_bits=0', 'a;b="', ';').map((text) => `Sec-WebSocket-Extensions: ${text}`),
    bytes.map((text) => `Cookie: ${text}`),
    bytes.map((text) => `traceparent: ${text}`),
  ),
  { maxLength: 5 },
);

const sent = fc.record({
  isUpgrade: fc.boolean(),
  target: fc.constantFrom('/ws', '/ws?x=1', '/test', '/', '/waitlist', '/auth/workspace/login?token=x', '//ws', '*'),
  headers,
});

/** Named inputs that once ended the process. */
const KNOWN = ['64:ff9b::203.0.113.5', '::203.0.113.5', '2001:db8::203.0.113.5%eth0'].flatMap((text) =>
  [true, false].map((isUpgrade) => ({ isUpgrade, target: isUpgrade ? '/ws' : '/', headers: [`X-Forwarded-For: ${text}`] })),
);

function linesOf({ isUpgrade, target, headers: own }: (typeof KNOWN)[number]): string[] {
  const upgrading = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==',
  ];
  const named = new Set(own.map((line) => line.split(':', 1)[0]));
  // A duplicate is rejected before it is parsed.
  const usual = isUpgrade ? upgrading.filter((line) => !named.has(line.split(':', 1)[0])) : ['Connection: close'];
  return [`GET ${target} HTTP/1.1`, ...usual, ...own];
}

check('fuzz: headers of requests and upgrades, with every TRUST_PROXY', async () => {
  const outcome: Outcome = { tried: 0, failed: [] };
  const plenty = Object.fromEntries(
    ['LIMIT_REQUESTS_PER_MINUTE', 'LIMIT_SOCKET_CONNECTS_PER_MINUTE', 'LIMIT_PROBES_PER_MINUTE', 'LIMIT_SOCKETS_WAITING'].map((name) => [
      name,
      PLENTY,
    ]),
  );
  for (const trust of TRUSTED) {
    const service = await startProcess({ ...place.env, ...plenty, TRUST_PROXY: trust });
    steward = service;
    const attack = async (request: (typeof KNOWN)[number]) => {
      const { status } = await sendRaw(service.url, linesOf(request));
      if (!service.running()) throw new Error('the process has ended');
      if (status === 0) throw new Error('the connection ended without an answer');
      if (status === 500) throw new Error('the service failed: 500');
    };
    const { tried, failed } = await tryOut(`TRUST_PROXY=${trust}`, sent, attack, 1, KNOWN);
    outcome.tried += tried;
    outcome.failed.push(...failed, ...logErrors(service.output()));
    if (service.running() && (await service.call('/test')).status !== 200)
      outcome.failed.push(`TRUST_PROXY=${trust}: it no longer answers`);
    await service.kill('SIGTERM');
  }
  return outcome;
});
