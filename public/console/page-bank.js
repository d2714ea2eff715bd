import { chooseBank } from './page-bank-link.js';
import { byId, confirmed, element, replaceItems, run, show } from './page-dom.js';

const STATUS = {
  relink_required: 'Reconnect required',
  item_gone: 'No longer available',
};
const WARNING = {
  pending_disconnect: 'Access ends',
  pending_expiration: 'Consent ends',
};

/** The card of the bank accounts: list, connect, reconnect, disconnect. */
export class BankPanel {
  #session;
  #onChange;
  #card = byId('bank');
  #outcome = this.#card.querySelector('.outcome');
  #turn = 0;

  constructor(session, onChange) {
    this.#session = session;
    this.#onChange = onChange;
    const button = byId('connect-bank');
    button.addEventListener('click', () => run(button, this.#outcome, () => this.#link()));
  }

  async refresh() {
    const turn = ++this.#turn;
    const { accounts } = await this.#session.request('GET', '/auth/bank/accounts');
    if (turn === this.#turn) this.#render(accounts);
  }

  clear() {
    this.#turn++;
    this.#outcome.replaceChildren();
    this.#card.querySelector('.entries').replaceChildren();
  }

  #render(accounts) {
    const items = accounts.map((entry) => this.#entry(entry));
    const empty = element('li', { className: 'empty' }, 'No bank is connected yet.');
    replaceItems(this.#card.querySelector('.entries'), byId('bank-title'), items.length > 0 ? items : [empty]);
  }

  #entry(entry) {
    const { bank_name: bank, mask } = entry;
    const note = noteOf(entry);
    const attention = note === undefined ? undefined : element('span', { className: 'tag attention' }, note);
    const numbers = mask.map((account) => element('li', {}, account.name, account.mask === '' ? '' : ` ··${account.mask}`));
    return element(
      'li',
      { className: 'entry' },
      element('span', { className: 'portrait bank', 'aria-hidden': 'true' }, bank.charAt(0).toUpperCase()),
      element('div', {}, element('h3', {}, bank, attention), element('ul', { className: 'numbers detail' }, ...numbers)),
      element('div', { className: 'actions' }, ...this.#actions(entry)),
    );
  }

  #actions({ id, bank_name: bank, status, warning, new_accounts: newAccounts }) {
    const label = status === 'relink_required' || warning ? 'Reconnect' : newAccounts && status === 'active' && 'Select accounts';
    const repair = label ? [this.#button(label, bank, () => this.#repair(id, bank))] : [];
    const remove = this.#button('Disconnect', bank, async () => {
      const question = {
        title: `Disconnect ${bank}?`,
        text: 'Agents lose access to its accounts at once, and access is revoked at the aggregator.',
        yes: 'Disconnect',
      };
      if (!(await confirmed(question))) return;
      await this.#session.request('DELETE', `/auth/bank/accounts/${encodeURIComponent(id)}`);
      await this.#changed(`${bank} is disconnected.`);
    });
    return [...repair, remove];
  }

  #button(label, bank, action) {
    const button = element('button', { className: 'button', type: 'button', 'aria-label': `${label}: ${bank}` }, label);
    button.addEventListener('click', () => run(button, this.#outcome, action));
    return button;
  }

  async #link() {
    const chosen = await chooseBank(await this.#session.request('POST', '/auth/bank/create_link_token'));
    if (chosen === undefined) {
      show(this.#outcome, 'warning', 'No bank was connected.');
      return;
    }
    const linked = await this.#session.request('POST', '/auth/bank/set_access_token', { public_token: chosen.publicToken });
    const beside = linked.also_linked === undefined ? '' : ' Another connection to this bank may include the same account. Both are kept.';
    await this.#changed(`The bank is connected.${beside}`);
  }

  /** Update mode: the access token stays valid, so there is nothing to exchange. The server reloads the item. */
  async #repair(id, bank) {
    const chosen = await chooseBank(await this.#session.request('POST', '/auth/bank/create_link_token', { account_id: id }));
    if (chosen === undefined) {
      show(this.#outcome, 'warning', `${bank} is unchanged.`);
      return;
    }
    await this.#session.request('POST', `/auth/bank/accounts/${encodeURIComponent(id)}/refresh`);
    await this.#changed(`${bank} is reconnected.`);
  }

  async #changed(done) {
    show(this.#outcome, 'done', done);
    await this.#onChange();
  }
}

/** The notice for an account, if there is one. */
function noteOf({ status, warning, expires_at: expiresAt, new_accounts: newAccounts }) {
  if (status !== 'active') return STATUS[status] ?? status;
  if (warning !== undefined)
    return `${WARNING[warning] ?? warning} ${expiresAt === undefined ? 'soon' : new Date(expiresAt).toLocaleDateString()}`;
  return newAccounts ? 'New accounts available' : undefined;
}
