import { BankPanel } from './page-bank.js';
import { byId, onSubmit, run, show, showError } from './page-dom.js';
import { call } from './page-request.js';
import { openPanels, refreshIntegrations, userPanel } from './page-service.js';
import { Session } from './page-session.js';
import { LiveConnection, ServerWatch } from './page-status.js';
import { showFlowOutcome, WorkspacePanel } from './page-workspace.js';

const session = new Session();
const watch = new ServerWatch();
const workspace = new WorkspacePanel(session, refresh);
const bank = new BankPanel(session, refresh);
const live = new LiveConnection({ onEvent: refresh, onChange: () => watch.poll() });

/** Reads everything of the signed-in user again. */
async function refresh() {
  const results = await Promise.allSettled([workspace.refresh(), bank.refresh(), refreshIntegrations(session)]);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed !== undefined) showError(byId('page-outcome'), failed.reason);
}

function signInForms() {
  const outcome = byId('sign-in-outcome');
  const signInAs = async (user) => {
    const { id_token: token } = await call('POST', '/sandbox/identity/token', { form: { user } });
    await session.signIn(token);
  };
  for (const button of document.querySelectorAll('[data-user]')) {
    button.addEventListener('click', () => run(button, outcome, () => signInAs(button.dataset.user)));
  }
  onSubmit(byId('user-form'), outcome, ({ user }) => signInAs(user));
  onSubmit(byId('token-form'), outcome, ({ token }) => session.signIn(token.trim()));
}

/** The sandbox's users are offered only where there is a sandbox. */
async function offerSandbox() {
  const response = await fetch('/sandbox/identity/.well-known/openid-configuration').catch(() => undefined);
  byId('sandbox-sign-in').hidden = response?.ok !== true;
}

function showSession({ detail: { reason } }) {
  const { token } = session;
  const signedIn = token !== undefined;
  for (const id of ['signed-in', 'account', 'integration-status']) byId(id).hidden = !signedIn;
  byId('sign-in').hidden = signedIn;
  workspace.clear();
  bank.clear();
  for (const id of ['account', 'sign-in']) byId(id).querySelector('.outcome').replaceChildren();
  if (signedIn) greet(token);
  else live.close();
  if (reason === undefined) return;
  byId('page-outcome').replaceChildren();
  show(byId('sign-in-outcome'), 'warning', reason);
  byId('sign-in-title').focus();
}

function greet(token) {
  const { label, exp } = session.claims;
  byId('who').textContent = label;
  byId('who-initial').textContent = label.charAt(0).toUpperCase();
  byId('who-expiry').textContent = exp === undefined ? '' : `until ${new Date(exp * 1000).toLocaleTimeString()}`;
  live.open(token);
  refresh();
}

session.addEventListener('change', showSession);
byId('sign-out').addEventListener('click', () => session.signOut('You are signed out.'));
signInForms();
openPanels();
userPanel(session);
showFlowOutcome(byId('page-outcome'));
session.restore();
watch.poll();
offerSandbox();
