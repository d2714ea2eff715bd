import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { showList } from '../kit/states.js';
import { formatter } from '../page/page-format.js';
import { together } from '../page/page-store.js';
import { visibleText } from '../page/page-text.js';

/** Calls that the user has allowed in advance: list, revoke. */
export function allowancesCard(session) {
  const list = element('ul', { className: 'entries', 'aria-labelledby': 'allowances-title' });
  const about = 'Calls that run without a question until their time is up, because you allowed them when you approved one like them.';
  const section = card({ id: 'allowances', title: 'Allowed in advance', about }, list);
  // They name the accounts.
  showList(list, section.querySelector('h2'), together(session.allowances, session.accounts), {
    items: ([allowances]) => allowances.map((one) => item(session, one)),
    empty: 'Nothing is allowed in advance.',
  });
  return section;
}

function item(session, allowance) {
  const { id, action, account_id: accountId, recipients, folder, arguments: given, expires_at: expiresAt } = allowance;
  const people = recipients.map(({ address }) => address).join(', ');
  const what = `${action} ${folder === null ? `to ${people}` : `into “${folder.name}”`}`;
  const revoke = button('Revoke', { name: what, className: 'small' });
  revoke.addEventListener('click', () => run(revoke, session.fail, () => end(session, id, what)));
  const seen = folder !== null && people !== '' ? [element('p', { className: 'detail' }, `Seen by ${people}`)] : [];
  const until = formatter.dateTime(expiresAt);
  return element(
    'li',
    { className: 'entry' },
    element(
      'div',
      {},
      element('h3', {}, what),
      ...seen,
      element('p', { className: 'detail' }, `For ${whoOf(allowance)}, with ${session.nameOf(accountId) ?? 'an account'}, until ${until}`),
      element('p', { className: 'detail' }, `With these arguments only: ${given.map(argumentOf).join(', ')}`),
    ),
    element('div', { className: 'actions' }, revoke),
  );
}

/** Whose calls run without a question. */
function whoOf({ asker, client }) {
  if (client !== null) return `${client.kind === 'oauth' ? 'the app that calls itself' : 'your token'} “${visibleText(client.name)}”`;
  return asker === 'assistant' ? 'your assistant' : 'you';
}

/** A choice with what was chosen, any other by its name only. */
function argumentOf({ name, values = [] }) {
  return values.length === 0 ? visibleText(name) : `${visibleText(name)} = ${visibleText(values.join(' or '))}`;
}

async function end(session, id, what) {
  const question = { title: 'Revoke this?', text: `${what}: you are asked again about each call.`, yes: 'Revoke' };
  if (!(await session.confirm(question))) return;
  await session.request('DELETE', `/allowances/${id}`);
  await session.load('allowances');
  session.notify('done', 'Revoked. You are asked again about each such call.');
}
