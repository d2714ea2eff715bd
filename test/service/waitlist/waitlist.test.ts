import type { Response } from 'supertest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { queueInstalled } from '../../support/scenes/flows.ts';
import { type FaultyDatabase, startFaultyDatabase } from '../../support/servers/database-proxy.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';

/** pino's number. */
const WARN = 40;
let database: FaultyDatabase;
let steward: TestSteward;

beforeAll(async () => {
  database = await startFaultyDatabase();
  steward = await startSteward(database.env);
  await queueInstalled(steward);
});

afterAll(async () => {
  await steward.stop();
  await database.stop();
});

async function entries(): Promise<string[]> {
  const rows = await steward.sql<{ email: string }>('select email from waitlist order by email');
  return rows.map(({ email }) => email);
}

function expectFailed(response: Response): void {
  expect(response.status).toBe(200);
  expect(response.body).toEqual({ status: 'error', message: expect.stringMatching(/^\S.* .*\.$/) });
  expect(response.text).not.toMatch(/relation|waitlist_|ECONN|select|insert|database|Connection/i);
}

describe.each(['/waitlist', '/email'])('POST %s', (path) => {
  const join = (email: string) => request(steward.url).post(path).type('form').send({ email });

  afterEach(() => steward.sql('delete from waitlist'));

  it('stores an address and returns success and nothing else', async () => {
    const response = await join('ada@example.org');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toMatch(/^application\/json\b/);
    expect(response.body).toEqual({ status: 'success' });
    expect(await entries()).toEqual(['ada@example.org']);
  });

  it('accepts JSON with the same field', async () => {
    const body = '{"email":"json@example.org"}';
    const response = await request(steward.url).post(path).type('json').send(body);
    expect(response.body).toEqual({ status: 'success' });
    expect(await entries()).toEqual(['json@example.org']);
  });

  it('responds to a known address as to a new one, and stores it once', async () => {
    const responses = [await join('known@example.org'), await join('known@example.org'), await join(' KNOWN@Example.org ')];
    const shown = responses.map(({ status, text, headers }) => [status, text, Object.keys(headers).sort()]);
    expect(shown[1]).toEqual(shown[0]);
    expect(shown[2]).toEqual(shown[0]);
    expect(await entries()).toEqual(['known@example.org']);
  });

  it('stores one entry of twenty concurrent ones', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => join('many@example.org')));
    expect(new Set(responses.map(({ text }) => text))).toEqual(new Set(['{"status":"success"}']));
    expect(await entries()).toEqual(['many@example.org']);
  });

  it('is public: an invalid token is ignored', async () => {
    const response = await request(steward.url)
      .post(path)
      .set('Authorization', 'nonsense')
      .type('form')
      .send({ email: 'open@example.org' });
    expect(response.body).toEqual({ status: 'success' });
  });

  it('rejects a request without the address', async () => {
    expectError(await request(steward.url).post(path).type('form').send({}), 'invalid_request', /^email: is required/);
    expectError(
      await request(steward.url).post(path).type('form').send({ mail: 'ada@example.org' }),
      'invalid_request',
      /^mail: .*did you mean email/,
    );
    expectError(await request(steward.url).post(path), 'invalid_request', /^email: is required/);
    expect(await entries()).toEqual([]);
  });

  it.each([
    ['empty', ''],
    ['blank', '   '],
    ['without an at sign', 'ada.example.org'],
    ['without a domain', 'ada@'],
    ['without a name', '@example.org'],
    ['two addresses', 'a@example.org,b@example.org'],
    ['with a display name', 'Ada <ada@example.org>'],
    ['with a space', 'ada lovelace@example.org'],
    ['with CRLF and a header', 'ada@example.org\r\nBcc: all@example.org'],
    ['with a line feed at its end', 'ada@example.org\n'],
    ['with a carriage return', 'ada\r@example.org'],
    ['with a tab', 'ada\t@example.org'],
    ['with a NUL', 'ada@example.org\0'],
    ['of 300 characters', `${'a'.repeat(288)}@example.org`],
    ['of 255 characters', `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example.org`],
    ['with SQL', "a'; drop table waitlist; --@example.org"],
    ['with markup', '<img src=x>@example.org'],
  ])('rejects an address %s', async (_name, email) => {
    const response = await join(email);
    expectError(response, 'invalid_request', /^email: /);
    if (email.trim().length > 5) expect(response.body.message).not.toContain(email.trim().slice(0, 12));
    expect(await entries()).toEqual([]);
  });

  it.each(['o’neil', "o'neil", 'a+b.c-d_e', '1'])('accepts or rejects %j, but never fails', async (name) => {
    expect([200, 400]).toContain((await join(`${name}@example.org`)).status);
  });

  it('returns 200 with status error and a message when the insertion fails, and logs a warning', async () => {
    const before = steward.logs.length;
    await steward.sql('alter table waitlist rename to waitlist_away');
    try {
      expectFailed(await join('ada@example.org'));
    } finally {
      await steward.sql('alter table waitlist_away rename to waitlist');
    }
    const warnings = steward.logs.slice(before).filter((line) => JSON.parse(line).level === WARN);
    expect(warnings.map((line) => JSON.parse(line).msg)).toContain('waitlist entry not saved');
    expect((await join('ada@example.org')).body).toEqual({ status: 'success' });
  });

  it('responds the same while the database is unavailable, and recovers', async () => {
    database.cut();
    try {
      expectFailed(await join('ada@example.org'));
    } finally {
      database.restore();
    }
    expect((await join('ada@example.org')).body).toEqual({ status: 'success' });
    expect(await entries()).toEqual(['ada@example.org']);
  });

  it('writes no address to the log', async () => {
    await join('canary-address@example.org');
    await join('canary-address@@example.org');
    expect(steward.logs.join('')).not.toContain('canary-address');
  });
});

describe('GET /waitlist', () => {
  it('shows no entries', async () => {
    for (const path of ['/waitlist', '/email']) expectError(await request(steward.url).get(path), 'method_not_allowed');
  });
});
