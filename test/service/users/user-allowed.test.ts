import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';
import { sessionOf } from '../../support/users/sign-in.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

let issuer: TestIssuer;
let steward: TestSteward;

beforeAll(async () => {
  issuer = await startIssuer();
  steward = await startSteward({
    ...issuer.env,
    ALLOWED_USERS:
      'Kate@Mail.Example, kite.example,@team.example , ada@example.com, b\u00fccher.example, @XN--MLLER-KVA.example, jo@fa\u00df.example',
  });
});

afterAll(async () => {
  await steward.stop();
  await issuer.close();
});

const call = (token: string) => request(steward.url).get('/integrations').set('Authorization', token);

describe('ALLOWED_USERS', () => {
  it.each([
    'kate@mail.example',
    'KATE@MAIL.EXAMPLE',
    'anyone@kite.example',
    'x@TEAM.example',
    'ada@example.com',
    'x@b\u00fccher.example',
    'x@xn--bcher-kva.example',
    'x@BU\u0308CHER.example',
    'x@m\u00fcller.example',
    'jo@xn--fa-hia.example',
  ])('accepts %s', async (email) => {
    expect((await call(await issuer.sign('ada', { sub: encodeURIComponent(email), email }))).status).toBe(200);
  });

  it.each<[string, unknown]>([
    ['another one at the domain of an address', 'eve@mail.example'],
    ['a sub-domain', 'eve@sub.kite.example'],
    ['a domain that ends alike', 'eve@notkite.example'],
    ['a domain that begins alike', 'eve@kite.example.evil.test'],
    ['an address for a domain', 'eve@kite.example@evil.test'],
    ['two domains, the good one last', 'eve@evil.test@kite.example'],
    ['two addresses', 'eve@evil.test,ada@example.com'],
    ['a quoted at sign', '"eve@evil.test"@kite.example'],
    ['a name for the address', 'Ada <ada@example.com>'],
    ['a comment', 'ada(x)@example.org'],
    ['a dot at the end', 'ada@example.com.'],
    ['a space before it', ' ada@example.com'],
    ['a line feed after it', 'ada@example.com\n'],
    ['a NUL in it', 'ada@example.com\u0000.evil.test'],
    ['the domain alone', 'kite.example'],
    ['the domain with its at sign', '@team.example'],
    ['a Kelvin sign for the k of a domain', 'eve@\u212Aite.example'],
    ['a Kelvin sign for the k of a name', '\u212Aate@mail.example'],
    ['a Cyrillic letter', '\u0430da@example.org'],
    ['full-width letters', 'ada@example\uFF0Eorg'],
    ['a letter that looks alike in a domain of another script', 'x@b\u00fc\u0441her.example'],
    ['the ASCII spelling of a name with umlauts', 'x@buecher.example'],
    ['two letters for a sharp s', 'jo@fass.example'],
    ['a soft hyphen in a domain', 'x@b\u00fcc\u00adher.example'],
    ['a plus address of an allowed one', 'ada+x@example.org'],
    ['a list', ['ada@example.com']],
    ['an object', { toString: 'ada@example.com' }],
    ['nothing', undefined],
    ['an empty one', ''],
  ])('rejects %s, and creates no user', async (name, email) => {
    const sub = `stranger ${name}`;
    expectError(await call(await issuer.sign('ada', { sub, email })), 'forbidden');
    expect(await steward.sql('select 1 from users where subject = $1', [sub])).toEqual([]);
  });

  it.each([false, undefined, null, 'true', 1, 'yes', {}])('rejects an allowed address with email_verified %j', async (email_verified) => {
    expectError(await call(await issuer.sign('ada', { sub: 'unverified', email: 'ada@example.com', email_verified })), 'forbidden');
  });

  it('rejects the login of the workspace flow too', async () => {
    const token = await issuer.sign('ada', { sub: 'unverified', email: 'ada@example.com', email_verified: false });
    expectError(await request(steward.url).get('/auth/workspace/login').query({ token }), 'forbidden');
  });

  it('rejects a socket too', async () => {
    const socket = await SocketClient.open(steward.url);
    const response = await socket.authenticate(await issuer.sign('ada', { sub: 'eve', email: 'eve@evil.test' }));
    expect(response).toMatchObject({ type: 'error', error: { code: 'forbidden' } });
    expect((await socket.ended).code).toBe(4401);
  });

  it('applies after a restart to tokens that were valid before; a user who is allowed again has all data', async () => {
    const token = await issuer.sign('ada', { sub: 'ada' });
    const socket = await SocketClient.signedIn(steward.url, token);
    const { id } = (await request(steward.url).get('/user/export').set('Authorization', token)).body.user;
    steward = await steward.restart({ ALLOWED_USERS: 'kite.example' });
    expect((await socket.ended).code).toBe(1012);
    expectError(await call(token), 'forbidden');
    const again = await SocketClient.open(steward.url);
    expect(await again.authenticate(token)).toMatchObject({ type: 'error', error: { code: 'forbidden' } });
    steward = await steward.restart({ ALLOWED_USERS: 'example.com' });
    expect((await request(steward.url).get('/user/export').set('Authorization', token)).body.user.id).toBe(id);
  });

  it('applies to the personal access tokens of a user, over HTTP and on a socket', async () => {
    const token = await issuer.sign('ada', { sub: 'ada' });
    const { userId } = await steward.context.sessions.authenticate(token);
    const client = { name: 'script', actions: ['*'], access: 'read' as const, days: 1 };
    const made = await steward.context.clientTokens.create(userId, client);
    const tools = () => steward.call('/tools', { token: made.token });
    expect((await tools()).status).toBe(200);
    steward = await steward.restart({ ALLOWED_USERS: 'kite.example' });
    expectError(await tools(), 'forbidden');
    expectError(await steward.call('/agents/mail.search', { token: made.token, form: {} }), 'forbidden');
    const socket = await SocketClient.open(steward.url);
    expect(await socket.authenticate(made.token)).toMatchObject({ type: 'error', error: { code: 'forbidden' } });
    steward = await steward.restart({ ALLOWED_USERS: 'example.com' });
    expect((await tools()).status).toBe(200);
  });

  it('applies to the sessions of a user at the service’s own pages', async () => {
    const browser = await sessionOf(steward, await issuer.sign('ada', { sub: 'ada' }));
    const headers = { cookie: `steward_session=${browser.cookies.get('steward_session')}` };
    const approvals = () => steward.call('/approvals', { headers });
    expect((await approvals()).status).toBe(200);
    steward = await steward.restart({ ALLOWED_USERS: 'kite.example' });
    expectError(await approvals(), 'forbidden');
    steward = await steward.restart({ ALLOWED_USERS: 'example.com' });
    expect((await approvals()).status).toBe(200);
  });

  it.each([
    ',',
    ' ',
    ' , ,',
    '*',
    '*.example',
    'kite.example.',
    'ki\u00adte.example',
    'kite\uff0eexample',
    'xn--.example',
    '*@kite.example',
    'ada@',
    '@',
    'example',
    'a@b@c.example',
  ])('makes the start fail if it is %j, which would admit every user, or others than intended', (ALLOWED_USERS) => {
    expect(() => loadConfig({ ALLOWED_USERS })).toThrow(/ALLOWED_USERS/);
  });
});
