import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const GINGHAM = 'ins_109509';

let steward: TestSteward;
let users = 0;
let token: string;
let itemId: string;
let entryId: string;

beforeAll(async () => {
  steward = await startSteward({ LIMIT_REVOCATION_RETRY_SECONDS: '1' });
});

afterAll(() => steward.stop());

/** Each test has a user with one linked bank. */
beforeEach(async () => {
  await steward.control('faults/clear', {});
  users += 1;
  token = await steward.signIn(`repair-user-${users}`);
  expect((await linkBank(steward, token)).status).toBe(200);
  itemId = (await steward.control('bank/state')).items.at(-1).item_id;
  entryId = (await list())[0].id;
});

async function list(): Promise<any[]> {
  return (await steward.call('/auth/bank/accounts', { token })).body.accounts;
}

async function status(): Promise<unknown> {
  return (await list())[0]?.status;
}

async function integration(): Promise<unknown> {
  return (await steward.call('/integrations', { token })).body.bank;
}

function refresh(id = entryId, as = token) {
  return steward.call(`/auth/bank/accounts/${id}/refresh`, { method: 'POST', token: as });
}

function remove(id = entryId, as = token) {
  return steward.call(`/auth/bank/accounts/${id}`, { method: 'DELETE', token: as });
}

async function item(): Promise<any> {
  return (await steward.control('bank/state')).items.find((candidate: any) => candidate.item_id === itemId);
}

/** Follows Link's pages to the end. */
async function repairInLink(keep?: (fields: URLSearchParams) => void): Promise<void> {
  const { body } = await steward.call('/auth/bank/create_link_token', { token, form: { account_id: entryId } });
  const browser = new FormBrowser(steward.url);
  const page = await browser.visit(body.link_url);
  expect(page.status).toBe(200);
  const done = await browser.submit(page, body.link_url, (fields) => {
    const button = /<button[^>]*name="([^"]+)"[^>]*value="([^"]+)"/.exec(page.text);
    if (button !== null) fields.set(button[1] as string, button[2] as string);
    keep?.(fields);
  });
  expect(done.status).toBe(200);
}

describe('POST /auth/bank/accounts/{account_id}/refresh', () => {
  it('is protected', async () => {
    expectError(await steward.call(`/auth/bank/accounts/${entryId}/refresh`, { method: 'POST' }), 'invalid_token');
  });

  it('returns success for an active item', async () => {
    const response = await refresh();
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ success: true });
    expect(await status()).toBe('active');
  });

  it('responds to many concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => refresh()));
    expect(responses.map(({ body }) => body)).toEqual(Array(20).fill({ success: true }));
  });

  it('finds that the bank requires a new login: 409, also in the list and in /integrations', async () => {
    await steward.control('bank/reset-login', { item_id: itemId });
    expectError(await refresh(), 'relink_required');
    expect(await status()).toBe('relink_required');
    expect(await integration()).toEqual({ connected: true, needs_attention: 1 });
  });

  it('clears relink_required after update mode', async () => {
    await steward.control('bank/reset-login', { item_id: itemId });
    await refresh();
    await repairInLink();
    expect(await status()).toBe('relink_required');
    expect((await refresh()).body).toEqual({ success: true });
    expect(await status()).toBe('active');
    expect(await integration()).toEqual({ connected: true, needs_attention: 0 });
  });

  it('stores the accounts selected in update mode', async () => {
    await repairInLink((fields) => {
      const [first] = fields.getAll('account');
      fields.delete('account');
      fields.set('account', first as string);
    });
    await refresh();
    expect((await list())[0].mask).toEqual([{ name: 'Checking', mask: '0000' }]);
  });

  it('finds that the item is gone: 409 item_gone, and the account_id can still be deleted', async () => {
    await steward.control('bank/remove-item', { item_id: itemId });
    expectError(await refresh(), 'item_gone');
    expect(await status()).toBe('item_gone');
    expect(await integration()).toEqual({ connected: true, needs_attention: 1 });
    expect((await remove()).body).toEqual({ success: true });
  });

  it('is repaired by linking the bank again, with the same id', async () => {
    await steward.control('bank/remove-item', { item_id: itemId });
    await refresh();
    expect((await linkBank(steward, token)).status).toBe(200);
    expect(await list()).toMatchObject([{ id: entryId, status: 'active' }]);
    expect(await integration()).toEqual({ connected: true, needs_attention: 0 });
  });

  it('leaves the item unchanged while the bank is down', async () => {
    await steward.control('bank/error', { code: 'INSTITUTION_DOWN', path: '/accounts/get' });
    expectError(await refresh(), 'unavailable');
    expect(await status()).toBe('active');
  });

  it('is not found for another user, an unknown or an invalid id', async () => {
    const other = await steward.signIn('repair-stranger');
    expectError(await refresh(entryId, other), 'not_found');
    for (const id of [UNKNOWN, 'x', `${entryId}x`, '%00', "'", '..%2f..']) expectError(await refresh(id), 'not_found');
  });
});

describe('POST /auth/bank/create_link_token for an item', () => {
  it('reports that the item is gone, as does the list', async () => {
    await steward.control('bank/remove-item', { item_id: itemId });
    expectError(await steward.call('/auth/bank/create_link_token', { token, form: { account_id: entryId } }), 'item_gone');
    expect(await status()).toBe('item_gone');
  });
});

describe('DELETE /auth/bank/accounts/{account_id}', () => {
  it('is protected', async () => {
    expectError(await steward.call(`/auth/bank/accounts/${entryId}`, { method: 'DELETE' }), 'invalid_token');
    expect(await list()).toHaveLength(1);
  });

  it('deletes the last item immediately, disconnects the bank, and removes the item at the aggregator', async () => {
    const response = await remove();
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ success: true });
    expect(await list()).toEqual([]);
    expect(await integration()).toEqual({ connected: false, needs_attention: 0 });
    expectError(await refresh(), 'not_found');
    await eventually(async () => expect((await item()).removed).toBe(true));
    await eventually(async () => expect(await steward.sql(`select id from revocations where subject = $1`, [itemId])).toEqual([]));
  });

  it('keeps the other items, and the bank connected', async () => {
    await linkBank(steward, token, GINGHAM);
    const [, second] = await list();
    expect((await remove()).body).toEqual({ success: true });
    expect(await list()).toEqual([second]);
    expect(await integration()).toEqual({ connected: true, needs_attention: 0 });
  });

  it('is not found a second time', async () => {
    await remove();
    expectError(await remove(), 'not_found');
  });

  it('succeeds once in two concurrent requests', async () => {
    const responses = await Promise.all([remove(), remove()]);
    expect(responses.map((response) => response.status).sort()).toEqual([200, 404]);
  });

  it('is not found for another user, an unknown or an invalid id, and deletes nothing', async () => {
    const other = await steward.signIn('repair-stranger');
    expectError(await remove(entryId, other), 'not_found');
    for (const id of [UNKNOWN, 'x', `${entryId}x`, '%00', "'", '..%2f..']) expectError(await remove(id), 'not_found');
    expect(await list()).toHaveLength(1);
    expect((await item()).removed).toBe(false);
  });

  it.each([
    ['503', { kind: 'status', status: 503 }],
    ['a web page with 200', { kind: 'html', status: 200 }],
  ])('works while the aggregator returns %s, and removes the item there afterwards', async (_name, fault) => {
    await steward.control('faults', { part: 'bank', ...fault });
    expect((await remove()).body).toEqual({ success: true });
    expect(await list()).toEqual([]);
    const open = () => steward.sql<{ attempts: number }>(`select attempts from revocations where subject = $1`, [itemId]);
    await eventually(async () => (await open()).some(({ attempts }) => attempts > 0));
    expect(await open()).toHaveLength(1);
    expect((await item()).removed).toBe(false);
    await steward.control('faults/clear', {});
    await eventually(async () => expect((await item()).removed).toBe(true));
  });

  it('counts an item that is gone at the aggregator as removed', async () => {
    await steward.control('bank/remove-item', { item_id: itemId });
    expect((await remove()).body).toEqual({ success: true });
    await eventually(async () => expect(await steward.sql(`select id from revocations where subject = $1`, [itemId])).toEqual([]));
  });

  it('while the same bank is linked again leaves one item or none, as in /integrations', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [entry] = await list();
      const linking = () => linkBank(steward, token);
      await Promise.all([linking(), ...(entry === undefined ? [] : [remove(entry.id)]), linking()]);
      const entries = await list();
      expect(entries.length).toBeLessThanOrEqual(1);
      expect(await integration()).toEqual({ connected: entries.length > 0, needs_attention: 0 });
    }
  });
});
