import { byId, confirmed, element, replaceItems, run, show } from './page-dom.js';

/** A card that lists connected accounts; subclasses build the items. */
export class AccountsPanel {
  #path;
  #empty;
  #onChange;
  #card;
  #turn = 0;

  /** @param id of the card @param path of the endpoint @param empty text for an empty list */
  constructor({ id, path, empty }, session, onChange) {
    this.#path = path;
    this.#empty = empty;
    this.#card = byId(id);
    this.session = session;
    this.#onChange = onChange;
    this.result = this.#card.querySelector('.result');
  }

  async refresh() {
    const turn = ++this.#turn;
    const requests = [this.#path, '/read-only'].map((path) => this.session.request('GET', path));
    const [{ accounts }, { read_only: switches }] = await Promise.all(requests);
    const readOnly = new Map(switches.filter((one) => one.client_id === null).map((one) => [one.account_id, one.id]));
    // A late response must not replace a newer one.
    if (turn === this.#turn) this.#render(accounts.map((account) => ({ ...account, readOnly: readOnly.get(account.id) })));
  }

  clear() {
    this.#turn++;
    this.result.replaceChildren();
    this.#card.querySelector('.entries').replaceChildren();
  }

  /** @param name of the account, for assistive technology */
  button(label, name, action) {
    const button = element('button', { className: 'button', type: 'button', 'aria-label': `${label}: ${name}` }, label);
    button.addEventListener('click', () => run(button, this.result, action));
    return button;
  }

  /** @param account with the id of its read-only switch, if that is set */
  readOnlyButton({ id, readOnly }, name) {
    if (readOnly === undefined) {
      return this.button('Set to read-only', name, async () => {
        await this.session.request('POST', '/read-only', { json: { account_id: id } });
        await this.changed(`${name} is read-only. Agents can change nothing in it.`);
      });
    }
    return this.button('Permit changes', name, async () => {
      await this.session.request('DELETE', `/read-only/${readOnly}`);
      await this.changed(`Agents can change ${name} again.`);
    });
  }

  disconnectButton(id, name, text) {
    return this.button('Disconnect', name, async () => {
      if (!(await confirmed({ title: `Disconnect ${name}?`, text, yes: 'Disconnect' }))) return;
      await this.change('DELETE', id, `${name} is disconnected.`);
    });
  }

  /** Sends a request about an account, e.g. `<id>/default`. */
  async change(method, subpath, done) {
    await this.session.request(method, `${this.#path}/${subpath}`);
    await this.changed(done);
  }

  async changed(done) {
    show(this.result, 'done', done);
    await this.#onChange();
  }

  #render(accounts) {
    const items = accounts.map((account) => this.item(account));
    const empty = element('li', { className: 'empty' }, this.#empty);
    replaceItems(this.#card.querySelector('.entries'), byId(`${this.#card.id}-title`), items.length > 0 ? items : [empty]);
  }
}
