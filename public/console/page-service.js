import { byId, confirmed, element, onSubmit, run, show, tag } from './page-dom.js';
import { call } from './page-request.js';

const NAMES = { workspace: 'Workspace', bank: 'Bank' };

/** The panels that need no sign-in: reload of integrations.yaml, and the waitlist. */
export function openPanels() {
  const reloaded = byId('integrations').querySelector('.result');
  const reload = byId('reload');
  reload.addEventListener('click', () =>
    run(reload, reloaded, async () => {
      await call('GET', '/update_integrations');
      show(reloaded, 'done', 'integrations.yaml was reloaded.');
    }),
  );
  const listed = byId('waitlist').querySelector('.result');
  onSubmit(byId('waitlist-form'), listed, async ({ email }) => {
    await call('POST', '/waitlist', { form: { email } });
    show(listed, 'done', `${email} is on the waitlist.`);
  });
}

/** Shows for each provider whether an account is connected, and how many need attention. */
export async function refreshIntegrations(session) {
  const status = await session.request('GET', '/integrations');
  const rows = Object.entries(status).map(([provider, state]) =>
    element('div', {}, element('dt', {}, NAMES[provider] ?? provider), element('dd', {}, stateTag(state))),
  );
  byId('integration-status').replaceChildren(...rows);
}

function stateTag({ connected, needs_attention: attention }) {
  if (!connected) return tag('', 'Not connected');
  if (attention === 0) return tag('good', 'Connected');
  return tag('attention', `${attention} need${attention === 1 ? 's' : ''} attention`);
}

/** Deletion of the user. The server requires a recent sign-in; the message says so. */
export function userPanel(session) {
  const result = byId('account').querySelector('.result');
  const button = byId('delete-user');
  const remove = async () => {
    const question = {
      title: 'Delete your account?',
      text: 'All workspace and bank accounts are disconnected, and your key is deleted. This cannot be undone.',
      yes: 'Delete my account',
    };
    if (!(await confirmed(question))) return;
    try {
      await session.request('DELETE', '/user');
      session.signOut('Your account is deleted.');
    } catch (error) {
      if (error.code !== 'recent_login_required') throw error;
      session.signOut(`${error.message} Sign in again, then delete the account within five minutes.`);
    }
  };
  button.addEventListener('click', () => run(button, result, remove));
}
