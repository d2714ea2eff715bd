import { findBankCall } from '../../src/providers/bank/bank-calls.ts';
import { BANK_CALLS } from '../../src/providers/bank/bank-session.ts';
import type { Field, Fields } from '../../src/providers/shared/declared-call.ts';
import type { TestSteward } from '../support/steward.ts';

/** What an action of the integrations file may ask of the bank, with all fields that it may send. */
export async function callDeclared(steward: TestSteward, access_token: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'PLAID-CLIENT-ID': 'sandbox', 'PLAID-SECRET': 'sandbox' };
  const ask = (call: string, fields: object) =>
    steward.call(`/sandbox/bank/${call}`, { headers, body: JSON.stringify({ access_token, ...fields }) });
  // The aggregator begins to read a bank's transactions with the first call.
  await ask('transactions/sync', {});
  const [{ account_id }] = (await ask('accounts/get', {})).body.accounts;
  const texts = {
    account_id,
    cursor: '',
    start_date: '2031-01-01',
    end_date: '2031-01-31',
    min_last_updated_datetime: '2031-01-01T00:00:00Z',
    institution_id: 'ins_109508',
    country_codes: 'US',
    account_ids: account_id,
  };
  for (const name of BANK_CALLS) {
    const found = findBankCall(name, ['transactions', 'auth']);
    if ('rejection' in found) throw new Error(found.rejection);
    const token = name === 'institutions/get_by_id' ? { access_token: undefined } : {};
    const { status, text } = await ask(name, { ...examplesOf(found.call.fields, texts), ...token });
    if (status !== 200) throw new Error(`${name}: ${text}`);
  }
}

/** A value for each field. @param texts by name of their field, or of the list that they are in */
function examplesOf(fields: Fields, texts: Record<string, string>): object {
  const exampleOf = (name: string, { kind, values = [], items, fields: inner }: Field): unknown => {
    if (inner !== undefined) return examplesOf(inner(), texts);
    if (items !== undefined) return [exampleOf(name, items)];
    if (kind === 'number') return 1;
    return kind === 'boolean' ? true : (values[0] ?? texts[name]);
  };
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, exampleOf(name, field)]));
}
