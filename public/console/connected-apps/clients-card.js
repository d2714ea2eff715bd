import { actionName, groupName } from '../../language/en/actions.js';
import { permission, apps as texts } from '../../language/en/apps.js';
import { button } from '../kit/button.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { showList } from '../kit/states.js';
import { linkTo } from '../page/page-address.js';
import { formatter } from '../page/page-format.js';
import { together } from '../page/page-store.js';
import { quotedName, visibleText } from '../page/page-text.js';

/** Clients that signed in with OAuth, and personal access tokens: what each may do, when it last did what; disconnect. */
export function clientsCard(session) {
  const list = element('ul', { className: 'entries', 'aria-labelledby': 'connected-title' });
  const section = card({ id: 'connected', title: texts.list }, list);
  // They name the accounts.
  showList(list, section.querySelector('h2'), together(session.clients, session.accounts), {
    items: ([clients]) => clients.filter(isActive).map((one) => item(session, one)),
    empty: texts.none,
  });
  return section;
}

function item(session, client) {
  const name = visibleText(client.name);
  const disconnect = button(texts.disconnect, { name, className: 'small' });
  disconnect.addEventListener('click', () => run(disconnect, session.fail, () => end(session, client)));
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
        tag('', texts.kinds[client.kind === 'oauth' ? 'oauth' : 'token']),
      ),
      element('p', {}, permissionOf(client, session)),
      element('p', { className: 'detail' }, `${originOf(client)} ${lastUseOf(client)}`),
    ),
    element('div', { className: 'actions' }, disconnect),
  );
}

async function end(session, client) {
  const question = {
    title: texts.disconnectQuestion(quotedName(client.name)),
    text: texts.disconnectMeans,
    yes: texts.disconnect,
  };
  if (!(await session.confirm(question))) return;
  await session.request('DELETE', `/clients/${client.id}`);
  await session.load('clients', 'approvals');
  session.notify('done', texts.disconnected(quotedName(client.name)));
}

function permissionOf({ access, actions, accounts, except_accounts: except, expires_at: expiresAt }, session) {
  const named = (ids) => formatter.list(ids.map((id) => session.nameOf(id)).filter((name) => name !== undefined));
  const left = named(except);
  const all = left === '' ? permission.allAccounts : permission.allExcept(left);
  const on = accounts === null ? all : named(accounts) || permission.noAccount;
  return permission.sentence({ access, scope: scopeOf(actions), accounts: on, until: formatter.day(expiresAt) });
}

function scopeOf(patterns) {
  if (patterns.includes('*')) return permission.everything;
  const agents = Map.groupBy(
    patterns.map((pattern) => pattern.split('.')),
    ([agent]) => agent,
  );
  return formatter.list(
    [...agents].map(([agent, parts]) => {
      const group = groupName(agent);
      if (parts.some(([, action]) => action === '*')) return group;
      return permission.some(
        group,
        parts.map((pattern) => actionName(pattern.join('.'))),
      );
    }),
  );
}

/** Who the client is, as far as that is known: a name is only what a client calls itself. */
function originOf({ about, last_four: lastFour }) {
  return about === null ? texts.token(lastFour) : visibleText(about);
}

function lastUseOf({ last_used_at: lastUsedAt, last_action: lastAction }) {
  if (lastUsedAt === null) return texts.unused;
  const at = formatter.dateTime(lastUsedAt);
  return lastAction === null ? texts.lastUsed(at) : texts.lastUsedFor(at, actionName(lastAction));
}

function isActive({ expires_at: expiresAt, revoked_at: revokedAt }) {
  return revokedAt === null && Date.parse(expiresAt) > Date.now();
}
