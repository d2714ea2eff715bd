import { byId, confirmed, element, replaceItems, run, show, tag } from './page-dom.js';
import { visibleText } from './page-text.js';

const MAY = { read: 'read', write: 'read and change' };
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** Clients that signed in with OAuth, and personal access tokens: what each may do, when it last did what; disconnect. */
export class ClientsPanel {
  #session;
  #card = byId('clients');
  #result = byId('clients').querySelector('.result');
  #turn = 0;

  constructor(session) {
    this.#session = session;
  }

  async refresh() {
    const turn = ++this.#turn;
    const paths = ['/clients', '/auth/workspace/accounts', '/auth/bank/accounts'];
    const [{ clients }, workspace, bank] = await Promise.all(paths.map((path) => this.#session.request('GET', path)));
    const named = [
      ...workspace.accounts.map(({ id, email }) => [id, email]),
      ...bank.accounts.map(({ id, bank_name: name }) => [id, name]),
    ];
    if (turn === this.#turn) this.#render(clients.filter(isActive), new Map(named));
  }

  clear() {
    this.#turn++;
    this.#result.replaceChildren();
    this.#card.querySelector('.entries').replaceChildren();
  }

  #render(clients, accounts) {
    const empty = element('li', { className: 'empty' }, 'No app is connected.');
    const items = clients.length > 0 ? clients.map((one) => this.#item(one, accounts)) : [empty];
    replaceItems(this.#card.querySelector('.entries'), byId('clients-title'), items);
  }

  #item(client, accounts) {
    const name = visibleText(client.name);
    const button = element('button', { type: 'button', className: 'button', 'aria-label': `Disconnect: ${name}` }, 'Disconnect');
    button.addEventListener('click', () => run(button, this.#result, () => this.#disconnect(client.id, name)));
    return element(
      'li',
      { className: 'entry' },
      element(
        'div',
        {},
        element('h3', {}, element('bdi', {}, name), tag('', client.kind === 'oauth' ? 'app' : 'token')),
        element('p', {}, permissionOf(client, accounts)),
        element('p', { className: 'detail' }, `${originOf(client)} ${lastUseOf(client)}`),
      ),
      element('div', { className: 'actions' }, button),
    );
  }

  async #disconnect(id, name) {
    const question = {
      title: `Disconnect ${name}?`,
      text: 'It can no longer call anything. Its pending approvals are cancelled.',
      yes: 'Disconnect',
    };
    if (!(await confirmed(question))) return;
    await this.#session.request('DELETE', `/clients/${id}`);
    await this.refresh();
    show(this.#result, 'done', `${name} is disconnected.`);
  }
}

/** e.g. "May read mail and calendar (list) on all accounts, until 3 March 2027." */
function permissionOf({ access, actions, accounts, expires_at: expiresAt }, names) {
  const what = MAY[access] ?? access;
  const known = accounts?.map((id) => names.get(id)).filter((name) => name !== undefined);
  const where = known === undefined ? 'all accounts' : listed(known) || 'no account that is still connected';
  return `May ${what} ${scopeOf(actions)} on ${where}, until ${day(expiresAt)}.`;
}

function scopeOf(patterns) {
  if (patterns.includes('*')) return 'everything';
  const agents = Map.groupBy(
    patterns.map((pattern) => pattern.split('.')),
    ([agent]) => agent,
  );
  return listed(
    [...agents].map(([agent, parts]) => {
      const actions = parts.map(([, action]) => action);
      return actions.includes('*') ? agent : `${agent} (${actions.join(', ')})`;
    }),
  );
}

/** Who the client is, as far as that is known: a name is only what a client calls itself. */
function originOf({ kind, host, redirect_host: redirectHost, last_four: lastFour }) {
  if (kind !== 'oauth') return `Token …${lastFour}.`;
  if (redirectHost === null) return 'It signed in at the operator’s own server.';
  const returned = visibleText(redirectHost);
  // Any program on the device can use the name and the address of another.
  if (LOOPBACK.test(returned)) return `A program on the device where you signed in${host === null ? '' : `, as ${host}`}.`;
  if (host === null) return `This is the name it gave. It received access at ${returned}.`;
  return host === returned ? `From ${host}.` : `From ${host}. It received access at ${returned}.`;
}

function lastUseOf({ last_used_at: lastUsedAt, last_action: lastAction }) {
  if (lastUsedAt === null) return 'Not used yet.';
  const at = new Date(lastUsedAt).toLocaleString();
  return lastAction === null ? `Last used ${at}.` : `Last used ${at}: ${lastAction}.`;
}

function listed(words) {
  return new Intl.ListFormat('en-GB').format(words);
}

function day(text) {
  return new Date(text).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
}

function isActive({ expires_at: expiresAt, revoked_at: revokedAt }) {
  return revokedAt === null && Date.parse(expiresAt) > Date.now();
}
