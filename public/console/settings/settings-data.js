import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { showList } from '../kit/states.js';

/** What the user can do about the stored data: export, delete; and which accounts are read-only. */
export function dataCards(session) {
  return { exported: exportCard(session), removal: deletionCard(session), readOnly: readOnlyCard(session) };
}

function exportCard(session) {
  const save = button('Export my data');
  save.addEventListener('click', () => run(save, session.fail, () => download(session)));
  const again = button('Show the first steps', { className: 'quiet' });
  again.addEventListener('click', () => session.showChecklist());
  const about = 'Everything that is stored about you, as one JSON file. Secrets are left out.';
  return card({ id: 'export', title: 'Your data', about }, element('div', { className: 'row' }, save, again));
}

async function download(session) {
  const data = await session.request('GET', '/user/export');
  const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }));
  element('a', { href: url, download: `steward-export-${data.exported_at.slice(0, 10)}.json` }).click();
  URL.revokeObjectURL(url);
  session.notify('done', 'Your data is exported.');
}

function deletionCard(session) {
  const remove = button('Delete my account', { className: 'danger' });
  remove.addEventListener('click', () => run(remove, session.fail, () => deleteUser(session)));
  const about =
    'Deletes your account, disconnects all accounts and deletes your key. You must have signed in within the last five minutes.';
  return card({ id: 'deletion', title: 'Delete everything', about }, remove);
}

async function deleteUser(session) {
  const question = {
    title: 'Delete your account?',
    text: 'All workspace and bank accounts are disconnected, and your key is deleted. This cannot be undone.',
    yes: 'Delete my account',
  };
  if (!(await session.confirm(question))) return;
  await session.request('DELETE', '/user');
  await session.signOut('Your account is deleted.');
}

function readOnlyCard(session) {
  const list = element('ul', { className: 'entries', 'aria-labelledby': 'read-only-title' });
  const about = 'Nothing can be changed in these accounts.';
  const section = card({ id: 'read-only', title: 'Read-only accounts', about }, list);
  showList(list, section.querySelector('h2'), session.accounts, {
    items: ({ workspace, bank }) =>
      [...workspace, ...bank].filter(({ readOnly }) => readOnly !== undefined).map((account) => item(session, account)),
    empty: 'No account is read-only. Change this in Accounts.',
  });
  return section;
}

function item(session, { id, readOnly }) {
  const name = session.nameOf(id);
  const permit = button('Permit changes', { name, className: 'small' });
  permit.addEventListener('click', () =>
    run(permit, session.fail, async () => {
      await session.request('DELETE', `/read-only/${readOnly}`);
      await session.load('accounts', 'agents');
      session.notify('done', `Assistants can change ${name} again.`);
    }),
  );
  return element(
    'li',
    { className: 'entry' },
    element('div', {}, element('h3', {}, name)),
    element('div', { className: 'actions' }, permit),
  );
}
