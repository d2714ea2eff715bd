import { accounts, sources } from '../../language/en/accounts.js';
import { missingPermissions } from '../../language/en/permissions.js';
import { button } from '../kit/button.js';
import { run } from '../kit/feedback.js';
import { allAccounts, labelOf } from '../page/page-accounts.js';
import { connectSource, connectWorkspace } from '../page/page-flow.js';
import { linkBank, repairBank } from './bank-link.js';

/** A button that gives an account its access back, and leads back here. @param account as in the session's store */
export function reconnectButton(session, account) {
  const node = button(accounts.reconnect, { name: labelOf(account), className: 'small primary' });
  node.addEventListener('click', () => run(node, session.fail, () => reconnect(session, account)));
  return node;
}

/** Gives an account its access back. @param account as in the session's store */
export function reconnect(session, account) {
  if (account.email !== undefined) return connectWorkspace(session, account.email);
  if (account.source !== undefined) return connectSource(session, account.source, { accountId: account.id });
  return account.status === 'item_gone' ? linkBank(session) : repairBank(session, account);
}

/** A button that connects a first account. @param provider `workspace` or `bank` */
export function connectButton(session, provider) {
  return flowButton(session, accounts.connect[provider], () => connect(session, provider));
}

/** A button that connects a source. @param source one of those that are offered */
export function connectSourceButton(session, { name, label }) {
  return flowButton(session, sources.connect(label), () => connectSource(session, name));
}

function flowButton(session, text, begin) {
  const node = button(text, { className: 'small primary' });
  node.addEventListener('click', () => run(node, session.fail, begin));
  return node;
}

function connect(session, provider) {
  if (provider === 'bank') return linkBank(session);
  const { email } = session.user;
  // Which account it is to be is asked in Accounts.
  return email ? connectWorkspace(session, email) : session.go('accounts');
}

/** Says once that the access to an account has ended, when it happens, and no longer when it works again. */
export function watchAccess(session) {
  let known = new Map();
  const said = new Map();
  session.accounts.watch((value) => {
    const all = allAccounts(value);
    const unusable = new Map(all.filter(({ status }) => status !== 'active').map((account) => [account.id, account]));
    for (const [id, remove] of said) {
      if (unusable.has(id)) continue;
      remove();
      said.delete(id);
    }
    for (const [id, account] of unusable) {
      if (known.get(id) === 'active') said.set(id, session.notify('warning', wordsOf(account), ' ', reconnectButton(session, account)));
    }
    known = new Map(all.map(({ id, status }) => [id, status]));
  });
}

/** Why an account can't be used. @param why its status, or the code of the error with which a call failed */
export function wordsOf(account, why = account.status) {
  const name = labelOf(account);
  if (why === 'missing_scopes' && account.source !== undefined) return sources.wantsMore(name, scopesOf(account));
  if (why === 'missing_scopes') return accounts.denied(name, missingPermissions(account.missing_scopes ?? []));
  const words = { relink_required: accounts.loginAsked, item_gone: accounts.gone }[why] ?? accounts.ended;
  return words(name);
}

const MOST_SCOPES = 5;
const SCOPE_LENGTH = 60;

/** Names of the server's own. */
function scopesOf({ missing_scopes: missing }) {
  const shown = missing.slice(0, MOST_SCOPES).map((scope) => scope.slice(0, SCOPE_LENGTH).toWellFormed());
  return [...shown, ...(missing.length > MOST_SCOPES ? ['…'] : [])].join(', ');
}

/** Codes of errors that the user gets over by giving an account its access back. */
export const ENDED = new Set(['reauth_required', 'relink_required', 'item_gone', 'missing_scopes']);
