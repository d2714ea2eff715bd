import { access } from '../../language/en/accounts.js';
import { data, deletion, readOnly as texts } from '../../language/en/settings.js';
import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { showList } from '../kit/states.js';
import { allAccounts } from '../page/page-accounts.js';

/** What the user can do about the stored data: export, delete; and which accounts are read-only. */
export function dataCards(session) {
  return { exported: exportCard(session), removal: deletionCard(session), readOnly: readOnlyCard(session) };
}

function exportCard(session) {
  const save = button(data.export);
  save.addEventListener('click', () => run(save, session.fail, () => download(session)));
  const again = button(data.firstSteps, { className: 'quiet' });
  again.addEventListener('click', () => session.showChecklist());
  return card({ id: 'export', title: data.title, about: data.about }, element('div', { className: 'row' }, save, again));
}

async function download(session) {
  const stored = await session.request('GET', '/user/export');
  const url = URL.createObjectURL(new Blob([JSON.stringify(stored, null, 2)], { type: 'application/json' }));
  element('a', { href: url, download: `steward-export-${stored.exported_at.slice(0, 10)}.json` }).click();
  URL.revokeObjectURL(url);
  session.notify('done', data.exported);
}

function deletionCard(session) {
  const remove = button(deletion.delete, { className: 'danger' });
  remove.addEventListener('click', () => run(remove, session.fail, () => deleteUser(session)));
  return card({ id: 'deletion', title: deletion.title, about: deletion.about }, remove);
}

async function deleteUser(session) {
  const question = {
    title: deletion.question,
    text: deletion.means,
    yes: deletion.delete,
  };
  if (!(await session.confirm(question))) return;
  await session.request('DELETE', '/user');
  await session.signOut(deletion.done);
}

function readOnlyCard(session) {
  const list = element('ul', { className: 'entries', 'aria-labelledby': 'read-only-title' });
  const section = card({ id: 'read-only', title: texts.title, about: texts.about }, list);
  showList(list, section.querySelector('h2'), session.accounts, {
    items: (value) =>
      allAccounts(value)
        .filter(({ readOnly }) => readOnly !== undefined)
        .map((account) => item(session, account)),
    empty: texts.none,
  });
  return section;
}

function item(session, { id, readOnly }) {
  const name = session.nameOf(id);
  const permit = button(access.permit, { name, className: 'small' });
  permit.addEventListener('click', () =>
    run(permit, session.fail, async () => {
      await session.request('DELETE', `/read-only/${readOnly}`);
      await session.load('accounts', 'agents');
      session.notify('done', access.permitted(name));
    }),
  );
  return element(
    'li',
    { className: 'entry' },
    element('div', {}, element('h3', {}, name)),
    element('div', { className: 'actions' }, permit),
  );
}
