import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteExpiredRows } from '../../../src/database/retention.ts';
import { newName } from '../../support/scenes/flows.ts';
import { Authorization, newClient, REDIRECT, register } from '../../support/scenes/oauth-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

let steward: TestSteward;
beforeAll(async () => {
  steward = await startSteward({ LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: '1000' });
});
afterAll(() => steward.stop());

const unused = () =>
  steward.sql<{ n: number }>(`select count(*)::int as n from oauth_entries where model = 'Client' and expires_at is not null`);

describe('POST /oauth/register', () => {
  it('registers what editors send, and leaves out what is not supported', async () => {
    const { status, body } = await register(steward, {
      client_name: 'Editor',
      client_uri: 'https://editor.example.com',
      redirect_uris: ['http://127.0.0.1/', 'https://vscode.dev/redirect', 'http://localhost:33418/', 'vscode://vscode.mcp/auth'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      scope: 'mcp:everything openid',
      application_type: 'native',
      logo_uri: 'https://editor.example.com/logo.png',
      jwks_uri: 'https://127.0.0.1/keys',
      sector_identifier_uri: 'https://127.0.0.1/sector',
      default_max_age: 10,
      require_auth_time: true,
      software_id: 'x',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ client_name: 'Editor', token_endpoint_auth_method: 'none' });
    expect(body.grant_types).toEqual(['authorization_code', 'refresh_token']);
    for (const name of ['client_secret', 'scope', 'jwks_uri', 'logo_uri', 'sector_identifier_uri', 'registration_access_token']) {
      expect(body).not.toHaveProperty(name);
    }
  });

  it.each([null, '', ' '])('takes members that are %j for left out', async (nothing) => {
    const names = ['client_name', 'client_uri', 'token_endpoint_auth_method', 'grant_types', 'response_types', 'scope', 'logo_uri'];
    const more = ['tos_uri', 'policy_uri', 'contacts', 'software_id', 'software_version', 'jwks', 'jwks_uri', 'client_secret'];
    const others = ['client_secret_expires_at', 'application_type', 'id_token_signed_response_alg', 'client_id', 'x_unknown'];
    for (const name of [...names, ...more, ...others]) {
      const { status, body, text } = await register(steward, { [name]: nothing });
      expect(status, `${name}: ${text}`).toBe(201);
      expect(body[name], name).not.toBe(nothing);
      expect(body.grant_types, name).toEqual(['authorization_code', 'refresh_token']);
    }
    const body = JSON.stringify({ redirect_uris: [REDIRECT], ...Object.fromEntries([...names, ...more].map((name) => [name, nothing])) });
    const { body: client } = await steward.call('/oauth/register', { body, headers: JSON_TYPE });
    expect(client).toMatchObject({
      token_endpoint_auth_method: 'client_secret_basic',
      client_secret: expect.stringMatching(/^[\w-]{80,}$/),
    });
    expect(client).not.toHaveProperty('client_name');
  });

  it.each([
    ['redirect_uris', 400],
    ['client_uri', 400],
    ['client_name', 400],
    // Of others than those that are supported, nothing is taken.
    ['grant_types', 201],
  ])('with %s nested deeply has the status %i', async (name, expected) => {
    for (const depth of [1_000, 5_000]) {
      const body = `{"redirect_uris":["${REDIRECT}"],"${name}":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const { status, text } = await steward.call('/oauth/register', { body, headers: JSON_TYPE });
      expect(status, text).toBe(expected);
    }
  });

  it('takes the address of an app for its website, of which it keeps none', async () => {
    for (const address of ['cursor://', 'vscode:', 'com.example.app:/home', 'example-app://home', 'mailto:app@example.com']) {
      const client = await newClient(steward, { client_uri: address, logo_uri: address, tos_uri: address, policy_uri: address });
      expect(client, address).not.toHaveProperty('client_uri');
    }
    expect(await newClient(steward, { client_uri: 'http://localhost:3000' })).toMatchObject({ client_uri: 'http://localhost:3000' });
  });

  it('gives a secret to clients that ask for one, or do not say', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post', undefined]) {
      const client = await newClient(steward, { token_endpoint_auth_method: method });
      expect(client.client_secret, method).toMatch(/^[\w-]{80,}$/);
      expect(client.client_secret_expires_at).toBe(0);
    }
  });

  it('gives no refresh token to a client that does not want one', async () => {
    const client = await newClient(steward, { grant_types: ['authorization_code'] });
    const authorization = new Authorization(client, await sessionOf(steward, await steward.signIn(newName())));
    const { body } = await authorization.exchange(steward, await authorization.code());
    expect(body).not.toHaveProperty('refresh_token');
  });

  it.each([
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['file:///etc/passwd'],
    ['about:blank'],
    ['foo:bar'],
    ['http://app.example.com/callback'],
    ['http://127.0.0.1.evil.example/cb'],
    ['http://10.0.0.1/cb'],
    ['https://localhost/cb'],
    ['https://app.example.com/callback#fragment'],
    ['https://app.example.com/callback#'],
    ['https://user:pass@app.example.com/callback'],
    ['https://@app.example.com/callback'],
    ['https://app.example.com\\@evil.example/'],
    ['https://app.example.com/call back'],
    ['https://app.example.com/\u202ecallback'],
    ['//app.example.com/callback'],
    ['/callback'],
    [''],
    [`https://app.example.com/${'x'.repeat(2_000)}`],
    [1],
    [null],
  ])('rejects the redirect URI %j', async (uri) => {
    expect(await register(steward, { redirect_uris: [REDIRECT, uri] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    });
  });

  it.each([
    [{ redirect_uris: [] }],
    [{ redirect_uris: undefined }],
    [{ redirect_uris: 'https://app.example.com' }],
    [{ redirect_uris: Array.from({ length: 21 }, (_, index) => `https://app.example.com/${index}`) }],
    [{ client_name: 'x'.repeat(201) }],
    [{ client_name: 7 }],
    [{ redirect_uris: null }],
    [{ redirect_uris: '' }],
    [{ client_name: 'No\u0000tes' }],
    [{ client_name: 'Notes\n' }],
    [{ client_name: 'No\u0085tes' }],
    [{ token_endpoint_auth_method: 'private_key_jwt' }],
    [{ client_uri: 'javascript:alert(1)' }],
    [{ client_uri: ' DATA:text/html,x' }],
    [{ client_uri: 'no address' }],
    [{ client_uri: ['https://app.example.com/'] }],
    [{ token_endpoint_auth_method: ['none'] }],
  ])('rejects %j', async (more) => {
    const { status, body } = await register(steward, more);
    expect(status).toBe(400);
    expect(body.error).toMatch(/^invalid_(?:client_metadata|redirect_uri)$/);
  });

  it.each([
    ['as it is', 'Steward'],
    ['in other case', 'sTEWARD'],
    ['with a word beside it', 'Steward Support'],
    ['full-width', 'Ｓｔｅｗａｒｄ'],
    ['with Cyrillic letters', 'Stеwаrd'],
    ['in small capitals', 'ꜱᴛᴇᴡᴀʀᴅ'],
    ['with an Armenian letter', 'Տteward'],
    ['with a Cherokee letter', 'Ꮪteward'],
    ['in black squares', '🆂🆃🅴🆆🅰🆁🅳'],
    ['in flags', '🇸🇹🇪🇼🇦🇷🇩'],
    ['with a sign', 'St℮ward'],
    ['with invisible characters', 'Ste\u200bwa\u2060rd'],
    ['with marks of direction', '\u200fSte\u200eward\u061c'],
  ])('lets no app have the name of the service: %s', async (_how, name) => {
    const { status, body } = await register(steward, { client_name: name });
    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'invalid_client_metadata',
      error_description: expect.stringMatching(/^client_name must not be, or look/),
    });
  });

  it.each(['\u202edrawetS', '\u2067\u202edrawetS', 'Notes\u0000'])(
    'rejects a name that is turned into another, or has no end: %j',
    async (name) => {
      const { status, body } = await register(steward, { client_name: name });
      expect([status, body.error_description]).toEqual([400, 'client_name must have no control characters']);
    },
  );

  it.each([
    ['not JSON', '{', JSON_TYPE, 400],
    ['no object', '[]', JSON_TYPE, 400],
    ['null', 'null', JSON_TYPE, 400],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['too much', JSON.stringify({ client_name: 'x'.repeat(11_000) }), JSON_TYPE, 413],
    ['a prototype', '{"__proto__":{"redirect_uris":["https://a.example"]}}', JSON_TYPE, 400],
    ['compressed', 'x', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 415],
  ])('rejects a body that is %s', async (_what, body, headers, status) => {
    const response = await steward.call('/oauth/register', { body, headers: headers as Record<string, string> });
    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ error: expect.stringMatching(/^invalid_/) });
    expect(response.text).not.toContain('at ');
  });

  it('lets nobody read or change a client, nor choose its id', async () => {
    const client = await newClient(steward, { client_id: 'mine', client_secret: 'mine' });
    expect(client.client_id).not.toBe('mine');
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await steward.call(`/oauth/register/${client.client_id}`, { method })).status).toBe(404);
    }
    expect((await steward.call('/oauth/register')).status).toBe(405);
  });

  it.each([['unverified'], [true], [{ isUnreachable: true }], [null]])(
    'lets nobody state what only the service says of a client: %j',
    async (stated) => {
      const own = {
        client_secret: 'mine',
        client_secret_expires_at: 1,
        client_id_issued_at: 1,
        token_endpoint_auth_method: 'client_secret_post',
      };
      const client = await newClient(steward, { ...own, steward: stated });
      expect(client).not.toHaveProperty('steward');
      expect(client.client_secret).toMatch(/^[\w-]{80,}$/);
      expect(client).toMatchObject({ client_secret_expires_at: 0 });
      expect(client.client_id_issued_at).toBeGreaterThan(1);
      const browser = await sessionOf(steward, await steward.signIn(newName()));
      const { text } = await browser.visit(await new Authorization(client, browser).begin());
      expect(text).not.toContain('nothing about the app has been verified');
    },
  );

  it('is limited to ten a minute from one address', async () => {
    const limited = await startSteward();
    try {
      const statuses = [];
      for (let index = 0; index < 12; index += 1) statuses.push((await register(limited)).status);
      expect(statuses.filter((status) => status === 201).length).toBe(10);
      const response = await register(limited);
      expect(response).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await limited.stop();
    }
  });

  it('forgets a client that nobody has permitted anything for a day, and no other', async () => {
    const browser = await sessionOf(steward, await steward.signIn(newName()));
    const used = await newClient(steward);
    const denied = await newClient(steward);
    const authorization = new Authorization(used, browser);
    const code = await authorization.code();
    const other = new Authorization(denied, browser);
    await other.decide(await other.begin(), () => {}, 'deny');
    await steward.sql(`update oauth_entries set expires_at = expires_at - interval '1 day' where model = 'Client'`);
    await deleteExpiredRows(steward.context.db, 'oauth_entries');
    expect(await unused()).toEqual([{ n: 0 }]);
    expect((await authorization.exchange(steward, code)).status).toBe(200);
    expect((await steward.call(other.path)).status).toBe(400);
  });

  it('keeps a bounded number of clients that nobody uses', async () => {
    const first = await newClient(steward);
    await steward.sql(
      `insert into oauth_entries (model, id_hash, payload, expires_at)
       select 'Client', sha256(n::text::bytea), '', now() + interval '1 day' from generate_series(1, 10000) n`,
    );
    const last = await newClient(steward);
    expect(await unused()).toEqual([{ n: 10_000 }]);
    const opens = async ({ client_id }: typeof first) =>
      (await steward.call(new Authorization({ client_id }, await sessionOf(steward, await steward.signIn('ada'))).path)).status;
    expect(await opens(first)).toBe(400);
    expect(await opens(last)).toBe(303);
  });
});
