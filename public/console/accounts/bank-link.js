import { accounts } from '../../language/en/accounts.js';
import { chooseBank } from './page-bank-link.js';

/** Connects a bank, which the user selects. */
export async function linkBank(session) {
  const chosen = await chooseBank(await session.request('POST', '/auth/bank/create_link_token'));
  if (chosen === undefined) {
    session.notify('warning', accounts.noBank);
    return;
  }
  const linked = await session.request('POST', '/auth/bank/set_access_token', { form: { public_token: chosen.publicToken } });
  await changed(session, `${accounts.bankConnected}${linked.also_linked === undefined ? '' : accounts.bankBeside}`);
}

/** Update mode: the access token stays valid, so there is nothing to exchange. The server reloads the item. */
export async function repairBank(session, { id, bank_name: bank }) {
  const chosen = await chooseBank(await session.request('POST', '/auth/bank/create_link_token', { form: { account_id: id } }));
  if (chosen === undefined) {
    session.notify('warning', accounts.unchanged(bank));
    return;
  }
  await session.request('POST', `/auth/bank/accounts/${encodeURIComponent(id)}/refresh`);
  await changed(session, accounts.reconnected(bank));
}

async function changed(session, done) {
  session.notify('done', done);
  await session.load('accounts', 'agents', 'approvals');
}
