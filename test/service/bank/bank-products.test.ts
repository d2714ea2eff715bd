import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';
import { locationOf } from '../../support/users/sign-in.ts';

/** A bank without account numbers, and an item without consent to them. */
let steward: TestSteward;
let token: string;
let users = 0;

const WITHOUT_NUMBERS = 'ins_109510';
const PLATYPUS = 'ins_109508';

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

beforeEach(async () => {
  users += 1;
  token = await steward.signIn(`products-${users}`);
});

async function plaid(path: string, body: object): Promise<any> {
  return steward.call(`/sandbox/bank${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: 'sandbox', secret: 'sandbox', ...body }),
  });
}

/** Completes Link with this bank; returns the last page. */
async function throughLink(form: Record<string, string>, institution?: string): Promise<string> {
  const { body } = await steward.call('/auth/bank/create_link_token', { method: 'POST', token, form });
  const browser = new FormBrowser(steward.url);
  let page = await browser.visit(body.link_url);
  if (institution !== undefined) {
    page = await browser.submit(page, '/sandbox/bank/link', (fields) => {
      fields.set('institution', institution);
      fields.set('decision', 'continue');
    });
    page = await browser.visit(locationOf(page));
  }
  return (await browser.submit(page, '/sandbox/bank/link', (fields) => fields.set('decision', 'continue'))).text;
}

async function setAccessToken(publicToken: string | undefined): Promise<void> {
  const response = await steward.call('/auth/bank/set_access_token', { token, form: { public_token: publicToken ?? '' } });
  expect(response.body).toEqual({ success: true });
}

function run(action: string): Promise<any> {
  return callAction(steward, action, {}, { token }).catch((error: unknown) => error);
}

async function entry(): Promise<any> {
  return (await steward.call('/auth/bank/accounts', { token })).body.accounts[0];
}

describe('a bank without account numbers', () => {
  it('can be linked and read, and bank.numbers reports what is missing', async () => {
    const done = await throughLink({}, WITHOUT_NUMBERS);
    await setAccessToken(/public-sandbox-[\w-]+/.exec(done)?.[0]);
    expect(await entry()).toMatchObject({ bank_name: 'Tattersall Federal Credit Union', status: 'active' });
    expect((await run('bank.balances')).data.accounts).toHaveLength(2);
    expect(await run('bank.numbers')).toMatchObject({
      code: 'unsupported_account',
      message: 'This bank does not provide account and routing numbers. Its balances and transactions can be read.',
    });
    expect((await entry()).status).toBe('active');
  });

  it('is not offered by the sandbox, as by the aggregator, if they are required', async () => {
    const common = { client_name: 'Test', language: 'en', country_codes: ['US'], user: { client_user_id: 'u' } };
    const shown = async (request: object) => {
      const { body } = await plaid('/link/token/create', { ...common, ...request });
      return (await new FormBrowser(steward.url).visit(`/sandbox/bank/link?link_token=${body.link_token}`)).text.includes('Tattersall');
    };
    expect(await shown({ products: ['transactions', 'auth'] })).toBe(false);
    expect(await shown({ products: ['transactions'], required_if_supported_products: ['auth'] })).toBe(true);
  });

  it('is rejected by the sandbox if lists of products overlap or lack a product', async () => {
    const common = { client_name: 'Test', language: 'en', country_codes: ['US'], user: { client_user_id: 'u' } };
    for (const request of [
      { products: ['auth'], required_if_supported_products: ['auth'] },
      { products: ['transactions'], additional_consented_products: ['transactions'] },
      { products: ['transactions'], required_if_supported_products: ['unheard of'] },
    ]) {
      expect((await plaid('/link/token/create', { ...common, ...request })).body.error_code).toBe('INVALID_FIELD');
    }
    const request = { institution_id: WITHOUT_NUMBERS, initial_products: ['auth'] };
    expect((await plaid('/sandbox/public_token/create', request)).body.error_code).toBe('PRODUCTS_NOT_SUPPORTED');
  });
});

describe('an item without consent to account numbers', () => {
  it('stays in use, and update mode requests the missing consent', async () => {
    const { body } = await plaid('/sandbox/public_token/create', { institution_id: PLATYPUS, initial_products: ['transactions'] });
    await setAccessToken(body.public_token);
    expect(await run('bank.numbers')).toMatchObject({ code: 'relink_required', message: expect.stringContaining('update mode') });
    const { id, status } = await entry();
    expect(status).toBe('active');
    expect((await run('bank.balances')).data.accounts).toHaveLength(3);
    await throughLink({ account_id: id });
    expect((await steward.call(`/auth/bank/accounts/${id}/refresh`, { method: 'POST', token })).status).toBe(200);
    expect((await run('bank.numbers')).data.accounts).toHaveLength(2);
  });
});
