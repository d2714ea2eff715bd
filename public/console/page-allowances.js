import { byId, confirmed, element, replaceItems, run, show } from './page-dom.js';

/** Calls that the user has allowed in advance: list, revoke. */
export class AllowancesPanel {
  #session;
  #card = byId('allowances');
  #result = byId('allowances').querySelector('.result');
  #turn = 0;

  constructor(session) {
    this.#session = session;
  }

  async refresh() {
    const turn = ++this.#turn;
    const paths = ['/allowances', '/auth/workspace/accounts'];
    const [{ allowances }, { accounts }] = await Promise.all(paths.map((path) => this.#session.request('GET', path)));
    if (turn === this.#turn) this.#render(allowances, new Map(accounts.map(({ id, email }) => [id, email])));
  }

  clear() {
    this.#turn++;
    this.#result.replaceChildren();
    this.#card.querySelector('.entries').replaceChildren();
  }

  #render(allowances, emails) {
    const empty = element('li', { className: 'empty' }, 'Nothing is allowed in advance.');
    const items = allowances.length > 0 ? allowances.map((one) => this.#item(one, emails)) : [empty];
    replaceItems(this.#card.querySelector('.entries'), byId('allowances-title'), items);
  }

  #item({ id, action, account_id: accountId, recipients, folder, expires_at: expiresAt }, emails) {
    const people = recipients.map(({ address }) => address).join(', ');
    const what = `${action} ${folder === null ? `to ${people}` : `into “${folder.name}”`}`;
    const button = element('button', { type: 'button', className: 'button', 'aria-label': `Revoke: ${what}` }, 'Revoke');
    button.addEventListener('click', () => run(button, this.#result, () => this.#revoke(id, what)));
    const seen = folder !== null && people !== '' ? [element('p', { className: 'detail' }, `Seen by ${people}`)] : [];
    const until = new Date(expiresAt).toLocaleString();
    return element(
      'li',
      { className: 'entry' },
      element(
        'div',
        {},
        element('h3', {}, what),
        ...seen,
        element('p', { className: 'detail' }, `With ${emails.get(accountId) ?? 'an account'}, until ${until}`),
      ),
      element('div', { className: 'actions' }, button),
    );
  }

  async #revoke(id, what) {
    const question = { title: 'Revoke this?', text: `${what}: you are asked again about each call.`, yes: 'Revoke' };
    if (!(await confirmed(question))) return;
    await this.#session.request('DELETE', `/allowances/${id}`);
    await this.refresh();
    show(this.#result, 'done', 'Revoked. You are asked again about each such call.');
  }
}
