import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { documentFetcher } from '../../../src/oauth/clients/client-documents.ts';
import { type Resolve, resolveAll } from '../../../src/outbound/look-up.ts';
import { assertPublic } from '../../../src/outbound/public-addresses.ts';
import { fetchPublicDocument } from '../../../src/outbound/public-document.ts';
import { FormBrowser } from '../../support/browser/browser.ts';
import { hasPostgres } from '../../support/database/postgres.ts';
import { newName } from '../../support/scenes/flows.ts';
import { Authorization, pathOf, REDIRECT, refresh, submitConsent } from '../../support/scenes/oauth-scene.ts';
import { startNameServer } from '../../support/servers/name-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { withDate } from '../../support/time/machine-date.ts';
import { locationOf, sessionOf } from '../../support/users/sign-in.ts';

const ID = 'https://client.example.com/oauth/metadata.json';
/** The library gives a document this time, by the platform's timer. */
const LIBRARY_LIMIT_MS = 2_500;

let steward: TestSteward;
let respond: (url: URL, signal: AbortSignal) => Promise<Response> | Response;
let fetched = 0;
/** Ends the time that the library gives to the documents of this test. */
let expire: () => void;
/** Each test has a client of its own, because documents are cached. */
let id = ID;
let count = 0;

beforeAll(async () => {
  steward = await startSteward(
    { LIMIT_OAUTH_DOCUMENTS_PER_MINUTE: '1000' },
    {
      fetchDocument: async (url, signal) => {
        fetched += 1;
        return respond(url, signal);
      },
    },
  );
});
afterAll(() => steward.stop());
beforeEach(() => {
  count += 1;
  fetched = 0;
  id = `${ID}?${count}`;
  respond = () => published();
  const { timeout } = AbortSignal;
  const limit = new AbortController();
  expire = () => limit.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => (ms === LIBRARY_LIMIT_MS ? limit.signal : timeout.call(AbortSignal, ms)));
});

/** Members of a document that need not be there. */
const OPTIONAL = [
  'client_name',
  'client_uri',
  'logo_uri',
  'tos_uri',
  'policy_uri',
  'contacts',
  'scope',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'software_id',
  'jwks',
  'jwks_uri',
  'client_secret',
];

const published = (more: object = {}, headers: Record<string, string> = {}) =>
  Response.json({ client_id: id, client_name: 'Claude', redirect_uris: [REDIRECT], ...more }, { headers });
const browserOf = async () => sessionOf(steward, await steward.signIn(newName()));
/** When no document that was fetched until now is used any more, by the library's cache. The embedded database's clock is this process's. */
const later = <Result>(work: () => Promise<Result>) => withDate(3_700_000, work);
const open = (browser = new FormBrowser(steward.url)) => steward.call(new Authorization({ client_id: id }, browser).path);

describe('a client whose id is the address of its metadata', () => {
  it('is authorized without registration, and shown with its host', async () => {
    respond = () => published({ token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'], scope: 'x' });
    const browser = await browserOf();
    const authorization = new Authorization({ client_id: id }, browser);
    const consent = await authorization.begin();
    const { text } = await browser.visit(consent);
    expect(text).toContain('Published at <strong><bdi>client.example.com</bdi></strong>, which has been verified');
    const code = (await authorization.decide(consent)).searchParams.get('code') as string;
    const { body } = await authorization.exchange(steward, code);
    const principal = await steward.context.authenticateClient(body.access_token);
    expect((await steward.context.clientGrants.list(principal.userId))[0]).toMatchObject({ name: 'Claude', oauthClientId: id });
    expect((await refresh(steward, { client_id: id }, body.refresh_token)).status).toBe(200);
    // Cached.
    expect(fetched).toBe(1);
  });

  it('is one without a secret, where it can also sign its requests', async () => {
    const keys = { jwks_uri: 'https://client.example.com/jwks.json', token_endpoint_auth_signing_alg: 'RS256' };
    const methods = { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'] };
    respond = () => published({ ...methods, ...keys });
    const authorization = new Authorization({ client_id: id }, await browserOf());
    const assertion = { client_assertion: 'a.b.c', client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
    const { status, body } = await authorization.exchange(steward, await authorization.code(), assertion);
    expect(status).toBe(200);
    expect((await refresh(steward, { client_id: id }, body.refresh_token)).status).toBe(200);
  });

  it('is permitted something again, however many clients have registered themselves since', async () => {
    const browser = await browserOf();
    const first = new Authorization({ client_id: id }, browser);
    const { body } = await first.exchange(steward, await first.code());
    await steward.sql(`update oauth_entries set created_at = created_at - interval '1 day' where model = 'Client'`);
    await steward.sql(
      `insert into oauth_entries (model, id_hash, payload, expires_at)
       select 'Client', sha256(n::text::bytea), '', now() + interval '1 day' from generate_series(1, 10000) n`,
    );
    const again = new Authorization({ client_id: id }, browser);
    expect((await again.exchange(steward, await again.code())).status).toBe(200);
    expect((await refresh(steward, { client_id: id }, body.refresh_token)).status).toBe(200);
    // It counts as none of those that nobody has permitted anything.
    expect(await steward.sql(`select count(*)::int as n from oauth_entries where model = 'Client' and expires_at is not null`)).toEqual([
      { n: 10_000 },
    ]);
  });

  it.each([['unverified'], [true], [{ isUnreachable: true }], [null]])(
    'can’t say what only the service says of a client: %j',
    async (stated) => {
      respond = () => published({ steward: stated, token_endpoint_auth_method: 'none', client_id_issued_at: 1 });
      const browser = await browserOf();
      const { text } = await browser.visit(await new Authorization({ client_id: id }, browser).begin());
      expect(text).toContain('Published at <strong><bdi>client.example.com</bdi></strong>, which has been verified');
      expect(text).not.toContain('nothing about the app has been verified');
    },
  );

  it.each([
    ['the id of another', { client_id: 'https://other.example.com/metadata.json' }],
    ['the id of a registered one', { client_id: 'mine' }],
    ['a secret', { client_secret: 'mine' }],
    ['the name of this service', { client_name: 'Steward' }],
    ['a name that looks like it', { client_name: 'Ｓte\u200bwаrd' }],
    ['a secret and its method', { client_secret: 'mine', token_endpoint_auth_method: 'client_secret_post' }],
  ])('can’t choose %s', async (_what, more) => {
    respond = () => published(more);
    expect((await open(await browserOf())).status).toBe(400);
  });

  it.each<[string, Record<string, unknown>]>([
    ['null', Object.fromEntries(OPTIONAL.map((name) => [name, null]))],
    ['empty', Object.fromEntries(OPTIONAL.map((name) => [name, '']))],
    ['addresses of an app', Object.fromEntries(['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'].map((name) => [name, 'cursor://home']))],
    ['of other types', { logo_uri: 1, contacts: 'x', scope: [], software_id: {}, response_types: 'code', grant_types: 'x' }],
  ])('is authorized where members of its document that have no effect are %s', async (_what, more) => {
    respond = () => published(more);
    const browser = await browserOf();
    const authorization = new Authorization({ client_id: id }, browser);
    const { status } = await authorization.exchange(steward, await authorization.code());
    expect(status).toBe(200);
  });

  it.each([
    ['redirects', () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example.com' } })],
    ['is not there', () => new Response('{}', { status: 404 })],
    ['is not JSON', () => new Response('<html>')],
    ['is no object', () => Response.json([])],
    ['is huge', () => published({ padding: 'x'.repeat(64 * 1024) })],
    ['has no end', () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(16_384)) }))],
    ['is another client’s', () => published({ client_id: `${ID}?other` })],
    ['has a control character in its name', () => published({ client_name: 'Clau\u0000de' })],
    ['has no redirect URI', () => published({ redirect_uris: [] })],
    ['has a secret', () => published({ client_secret: 'x' })],
    ['can only sign', () => published({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } })],
    ['wants a secret', () => published({ token_endpoint_auth_method: 'client_secret_basic' })],
    ['has a script as redirect URI', () => published({ redirect_uris: [REDIRECT, 'javascript:alert(1)'] })],
    [
      'can’t be fetched',
      () => {
        throw new Error('connect ECONNREFUSED 10.0.0.1');
      },
    ],
  ])('is rejected when its document %s', async (_what, answer) => {
    respond = answer;
    const response = await open();
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(response.text).not.toContain('10.0.0.1');
    const token = await steward.call('/oauth/token', { form: { grant_type: 'refresh_token', refresh_token: 'x', client_id: id } });
    expect(token).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
  });

  it('is given 2.5 seconds', async () => {
    const asked = new Promise<void>((done) => {
      respond = (_url, signal) => {
        done();
        return once(signal, 'abort').then(() => Promise.reject(signal.reason));
      };
    });
    const opened = open();
    await asked;
    expire();
    const { status, text } = await opened;
    expect(status).toBe(400);
    expect(text).toContain('The app’s document could not be fetched');
  });

  it('is not asked for by a token request, which is one transaction', async () => {
    const token = await steward.call('/oauth/token', { form: { grant_type: 'refresh_token', refresh_token: 'x', client_id: id } });
    expect(token).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
    expect(fetched).toBe(0);
  });

  it('is not asked for in the name of a client with a secret, which it can’t have', async () => {
    const before = fetched;
    for (const scheme of ['Basic', 'basic']) {
      const credentials = Buffer.from(`${encodeURIComponent(`${ID}?basic=${count}`)}:secret`).toString('base64');
      const headers = { authorization: `${scheme} ${credentials}` };
      const response = await steward.call('/oauth/token', { form: { grant_type: 'refresh_token', refresh_token: 'x' }, headers });
      expect(response.status, scheme).toBe(400);
      expect(response.body.error, scheme).toBe('invalid_client');
    }
    expect(fetched).toBe(before);
  });

  it('is asked for at most eight times at once', async () => {
    let release = () => {};
    const released = new Promise<void>((done) => {
      release = done;
    });
    const [running, most] = [new Set<string>(), { count: 0 }];
    respond = async (url) => {
      running.add(url.href);
      most.count = Math.max(most.count, running.size);
      await released;
      running.delete(url.href);
      return Response.json({ client_id: url.href, redirect_uris: [REDIRECT] });
    };
    const opens = Array.from({ length: 10 }, (_, index) => {
      const client = { client_id: `${ID}?many=${count}-${index}` };
      return steward.call(new Authorization(client, new FormBrowser(steward.url)).path);
    });
    const first = await Promise.race(opens);
    release();
    expect(first).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    expect(first.headers.get('retry-after')).toBe('3');
    await Promise.all(opens);
    expect(most.count).toBe(8);
  });

  it('can’t be fetched without a way to the internet: in development, a program on the same machine goes on unverified', async () => {
    respond = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' }));
    const browser = await browserOf();
    const away = await open(browser);
    expect(away.status).toBe(400);
    const local = new Authorization({ client_id: id }, browser, { redirect_uri: 'http://localhost:4711/callback' });
    const consent = await local.begin();
    const { text } = await browser.visit(consent);
    expect(text).toContain('nothing about the app has been verified');
    expect(text).not.toContain('has been verified. The app');
    expect(text).not.toMatch(/^(?:true|false|undefined)$/m);
    const code = (await local.decide(consent)).searchParams.get('code') as string;
    const { status, body } = await local.exchange(steward, code);
    expect(status).toBe(200);
    expect((await refresh(steward, { client_id: id }, body.refresh_token)).status).toBe(200);
  });

  it.each([
    ['redirects', () => new Response(null, { status: 302, headers: { location: 'https://other.example/' } })],
    ['is not there', () => new Response('', { status: 404 })],
    ['is at a private address', () => Promise.reject(new AppError('forbidden', 'private'))],
    ['breaks off', () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))],
  ])('that %s is refused for a program on the same machine, too', async (_what, answer: () => Response | Promise<Response>) => {
    respond = answer;
    const local = new Authorization({ client_id: id }, new FormBrowser(steward.url), { redirect_uri: 'http://localhost:4711/callback' });
    expect((await steward.call(local.path)).status).toBe(400);
  });

  it('is limited for each address', async () => {
    const limited = await startSteward(
      { LIMIT_OAUTH_DOCUMENTS_PER_MINUTE: '3' },
      { fetchDocument: async () => new Response('', { status: 404 }) },
    );
    try {
      const statuses = [];
      for (let index = 0; index < 5; index += 1) {
        const client = { client_id: `${ID}?limited=${index}` };
        statuses.push((await limited.call(new Authorization(client, new FormBrowser(limited.url)).path)).status);
      }
      expect(statuses).toEqual([400, 400, 400, 429, 429]);
    } finally {
      await limited.stop();
    }
  });

  it.skipIf(!hasPostgres)('is refused when it has removed the redirect URI since', async () => {
    const browser = await browserOf();
    const authorization = new Authorization({ client_id: id }, browser);
    const consent = await authorization.begin();
    const page = await browser.visit(consent);
    respond = () => published({ redirect_uris: ['https://app.example.com/other'] });
    await later(async () => {
      expect((await browser.submit(page, consent, (fields) => fields.set('decision', 'allow'))).status).toBe(400);
      expect((await open()).status).toBe(400);
    });
    expect(fetched).toBe(2);
  });

  /** The parameters with which a decision returns to the client, when what was fetched before it is not used any more. */
  async function decideLate(authorization: Authorization, decision: 'allow' | 'deny', meanwhile = () => {}) {
    const { browser } = authorization;
    const consent = await authorization.begin();
    const page = await browser.visit(consent);
    const decided = await submitConsent(browser, page, consent, (fields) => fields.set('decision', decision));
    meanwhile();
    const back = await later(() => browser.visit(pathOf(locationOf(decided))));
    return new URL(locationOf(back)).searchParams;
  }

  it.skipIf(!hasPostgres)('gets its code also when its document is away once its user has decided', async () => {
    const authorization = new Authorization({ client_id: id }, await browserOf());
    const back = await decideLate(authorization, 'allow', () => {
      respond = () => new Response(null, { status: 503 });
    });
    expect((await authorization.exchange(steward, back.get('code') as string)).status).toBe(200);
  });

  it.skipIf(!hasPostgres)('learns that it was denied', async () => {
    const back = await decideLate(new Authorization({ client_id: id }, await browserOf()), 'deny');
    expect(back.get('error')).toBe('access_denied');
  });

  it.skipIf(!hasPostgres)('gets a consent page that says when its document can’t be fetched, and that can be opened again', async () => {
    const browser = await browserOf();
    const consent = await new Authorization({ client_id: id }, browser).begin();
    respond = () => new Response(null, { status: 503 });
    const page = await later(() => browser.visit(consent));
    expect(page.status).toBe(400);
    expect(page.text).toContain('The app’s document could not be fetched');
    respond = () => published();
    expect((await later(() => browser.visit(consent))).status).toBe(200);
  });

  it.each([
    'http://client.example.com/metadata',
    'https://user@client.example.com/',
    'https://client.example.com/../x',
    'https://c.example/#x',
  ])('is not %s', async (address) => {
    id = address;
    expect((await open()).status).toBe(400);
    expect(fetched).toBe(0);
  });
});

describe('the fetch of a document', () => {
  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fd00::1',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
  ])('does not connect to %s', (address) => {
    expect(() => assertPublic(address)).toThrow('public internet');
  });

  it('connects to public addresses', () => {
    for (const address of ['93.184.216.34', '2606:2800:220:1::1', '::ffff:93.184.216.34']) assertPublic(address);
  });

  it('makes no connection to this machine, by address, by name, or by a name with several addresses', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { signal } = new AbortController();
    let asked = 0;
    const rebinding = async () => {
      asked += 1;
      // Of several addresses, none may be private.
      return [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ];
    };
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f000001', '2130706433', 'localhost']) {
      await expect(fetchPublicDocument(new URL(`https://${host}:${port}/`), signal), host).rejects.toThrow();
    }
    await expect(fetchPublicDocument(new URL(`https://rebind.example:${port}/`), signal, rebinding)).rejects.toThrow('public internet');
    expect(asked).toBe(1);
    await expect(fetchPublicDocument(new URL(`http://93.184.216.34:${port}/`), signal)).rejects.toThrow('https');
    expect(connections).toBe(0);
    server.close();
  });

  it('counts until the look-up of its name has ended', async () => {
    const time = new AbortController();
    const look = Promise.withResolvers<never>();
    let asked = 0;
    const resolve: Resolve = () => {
      asked += 1;
      return look.promise;
    };
    const fetchDocument = documentFetcher((url, signal) => fetchPublicDocument(url, signal, resolve));
    const all = Array.from({ length: 8 }, () => fetchDocument('https://slow.example/', time.signal));
    await eventually(() => asked === 8);
    time.abort();
    await setImmediate();
    await expect(fetchDocument('https://other.example/', AbortSignal.abort())).rejects.toMatchObject({ code: 'unavailable' });
    look.reject(new Error('it was stopped'));
    for (const { status } of await Promise.allSettled(all)) expect(status).toBe('rejected');
    await expect(fetchDocument('https://other.example/', AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('asks name servers for all addresses, and stops when its time is up', async () => {
    const server = await startNameServer({ 'two.example': '93.184.216.34' });
    const resolver = new Resolver({ timeout: 60_000, tries: 1 });
    resolver.setServers([server.address]);
    const { signal } = new AbortController();
    expect(await resolveAll('two.example', signal, resolver)).toEqual([{ address: '93.184.216.34', family: 4 }]);
    await expect(resolveAll('none.example', signal, resolver)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const time = new AbortController();
    const looking = resolveAll('silent.example', time.signal, resolver);
    await eventually(() => server.asked.includes('silent.example'));
    time.abort();
    await expect(looking).rejects.toMatchObject({ code: 'EAI_AGAIN', cause: { code: 'ECANCELLED' } });
    server.stop();
  });

  it('follows the whole way through the service: an address of this machine is an unknown client', async () => {
    const real = await startSteward();
    try {
      const client = { client_id: 'https://127.0.0.1:1/metadata.json' };
      const response = await real.call(new Authorization(client, new FormBrowser(real.url)).path);
      expect(response.status).toBe(400);
      expect(locationOf(response)).toBe('');
    } finally {
      await real.stop();
    }
  });
});
