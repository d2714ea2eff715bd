import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { newName } from '../../support/scenes/flows.ts';
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import type { HttpResponse } from '../../support/users/request.ts';

const PATH = '/user/preferences';
const NONE = { time_zone: null, language: null, name: null, quiet_hours: null };

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

function patch(token: string, body: unknown, type = 'application/json', at = steward): Promise<HttpResponse> {
  return at.call(PATH, { method: 'PATCH', token, headers: { 'content-type': type }, body: JSON.stringify(body) });
}

describe('GET /user/preferences', () => {
  it('is protected', async () => {
    expectError(await steward.call(PATH), 'invalid_token');
  });

  it('is null for what the user has not said', async () => {
    expect(await steward.call(PATH, { token: await steward.signIn(newName()) })).toMatchObject({ status: 200, body: NONE });
  });
});

describe('PATCH /user/preferences', () => {
  it('is protected', async () => {
    expectError(await patch('', { name: 'Ana' }), 'invalid_token');
  });

  it.each(['application/json', 'application/merge-patch+json'])('changes what it names, and null removes, as %s', async (type) => {
    const token = await steward.signIn(newName());
    const all = { time_zone: 'Europe/Berlin', language: 'en-GB', quiet_hours: { from: '22:00', to: '07:00' }, name: 'Ana Müller' };
    expect((await patch(token, all, type)).body).toEqual(all);
    expect((await patch(token, { name: null }, type)).body).toEqual({ ...all, name: null });
    expect((await patch(token, {}, type)).body).toEqual({ ...all, name: null });
    expect((await steward.call(PATH, { token })).body).toEqual({ ...all, name: null });
  });

  it.each([
    [{ time_zone: 'europe/berlin' }, { time_zone: 'Europe/Berlin' }],
    [{ time_zone: 'Asia/Kolkata' }, { time_zone: 'Asia/Kolkata' }],
    [{ time_zone: 'Asia/Calcutta' }, { time_zone: 'Asia/Calcutta' }],
    [{ time_zone: 'UTC' }, { time_zone: 'UTC' }],
    [{ language: 'EN-us' }, { language: 'en-US' }],
    [{ language: 'de' }, { language: 'de' }],
    [{ name: '  دانا  ' }, { name: 'دانا' }],
    [{ name: 'می\u200cنا 👩\u200d🚀' }, { name: 'می\u200cنا 👩\u200d🚀' }],
    [{ name: 'a'.repeat(100) }, { name: 'a'.repeat(100) }],
  ])('accepts %j', async (change, stored) => {
    expect((await patch(await steward.signIn(newName()), change)).body).toEqual({ ...NONE, ...stored });
  });

  it.each<[unknown, RegExp]>([
    [{ time_zone: 'Mars/Olympus' }, /time_zone: must be a time zone such as Europe\/Berlin/],
    [{ time_zone: '+02:00' }, /time_zone: must be a time zone/],
    [{ time_zone: '' }, /time_zone: must be a time zone/],
    [{ time_zone: `Europe/${'x'.repeat(60)}` }, /time_zone: must have at most 60 characters/],
    [{ time_zone: 1 }, /time_zone: /],
    [{ language: 'english please' }, /language: must be a language tag/],
    [{ language: '' }, /language: must be a language tag/],
    [{ language: 'en-'.repeat(20) }, /language: must have at most 35 characters/],
    [{ name: '   ' }, /name: must not be empty/],
    [{ name: 'a'.repeat(101) }, /name: must have at most 100 characters/],
    [{ name: 'a\u202eb' }, /name: must not contain hidden or control characters/],
    [{ name: 'a\nb' }, /name: must not contain hidden or control characters/],
    [{ name: 'a\u0000b' }, /name: must not contain hidden or control characters/],
    [{ name: '\u200d' }, /name: must have a character that can be seen/],
    [{ name: 'a\ud800' }, /name: /],
    [{ nickname: 'Ana' }, /nickname/],
    [['name'], /./],
  ])('rejects %j, and changes nothing', async (change, message) => {
    const token = await steward.signIn(newName());
    await patch(token, { name: 'Ana' });
    const response = await patch(token, change);
    expectError(response, 'invalid_request');
    expect(response.body.message).toMatch(message);
    expect((await steward.call(PATH, { token })).body).toEqual({ ...NONE, name: 'Ana' });
  });

  it.each<[string, string, 'invalid_request' | 'too_large']>([
    ['null', 'null', 'invalid_request'],
    ['a text', '"name"', 'invalid_request'],
    ['half a body', '{"name":', 'invalid_request'],
    ['a prototype', '{"__proto__":{"name":"Eve"}}', 'invalid_request'],
    ['a constructor', '{"constructor":{"prototype":{"name":"Eve"}}}', 'invalid_request'],
    ['a prototype beside a name', '{"name":"Eve","__proto__":null}', 'invalid_request'],
    ['a nested name', '{"name":{"name":"Eve"}}', 'invalid_request'],
    ['a list of names', '{"name":["Eve"]}', 'invalid_request'],
    ['a path for a zone', '{"time_zone":"../../etc/passwd"}', 'invalid_request'],
    ['a path of the zone files', '{"time_zone":"posix/Europe/Berlin"}', 'invalid_request'],
    ['a zone that ends in NUL', '{"time_zone":"Europe/Berlin\\u0000"}', 'invalid_request'],
    ['full-width letters for a zone', '{"time_zone":"ＵＴＣ"}', 'invalid_request'],
    ['an emoji for a zone', '{"time_zone":"🕐"}', 'invalid_request'],
    ['a tag that is only private', '{"language":"x-private"}', 'invalid_request'],
    ['deep nesting', `${'{"name":'.repeat(1_000)}1${'}'.repeat(1_000)}`, 'invalid_request'],
    ['a megabyte', JSON.stringify({ name: 'x'.repeat(1_000_000) }), 'too_large'],
    ['a megabyte for a field’s name', JSON.stringify({ ['x'.repeat(1_000_000)]: 1 }), 'too_large'],
  ])('rejects %s, and changes nothing', async (_what, body, code) => {
    const token = await steward.signIn(newName());
    await patch(token, { name: 'Ana' });
    const headers = { 'content-type': 'application/json' };
    expectError(await steward.call(PATH, { method: 'PATCH', token, headers, body }), code);
    expect((await steward.call(PATH, { token })).body).toEqual({ ...NONE, name: 'Ana' });
  });

  it.each([
    ['utc', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['US/Pacific', 'US/Pacific'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
  ])('accepts the zone %s, and the pages write in it', async (zone, stored) => {
    const token = await steward.signIn(newName());
    expect((await patch(token, { time_zone: zone })).body.time_zone).toBe(stored);
    expect((await steward.call('/approvals', { token, headers: { accept: 'text/html' } })).status).toBe(200);
  });

  it.each(['GET', 'PATCH'])('is not for tokens of apps: %s', async (method) => {
    const token = await steward.signIn(newName());
    const headers = { 'content-type': 'application/json' };
    const made = await steward.call('/tokens', { token, headers, body: JSON.stringify({ name: 'app', actions: ['*'], access: 'write' }) });
    const body = method === 'GET' ? {} : { body: JSON.stringify({ name: 'Eve' }) };
    expectError(await steward.call(PATH, { method, token: made.body.token, headers, ...body }), 'invalid_token');
    expect((await steward.call(PATH, { token })).body).toEqual(NONE);
  });

  it('ends with the deletion of the user, at whatever moment', async () => {
    const token = await steward.signIn(newName());
    await patch(token, { name: 'Ana' });
    const changes = Array.from({ length: 20 }, (_, index) => patch(token, { name: `Canary ${index}` }));
    const [deleted, ...results] = await Promise.all([steward.call('/user', { method: 'DELETE', token }), ...changes]);
    expect(deleted.status).toBe(200);
    expect(results.map(({ status }) => status).filter((status) => status !== 200 && status !== 401)).toEqual([]);
    expectError(await patch(token, { name: 'Canary' }), 'invalid_token');
    expect(await steward.sql(`select 1 from users where name like 'Canary%'`)).toEqual([]);
  });

  it('rejects other media types, and names those that it accepts', async () => {
    const token = await steward.signIn(newName());
    for (const type of ['application/x-www-form-urlencoded', 'application/json-patch+json', 'text/plain']) {
      const response = await patch(token, { name: 'Ana' }, type);
      expectError(response, 'unsupported_media_type');
      expect(response.headers.get('accept-patch')).toBe('application/merge-patch+json, application/json');
    }
  });

  it('is the only method besides GET', async () => {
    const response = await steward.call(PATH, { method: 'POST', token: await steward.signIn(newName()) });
    expectError(response, 'method_not_allowed');
    expect(response.headers.get('allow')).toBe('GET, PATCH, HEAD');
  });

  it('is a user’s own, and ends with the user', async () => {
    const [ana, bo] = [await steward.signIn(newName()), await steward.signIn(newName())];
    await patch(ana, { name: 'Ana, who leaves' });
    await patch(bo, { name: 'Bo' });
    expect((await steward.call(PATH, { token: ana })).body.name).toBe('Ana, who leaves');
    expect((await steward.call('/user/export', { token: ana })).body.user).toMatchObject({
      time_zone: null,
      language: null,
      name: 'Ana, who leaves',
    });
    expect((await steward.call('/user', { method: 'DELETE', token: ana })).status).toBe(200);
    expectError(await patch(ana, { name: 'Ana, who leaves' }), 'invalid_token');
    expect(await steward.sql(`select 1 from users where name = 'Ana, who leaves'`)).toEqual([]);
    expect((await steward.call(PATH, { token: bo })).body.name).toBe('Bo');
  });

  it('keeps quiet hours, and ends them', async () => {
    const token = await steward.signIn(newName());
    const quiet = { from: '22:00', to: '07:00' };
    expect((await patch(token, { quiet_hours: quiet })).body).toEqual({ ...NONE, quiet_hours: quiet });
    expect((await patch(token, { name: 'Ana' })).body).toEqual({ ...NONE, name: 'Ana', quiet_hours: quiet });
    expect((await patch(token, { quiet_hours: null })).body).toEqual({ ...NONE, name: 'Ana' });
  });

  it.each([
    ['one time', { from: '22:00' }],
    ['twice the same time', { from: '22:00', to: '22:00' }],
    ['the 25th hour', { from: '24:00', to: '07:00' }],
    ['a time in words', { from: '10 pm', to: '7 am' }],
    ['seconds', { from: '22:00:00', to: '07:00' }],
    ['a zone', { from: '22:00', to: '07:00', time_zone: 'UTC' }],
    ['a list', ['22:00', '07:00']],
    ['a text', '22:00-07:00'],
  ])('rejects %s for quiet hours', async (_what, quiet) => {
    const token = await steward.signIn(newName());
    expectError(await patch(token, { quiet_hours: quiet }), 'invalid_request');
    expect((await steward.call(PATH, { token })).body).toEqual(NONE);
  });

  it('says nothing of it in logs', async () => {
    await patch(await steward.signIn(newName()), { name: 'Canary Person', time_zone: 'Pacific/Chatham' });
    expect(steward.logs.join('')).not.toMatch(/Canary Person|Chatham/);
  });
});

describe.skipIf(!hasPostgres)('two replicas', () => {
  let issuer: TestIssuer;
  let database: PostgresDatabase;
  let replicas: [TestSteward, TestSteward];
  beforeAll(async () => {
    [issuer, database] = [await startIssuer(), await createPostgresDatabase()];
    const env = { ...issuer.env, DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
    replicas = [await startSteward(env), await startSteward(env)];
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await issuer.close();
    await database.drop();
  });

  it('that change different preferences at the same time keep both', async () => {
    const [one, other] = replicas;
    const token = await issuer.sign('ana');
    expect((await other.call(PATH, { token })).status).toBe(200);
    for (const round of [1, 2, 3, 4, 5]) {
      const changes = [
        { name: `Ana ${round}` },
        { time_zone: round % 2 ? 'Europe/Berlin' : 'UTC' },
        { language: `en-A${round % 2 ? 'U' : 'G'}` },
      ];
      await Promise.all(changes.map((change, index) => patch(token, change, 'application/json', index % 2 ? one : other)));
      expect((await one.call(PATH, { token })).body).toEqual(Object.assign({ quiet_hours: null }, ...changes));
    }
  });
});
