import { button } from '../kit/button.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { showList } from '../kit/states.js';
import { linkTo } from '../page/page-address.js';
import { formatter } from '../page/page-format.js';
import { together } from '../page/page-store.js';
import { isolated, visibleText } from '../page/page-text.js';

const MAY = { read: 'read', write: 'read and change' };

/** Clients that signed in with OAuth, and personal access tokens: what each may do, when it last did what; disconnect. */
export function clientsCard(session) {
  const list = element('ul', { className: 'entries', 'aria-labelledby': 'connected-title' });
  const section = card({ id: 'connected', title: 'Apps and tokens' }, list);
  // They name the accounts.
  showList(list, section.querySelector('h2'), together(session.clients, session.accounts), {
    items: ([clients]) => clients.filter(isActive).map((one) => item(session, one)),
    empty: 'No app is connected.',
  });
  return section;
}

function item(session, client) {
  const name = visibleText(client.name);
  const disconnect = button('Disconnect', { name, className: 'small' });
  disconnect.addEventListener('click', () => run(disconnect, session.fail, () => end(session, client.id, name)));
  return element(
    'li',
    { className: 'entry', 'data-entry': client.id },
    element(
      'div',
      {},
      element(
        'h3',
        {},
        element('a', { href: linkTo('apps', client.id) }, element('bdi', {}, name)),
        tag('', client.kind === 'oauth' ? 'app' : 'token'),
      ),
      element('p', {}, permissionOf(client, session)),
      element('p', { className: 'detail' }, `${originOf(client)} ${lastUseOf(client)}`),
    ),
    element('div', { className: 'actions' }, disconnect),
  );
}

async function end(session, id, name) {
  const question = {
    title: `Disconnect ${isolated(name)}?`,
    text: 'It can no longer call anything. Its pending approvals are cancelled.',
    yes: 'Disconnect',
  };
  if (!(await session.confirm(question))) return;
  await session.request('DELETE', `/clients/${id}`);
  await session.load('clients', 'approvals');
  session.notify('done', `${isolated(name)} is disconnected.`);
}

/** e.g. "May read mail and calendar (list) on all accounts, until 3 March 2027." */
function permissionOf({ access, actions, accounts, except_accounts: except, expires_at: expiresAt }, session) {
  const what = MAY[access] ?? access;
  const named = (ids) => formatter.list(ids.map((id) => session.nameOf(id)).filter((name) => name !== undefined));
  const left = named(except);
  const all = left === '' ? 'all accounts' : `all accounts except ${left}`;
  const where = accounts === null ? all : named(accounts) || 'no account that is still connected';
  return `May ${what} ${scopeOf(actions)} on ${where}, until ${formatter.day(expiresAt)}.`;
}

function scopeOf(patterns) {
  if (patterns.includes('*')) return 'everything';
  const agents = Map.groupBy(
    patterns.map((pattern) => pattern.split('.')),
    ([agent]) => agent,
  );
  return formatter.list(
    [...agents].map(([agent, parts]) => {
      const actions = parts.map(([, action]) => action);
      return actions.includes('*') ? agent : `${agent} (${actions.join(', ')})`;
    }),
  );
}

/** Who the client is, as far as that is known: a name is only what a client calls itself. */
function originOf({ about, last_four: lastFour }) {
  return about === null ? `Token …${lastFour}.` : visibleText(about);
}

function lastUseOf({ last_used_at: lastUsedAt, last_action: lastAction }) {
  if (lastUsedAt === null) return 'Not used yet.';
  const at = formatter.dateTime(lastUsedAt);
  return lastAction === null ? `Last used ${at}.` : `Last used ${at}: ${lastAction}.`;
}

function isActive({ expires_at: expiresAt, revoked_at: revokedAt }) {
  return revokedAt === null && Date.parse(expiresAt) > Date.now();
}
