import { StewardClient } from '../../client/steward-client.js';
import { AgentsPanel } from './page-agents.js';
import { AllowancesPanel } from './page-allowances.js';
import { ApprovalsPanel, EventsPanel } from './page-approvals.js';
import { BankPanel } from './page-bank.js';
import { ClientsPanel } from './page-clients.js';
import { ConnectPanel } from './page-connect.js';
import { byId, onSubmit, run, show, showError } from './page-dom.js';
import { call } from './page-request.js';
import { openPanels, refreshIntegrations, userPanel } from './page-service.js';
import { Session } from './page-session.js';
import { ServerWatch, showConnection } from './page-status.js';
import { TokensPanel } from './page-tokens.js';
import { showFlowResult, WorkspacePanel } from './page-workspace.js';

const session = new Session();
const watch = new ServerWatch();
const workspace = new WorkspacePanel(session, refresh);
const bank = new BankPanel(session, refresh);
// This page cannot renew an ID token, so a rejected one ends the session.
const client = new StewardClient({ url: location.origin, token: (why) => (why === 'refused' ? undefined : session.token) });
const agents = new AgentsPanel(client);
const approvals = new ApprovalsPanel(client);
const events = new EventsPanel(client);
const allowances = new AllowancesPanel(session);
const clients = new ClientsPanel(session);
const connect = new ConnectPanel(session);
const tokens = new TokensPanel(session);

/** Reloads all data of the signed-in user. */
async function refresh() {
  const panels = [workspace, bank, agents, approvals, allowances, clients];
  const parts = [...panels.map((panel) => panel.refresh()), refreshIntegrations(session)];
  const results = await Promise.allSettled(parts);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed !== undefined) showError(byId('page-result'), failed.reason);
}

function signInForms() {
  const result = byId('sign-in-result');
  const signInAs = async (user) => {
    const { id_token: token } = await call('POST', '/sandbox/identity/token', { form: { user } });
    await session.signIn(token);
  };
  for (const button of document.querySelectorAll('[data-user]')) {
    button.addEventListener('click', () => run(button, result, () => signInAs(button.dataset.user)));
  }
  onSubmit(byId('user-form'), result, ({ user }) => signInAs(user));
  onSubmit(byId('token-form'), result, ({ token }) => session.signIn(token.trim()));
}

/** Offers the sandbox's users only if the sandbox runs. */
async function offerSandbox() {
  const response = await fetch('/sandbox/identity/.well-known/openid-configuration').catch(() => undefined);
  byId('sandbox-sign-in').hidden = response?.ok !== true;
}

function showSession({ detail: { reason } }) {
  const { token } = session;
  const signedIn = token !== undefined;
  for (const id of ['signed-in', 'account', 'integration-status']) byId(id).hidden = !signedIn;
  byId('sign-in').hidden = signedIn;
  for (const panel of [workspace, bank, agents, approvals, events, allowances, clients, connect, tokens]) panel.clear();
  for (const id of ['account', 'sign-in']) byId(id).querySelector('.result').replaceChildren();
  if (signedIn) greet();
  else client.close();
  if (reason === undefined) return;
  byId('page-result').replaceChildren();
  show(byId('sign-in-result'), 'warning', reason);
  byId('sign-in-title').focus();
}

function greet() {
  const { label, exp } = session.claims;
  byId('who').textContent = label;
  byId('who-initial').textContent = label.charAt(0).toUpperCase();
  byId('who-expiry').textContent = exp === undefined ? '' : `until ${new Date(exp * 1000).toLocaleTimeString()}`;
  refresh();
}

session.addEventListener('change', showSession);
client.addEventListener('event', refresh);
client.addEventListener('state', () => watch.poll());
showConnection(client);
byId('sign-out').addEventListener('click', () => session.signOut('You are signed out.'));
signInForms();
openPanels();
userPanel(session);
showFlowResult(byId('page-result'));
session.restore();
watch.poll();
offerSandbox();
