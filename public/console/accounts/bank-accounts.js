import { access, accounts, bank as texts } from '../../language/en/accounts.js';
import { button } from '../kit/button.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { linkTo } from '../page/page-address.js';
import { formatter } from '../page/page-format.js';
import { reconnect } from './account-access.js';
import { AccountList } from './account-list.js';
import { linkBank } from './bank-link.js';

/** The bank accounts. */
export class BankAccounts extends AccountList {
  constructor(session) {
    super(session, {
      provider: 'bank',
      path: '/auth/bank/accounts',
      title: texts.title,
      about: texts.about,
      empty: texts.none,
    });
    const connect = button(accounts.connect.bank, { className: 'primary' });
    connect.addEventListener('click', () => run(connect, session.fail, () => linkBank(session)));
    this.card.append(connect);
    this.showItems();
  }

  item(account) {
    const { id, bank_name: bank, mask } = account;
    const note = noteOf(account);
    const attention = note === undefined ? undefined : tag('attention', note);
    const numbers = mask.map(({ name, mask: digits }) => element('li', {}, name, digits === '' ? '' : ` ··${digits}`));
    return element(
      'li',
      { className: 'entry', 'data-entry': id },
      element('span', { className: 'portrait bank', 'aria-hidden': 'true' }, bank.charAt(0).toUpperCase()),
      element(
        'div',
        {},
        element(
          'h3',
          {},
          element('a', { href: linkTo('accounts', id) }, bank),
          attention,
          account.readOnly === undefined ? undefined : tag('', access.readOnly),
        ),
        element('ul', { className: 'numbers detail' }, ...numbers),
      ),
      element('div', { className: 'actions' }, ...this.#actions(account)),
    );
  }

  #actions(account) {
    const { id, bank_name: bank, status, warning, new_accounts: newAccounts } = account;
    const label = status !== 'active' || warning ? accounts.reconnect : newAccounts && texts.select;
    const repair = label ? [this.button(label, bank, () => reconnect(this.session, account), 'primary')] : [];
    return [...repair, this.readOnlyButton(account, bank), this.disconnectButton(encodeURIComponent(id), bank, texts.disconnectMeans)];
  }
}

/** The notice for an account, if there is one. */
function noteOf({ status, warning, expires_at: expiresAt, new_accounts: newAccounts }) {
  if (status !== 'active') return texts.states[status] ?? status;
  if (warning !== undefined)
    return texts.ends(texts.warnings[warning] ?? warning, expiresAt === undefined ? undefined : formatter.day(expiresAt));
  return newAccounts ? texts.newAccounts : undefined;
}
