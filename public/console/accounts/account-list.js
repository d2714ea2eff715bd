import { access } from '../../language/en/accounts.js';
import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { showList } from '../kit/states.js';

/** The accounts of one provider; subclasses build the items, and show them once they are made. */
export class AccountList {
  #provider;
  #path;
  #empty;

  /** @param provider its name in the accounts of the session @param path of the endpoint @param empty text for an empty list */
  constructor(session, { provider, path, title, about, empty }) {
    this.session = session;
    this.#provider = provider;
    this.#path = path;
    this.#empty = empty;
    this.list = element('ul', { className: 'entries', 'aria-labelledby': `${provider}-title` });
    this.card = card({ id: provider, title, about }, this.list);
  }

  showItems() {
    showList(this.list, this.card.querySelector('h2'), this.session.accounts, {
      items: (accounts) => accounts[this.#provider].map((account) => this.item(account)),
      empty: this.#empty,
    });
  }

  /** @param name of the account, for assistive technology */
  button(text, name, action, className = '') {
    const node = button(text, { name, className: `small ${className}` });
    node.addEventListener('click', () => run(node, this.session.fail, action));
    return node;
  }

  /** @param account with the id of its read-only switch, if that is set */
  readOnlyButton({ id, readOnly }, name) {
    if (readOnly === undefined) {
      return this.button(access.setReadOnly, name, async () => {
        await this.session.request('POST', '/read-only', { json: { account_id: id } });
        await this.changed(access.isReadOnly(name));
      });
    }
    return this.button(access.permit, name, async () => {
      await this.session.request('DELETE', `/read-only/${readOnly}`);
      await this.changed(access.permitted(name));
    });
  }

  disconnectButton(id, name, text) {
    const disconnect = async () => {
      if (!(await this.session.confirm({ title: access.disconnectQuestion(name), text, yes: access.disconnect }))) return;
      await this.change('DELETE', id, access.disconnected(name));
    };
    return this.button(access.disconnect, name, disconnect);
  }

  /** Sends a request about an account, e.g. `<id>/default`. */
  async change(method, subpath, done) {
    await this.session.request(method, `${this.#path}/${subpath}`);
    await this.changed(done);
  }

  async changed(done) {
    this.session.notify('done', done);
    await this.session.load('accounts', 'agents', 'approvals');
  }
}
