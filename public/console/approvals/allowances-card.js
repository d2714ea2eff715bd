import { actionName } from '../../language/en/actions.js';
import { allowances as texts } from '../../language/en/allowances.js';
import { detailName } from '../../language/en/approvals.js';
import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { showList } from '../kit/states.js';
import { formatter } from '../page/page-format.js';
import { together } from '../page/page-store.js';
import { quotedName, visibleText } from '../page/page-text.js';

/** Calls that the user has allowed in advance: list, revoke. */
export function allowancesCard(session) {
  const list = element('ul', { className: 'entries', 'aria-labelledby': 'allowances-title' });
  const section = card({ id: 'allowances', title: texts.title, about: texts.about }, list);
  // They name the accounts.
  showList(list, section.querySelector('h2'), together(session.allowances, session.accounts), {
    items: ([allowances]) => allowances.map((one) => item(session, one)),
    empty: texts.none,
  });
  return section;
}

function item(session, allowance) {
  const { id, action, account_id: accountId, recipients, services, folder, arguments: given, expires_at: expiresAt } = allowance;
  const people = [...recipients.map(({ address }) => address), ...services].join(', ');
  const name = actionName(action);
  const what = folder === null ? texts.to(name, people) : texts.into(name, folder.name);
  const revoke = button(texts.revoke, { name: what, className: 'small' });
  revoke.addEventListener('click', () => run(revoke, session.fail, () => end(session, id, what)));
  const seen = folder !== null && people !== '' ? [element('p', { className: 'detail' }, texts.seenBy(people))] : [];
  const until = formatter.dateTime(expiresAt);
  return element(
    'li',
    { className: 'entry' },
    element(
      'div',
      {},
      element('h3', {}, what),
      ...seen,
      element('p', { className: 'detail' }, texts.scope(whoOf(allowance), session.nameOf(accountId) ?? texts.anAccount, until)),
      element('p', { className: 'detail' }, texts.details(given.map(detailOf))),
    ),
    element('div', { className: 'actions' }, revoke),
  );
}

/** Whose calls run without a question. */
function whoOf({ asker, client }) {
  if (client !== null) return (client.kind === 'oauth' ? texts.app : texts.token)(quotedName(client.name));
  return asker === 'assistant' ? texts.assistant : texts.you;
}

/** A choice with what was chosen, any other by its name only. */
function detailOf({ name, values = [] }) {
  return texts.detail(
    visibleText(detailName(name)),
    values.map((value) => visibleText(texts.value(value))),
  );
}

async function end(session, id, what) {
  const question = { title: texts.question, text: texts.means(what), yes: texts.revoke };
  if (!(await session.confirm(question))) return;
  await session.request('DELETE', `/allowances/${id}`);
  await session.load('allowances');
  session.notify('done', texts.revoked);
}
