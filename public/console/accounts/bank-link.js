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
  if (linked.also_linked === undefined) await changed(session, 'done', accounts.bankConnected);
  else await changed(session, 'warning', accounts.bankBeside);
}

/** Update mode: the access token stays valid, so there is nothing to exchange. The server reloads the item. */
export async function repairBank(session, { id, bank_name: bank }) {
  const chosen = await chooseBank(await session.request('POST', '/auth/bank/create_link_token', { form: { account_id: id } }));
  if (chosen === undefined) {
    session.notify('warning', accounts.unchanged(bank));
    return;
  }
  await session.request('POST', `/auth/bank/accounts/${encodeURIComponent(id)}/refresh`);
  await changed(session, 'done', accounts.reconnected(bank));
}

async function changed(session, kind, text) {
  session.notify(kind, text);
  await session.load('accounts', 'agents', 'approvals');
}
