import type { Person } from '../support/emulators/workspace-content.ts';
import { linkBank } from '../support/scenes/flows.ts';
import type { TestSteward } from '../support/steward.ts';
import { eventually } from '../support/time/eventually.ts';

/** Links banks, runs every action of the bank, and removes the banks. */
export async function callBankActions(steward: TestSteward, { token, act }: Pick<Person, 'token' | 'act'>): Promise<void> {
  await steward.call('/auth/bank/create_link_token', { method: 'POST', token, form: {} });
  await linkBank(steward, token);
  await act('bank.transactions').catch(() => undefined);
  await eventually(() =>
    act('bank.transactions', { max: 5 }).then(
      () => true,
      () => false,
    ),
  );
  const { accounts } = await act('bank.balances');
  const some = { account_ids: [accounts[0].id] };
  const days = { from: '2026-01-01', to: '2026-01-31' };
  await act('bank.balances', { live: true, from: 0, ...some });
  await act('bank.transactions', { max: 5, page: '5', ...some });
  await act('bank.transactions', days);
  await act('bank.spending', { by: 'merchant', max: 5, ...some });
  await act('bank.spending', days);
  const { cursor } = await act('bank.changes', { cursor: '', max: 5 });
  await act('bank.changes', { cursor, max: 5 });
  await act('bank.numbers', { from: 0, ...some });
  await change(steward, token);
  for (const { id } of await banks(steward, token)) await steward.call(`/auth/bank/accounts/${id}`, { method: 'DELETE', token });
  await eventually(async () => '/item/remove' in (await steward.control('bank/state')).calls);
}

/** A bank that asks for a new login, as its webhook says, and is repaired. */
async function change(steward: TestSteward, token: string): Promise<void> {
  const { items } = await steward.control('bank/state');
  const { item_id } = items.at(-1);
  await steward.control('bank/webhook', { item_id, webhook_code: 'ERROR' });
  const [{ id: account_id }] = await banks(steward, token);
  await steward.call('/auth/bank/create_link_token', { method: 'POST', token, form: { account_id } });
  await steward.call(`/auth/bank/accounts/${account_id}/refresh`, { method: 'POST', token });
}

async function banks(steward: TestSteward, token: string): Promise<any[]> {
  return (await steward.call('/auth/bank/accounts', { token })).body.accounts;
}
