import { byId, confirmed, element, onSubmit, replaceItems, run, show, tag } from './page-dom.js';

const EFFECTS = { read: 'reads', write: 'reads and changes' };

/** Personal access tokens: list, make, revoke. Both of the latter require a recent sign-in; the message says so. */
export class TokensPanel {
  #session;
  #card = byId('tokens');
  #result = byId('tokens').querySelector('.result');
  #turn = 0;

  constructor(session) {
    this.#session = session;
    onSubmit(byId('token-create'), this.#result, (fields) => this.#make(fields));
  }

  async refresh() {
    const turn = ++this.#turn;
    const { tokens } = await this.#session.request('GET', '/tokens');
    if (turn === this.#turn) this.#render(tokens.filter(isActive));
  }

  clear() {
    this.#turn++;
    this.#result.replaceChildren();
    this.#card.querySelector('.entries').replaceChildren();
  }

  #render(tokens) {
    const empty = element('li', { className: 'empty' }, 'No tokens.');
    const items = tokens.length > 0 ? tokens.map((one) => this.#item(one)) : [empty];
    replaceItems(this.#card.querySelector('.entries'), byId('tokens-title'), items);
  }

  #item({ id, name, last_four: lastFour, actions, access, accounts, expires_at: expiresAt, last_used_at: lastUsedAt }) {
    const button = element('button', { type: 'button', className: 'button', 'aria-label': `Revoke: ${name}` }, 'Revoke');
    button.addEventListener('click', () => run(button, this.#result, () => this.#revoke(id, name)));
    const scope = accounts === null ? 'all accounts' : `${accounts.length} account${accounts.length === 1 ? '' : 's'}`;
    const used = lastUsedAt === null ? 'not used yet' : `last used ${new Date(lastUsedAt).toLocaleString()}`;
    return element(
      'li',
      { className: 'entry' },
      element(
        'div',
        {},
        element('h3', {}, name, tag(access === 'write' ? 'attention' : '', EFFECTS[access] ?? access)),
        element('p', { className: 'detail' }, `${actions.join(', ')} on ${scope}`),
        element('p', { className: 'detail' }, `…${lastFour}, until ${new Date(expiresAt).toLocaleDateString()}, ${used}`),
      ),
      element('div', { className: 'actions' }, button),
    );
  }

  async #make({ name, actions, access, days }) {
    const patterns = actions.split(/[\s,]+/).filter(Boolean);
    const json = { name, actions: patterns, access, expires_in_days: Number(days) };
    const { token } = await this.#session.request('POST', '/tokens', { json });
    await this.refresh();
    const copy = element('button', { type: 'button', className: 'button' }, 'Copy');
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(token);
      copy.textContent = 'Copied';
    });
    show(this.#result, 'done', `The token of ${name}, which is shown only now: `, element('code', {}, token), ' ', copy);
  }

  async #revoke(id, name) {
    const question = { title: `Revoke ${name}?`, text: 'What uses this token can no longer call anything.', yes: 'Revoke' };
    if (!(await confirmed(question))) return;
    await this.#session.request('DELETE', `/tokens/${id}`);
    await this.refresh();
    show(this.#result, 'done', `${name} is revoked.`);
  }
}

function isActive({ expires_at: expiresAt, revoked_at: revokedAt }) {
  return revokedAt === null && Date.parse(expiresAt) > Date.now();
}
