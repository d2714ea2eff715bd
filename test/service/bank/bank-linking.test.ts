import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { createPublicToken, linkBank } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const GINGHAM = 'ins_109509';
const HOUNDSTOOTH = 'ins_109512';

let steward: TestSteward;
let users = 0;

beforeAll(async () => {
  steward = await startSteward({ LIMIT_REVOCATION_RETRY_SECONDS: '1' });
});

afterAll(() => steward.stop());

/** A user that no other test uses. */
function newUser(): Promise<string> {
  users += 1;
  return steward.signIn(`bank-user-${users}`);
}

async function list(token: string): Promise<any[]> {
  const response = await request(steward.url).get('/auth/bank/accounts').set('Authorization', token);
  expect(response.status).toBe(200);
  expect(Object.keys(response.body)).toEqual(['accounts']);
  return response.body.accounts;
}

/** Items at the aggregator that were created since `known`. */
async function itemsSince(known: any[]): Promise<any[]> {
  const { items } = await steward.control('bank/state');
  return items.filter((item: any) => !known.some((old) => old.item_id === item.item_id));
}

async function items(): Promise<any[]> {
  return (await steward.control('bank/state')).items;
}

describe('POST /auth/bank/create_link_token', () => {
  it('is protected', async () => {
    expectError(await request(steward.url).post('/auth/bank/create_link_token'), 'invalid_token');
  });

  it('returns link_token, expiration and request_id, and the sandbox’s link_url', async () => {
    const response = await request(steward.url)
      .post('/auth/bank/create_link_token')
      .set('Authorization', await newUser());
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      link_token: expect.stringMatching(/^link-sandbox-/),
      expiration: expect.any(String),
      request_id: expect.stringMatching(/^\w+$/),
      link_url: `${steward.url}/sandbox/bank/link?link_token=${response.body.link_token}`,
    });
    expect(new Date(response.body.expiration).toISOString()).toBe(response.body.expiration);
    expect(Date.parse(response.body.expiration)).toBeGreaterThan(steward.clock.now());
  });

  it('accepts an empty form and an empty JSON object like no body', async () => {
    const token = await newUser();
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', ''],
      ['application/json', '{}'],
    ] as const) {
      const response = await steward.call('/auth/bank/create_link_token', {
        method: 'POST',
        token,
        body,
        headers: { 'content-type': type },
      });
      expect(response.status, type).toBe(200);
    }
  });

  it('returns update mode for an item of the user: Link shows that bank and keeps the item', async () => {
    const token = await newUser();
    await linkBank(steward, token, HOUNDSTOOTH);
    const [entry] = await list(token);
    const response = await request(steward.url)
      .post('/auth/bank/create_link_token')
      .set('Authorization', token)
      .type('form')
      .send({ account_id: entry.id });
    expect(response.status).toBe(200);
    const page = await new FormBrowser(steward.url).visit(response.body.link_url);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Houndstooth Bank');
    expect(page.text).not.toContain('Tartan Bank');
  });

  it('finds the user’s own items only', async () => {
    const owner = await newUser();
    await linkBank(steward, owner);
    const [entry] = await list(owner);
    const token = await newUser();
    for (const id of [entry.id, UNKNOWN]) {
      expectError(
        await request(steward.url).post('/auth/bank/create_link_token').set('Authorization', token).type('form').send({ account_id: id }),
        'not_found',
      );
    }
  });

  it('finds no item for an invalid id', async () => {
    const token = await newUser();
    for (const account_id of ["1' or '1'='1", '', 'x'.repeat(5_000), `${UNKNOWN}0`, 'a\u0000b']) {
      expectError(
        await request(steward.url).post('/auth/bank/create_link_token').set('Authorization', token).type('form').send({ account_id }),
        'not_found',
      );
    }
  });
});

describe('POST /auth/bank/set_access_token', () => {
  it('is protected, and leaves the public token usable', async () => {
    const publicToken = await createPublicToken(steward);
    expectError(
      await request(steward.url).post('/auth/bank/set_access_token').type('form').send({ public_token: publicToken }),
      'invalid_token',
    );
    const response = await request(steward.url)
      .post('/auth/bank/set_access_token')
      .set('Authorization', await newUser())
      .type('form')
      .send({ public_token: publicToken });
    expect(response.status).toBe(200);
  });

  it('returns success and stores the access token encrypted only', async () => {
    const token = await newUser();
    const response = await linkBank(steward, token);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ success: true });
    const grants = await steward.sql<{ tokens: Buffer }>(`select tokens from grants where provider = 'bank'`);
    expect(grants.length).toBeGreaterThan(0);
    for (const { tokens } of grants) expect(tokens.toString('latin1')).not.toContain('access-sandbox');
    expect(steward.logs.join('')).not.toContain('access-sandbox');
  });

  it('accepts JSON with the same field', async () => {
    const token = await newUser();
    const body = JSON.stringify({ public_token: await createPublicToken(steward) });
    const response = await request(steward.url).post('/auth/bank/set_access_token').set('Authorization', token).type('json').send(body);
    expect(response.body).toEqual({ success: true });
  });

  it('names public_token if it is missing, empty, given twice, too long or contains control characters', async () => {
    const token = await newUser();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const body of ['', 'public_token=', 'public_token=a&public_token=b', `public_token=${'a'.repeat(1025)}`, 'public_token=a%00b']) {
      expectError(
        await steward.call('/auth/bank/set_access_token', { method: 'POST', token, headers, body }),
        'invalid_request',
        /^public_token: /,
      );
    }
    expect(await list(token)).toEqual([]);
  });

  it('rejects an unknown public token', async () => {
    const token = await newUser();
    const response = await request(steward.url)
      .post('/auth/bank/set_access_token')
      .set('Authorization', token)
      .type('form')
      .send({ public_token: 'public-sandbox-unknown' });
    expectError(response, 'invalid_request', /^public_token: /);
    expect(await list(token)).toEqual([]);
  });

  it('rejects a used public token for every user, and changes nothing', async () => {
    const [token, other] = [await newUser(), await newUser()];
    const form = { public_token: await createPublicToken(steward) };
    await request(steward.url).post('/auth/bank/set_access_token').set('Authorization', token).type('form').send(form).expect(200);
    const before = await list(token);
    for (const again of [token, other]) {
      expectError(
        await request(steward.url).post('/auth/bank/set_access_token').set('Authorization', again).type('form').send(form),
        'invalid_request',
        /^public_token: /,
      );
    }
    expect(await list(token)).toEqual(before);
    expect(await list(other)).toEqual([]);
  });

  it('accepts a public token once in two concurrent requests', async () => {
    const token = await newUser();
    const form = { public_token: await createPublicToken(steward) };
    const responses = await Promise.all(
      [1, 2].map(() => request(steward.url).post('/auth/bank/set_access_token').set('Authorization', token).type('form').send(form)),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await list(token)).toHaveLength(1);
  });

  it('keeps the account_id if the same bank is linked again, and removes the old item at the aggregator', async () => {
    const token = await newUser();
    const known = await items();
    await linkBank(steward, token);
    const before = await list(token);
    expect((await linkBank(steward, token)).body).toEqual({ success: true });
    expect(await list(token)).toEqual(before);
    await eventually(async () => expect((await itemsSince(known)).map((item) => item.removed)).toEqual([true, false]));
    // The new token is the one in use.
    await request(steward.url).post(`/auth/bank/accounts/${before[0].id}/refresh`).set('Authorization', token).expect(200);
    expect(await steward.sql(`select id from revocations where unconfirmed_at is not null`)).toEqual([]);
  });

  it('recognizes accounts by name and mask at a bank without persistent ids', async () => {
    const token = await newUser();
    await linkBank(steward, token, HOUNDSTOOTH);
    const before = await list(token);
    await linkBank(steward, token, HOUNDSTOOTH);
    expect(await list(token)).toEqual(before);
  });

  it('stores one item if the same bank is linked twice concurrently', async () => {
    const token = await newUser();
    const known = await items();
    const responses = await Promise.all([linkBank(steward, token), linkBank(steward, token)]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const entries = await list(token);
    expect(entries).toHaveLength(1);
    await eventually(async () => expect((await itemsSince(known)).map((item) => item.removed).sort()).toEqual([false, true]));
    await request(steward.url).post(`/auth/bank/accounts/${entries[0].id}/refresh`).set('Authorization', token).expect(200);
  });

  it('stores a second item for another bank', async () => {
    const token = await newUser();
    await linkBank(steward, token);
    await linkBank(steward, token, GINGHAM);
    expect((await list(token)).map((entry) => entry.bank_name)).toEqual(['First Platypus Bank', 'First Gingham Credit Union']);
  });

  it('lets another user link the same bank', async () => {
    const [one, other] = [await newUser(), await newUser()];
    await linkBank(steward, one);
    await linkBank(steward, other);
    const ids = [...(await list(one)), ...(await list(other))].map((entry) => entry.id);
    expect(new Set(ids).size).toBe(2);
  });

  it('stores nothing if the accounts cannot be read, and removes the item at the aggregator', async () => {
    const token = await newUser();
    const known = await items();
    await steward.control('bank/error', { code: 'INSTITUTION_DOWN', path: '/accounts/get' });
    expectError(await linkBank(steward, token), 'unavailable');
    expect(await list(token)).toEqual([]);
    expect((await request(steward.url).get('/integrations').set('Authorization', token)).body.bank).toEqual({
      connected: false,
      needs_attention: 0,
    });
    await eventually(async () => expect((await itemsSince(known)).map((item) => item.removed)).toEqual([true]));
  });
});

describe('GET /auth/bank/accounts', () => {
  it('is protected', async () => {
    expectError(await request(steward.url).get('/auth/bank/accounts'), 'invalid_token');
  });

  it('is empty before a bank is linked', async () => {
    expect(await list(await newUser())).toEqual([]);
  });

  it('gives each of many concurrent callers their own list', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => newUser()));
    for (const token of users.slice(0, 3)) await linkBank(steward, token);
    const alone: unknown[] = [];
    for (const token of users) alone.push(await list(token));
    const together = await Promise.all([...users, ...users].map((token) => list(token)));
    expect(together).toEqual([...alone, ...alone]);
    expect(new Set(alone.slice(0, 3).map((accounts) => JSON.stringify(accounts))).size).toBe(3);
  });

  it('lists id, bank_name, mask and status, with an empty mask if the bank has none', async () => {
    const token = await newUser();
    await linkBank(steward, token);
    const accounts = await list(token);
    expect(accounts).toEqual([
      {
        id: expect.stringMatching(UUID),
        bank_name: 'First Platypus Bank',
        mask: [
          { name: 'Checking', mask: '0000' },
          { name: 'Saving', mask: '1111' },
          { name: 'Holiday Envelope', mask: '' },
        ],
        status: 'active',
      },
    ]);
  });

  it('lists only the caller’s items', async () => {
    const [one, other] = [await newUser(), await newUser()];
    await linkBank(steward, one);
    expect(await list(other)).toEqual([]);
  });
});
