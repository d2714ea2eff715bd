import { frame } from '../language/en/frame.js';
import { askForDemonstration } from './chat/chat-demonstrations.js';
import { byId } from './kit/dom.js';
import { show } from './kit/feedback.js';
import { sayLoading } from './kit/states.js';
import { clearBadges, showBadge } from './page/page-badges.js';
import { showChecklist } from './page/page-checklist.js';
import { Server, showConnection } from './page/page-connection.js';
import { reloadAtExpiry } from './page/page-expiry.js';
import { takeFlow } from './page/page-flow.js';
import { showFlowResult } from './page/page-flow-result.js';
import { formatter } from './page/page-format.js';
import { Router } from './page/page-router.js';
import { Session } from './page/page-session.js';
import { hasSandbox, SignIn, signInForms } from './page/page-sign-in.js';
import { clearToasts } from './page/page-toasts.js';
import { VIEWS } from './views.js';

const signIn = new SignIn();
const router = new Router(VIEWS);
const server = new Server();
const sandbox = hasSandbox();
const isConnected = showFlowResult();
let session;

async function changed({ detail: { reason } }) {
  session?.close();
  session = undefined;
  router.close();
  clearBadges();
  const { token } = signIn;
  const signedIn = token !== undefined;
  for (const id of ['user', 'nav', 'menu']) byId(id).hidden = !signedIn;
  byId('sign-in').hidden = signedIn;
  byId('checklist-place').replaceChildren();
  document.body.dataset.layout = 'page';
  if (!signedIn) {
    document.title = 'Sign in · Steward';
    showConnection(undefined);
  }
  if (reason !== undefined) {
    clearToasts();
    show(byId('sign-in-result'), 'warning', reason);
    byId('sign-in-title').focus();
  }
  if (!signedIn) return;
  const isSandbox = await sandbox;
  // The user may have signed out meanwhile.
  if (token === signIn.token) begin(isSandbox);
}

function begin(isSandbox) {
  session = new Session(signIn, { sandbox: isSandbox, server });
  const { label, exp } = session.user;
  byId('who').textContent = label;
  byId('who-initial').textContent = label.charAt(0).toUpperCase();
  byId('who-expiry').textContent = exp === undefined ? '' : `signed in until ${formatter.time(new Date(exp * 1000).toISOString())}`;
  showConnection(session.link);
  session.client.addEventListener('state', () => server.poll());
  session.approvals.watch(({ length }) => {
    showBadge('approvals', length, frame.pending);
    router.count(length);
  });
  session.accounts.watch(({ workspace, bank }) => {
    const { length } = [...workspace, ...bank].filter(({ status }) => status !== 'active');
    showBadge('accounts', length, frame.needAttention(length));
  });
  reloadAtExpiry(session);
  showChecklist(byId('checklist-place'), session);
  resume();
  router.open(session, 'accounts');
  session.open();
}

/** Goes on where the user was before the provider's page. Without its result, the user has come back another way. */
function resume() {
  const kept = takeFlow(session);
  if (kept === undefined || isConnected === undefined) return;
  history.replaceState(null, '', `#${kept.address}`);
  if (isConnected) askForDemonstration(kept.goOn?.demonstration);
}

/** The menu of narrow pages. */
function menu() {
  const button = byId('menu');
  const set = (open) => {
    button.setAttribute('aria-expanded', String(open));
    byId('nav').classList.toggle('open', open);
  };
  button.addEventListener('click', () => set(button.getAttribute('aria-expanded') !== 'true'));
  byId('nav').addEventListener('click', ({ target }) => target.closest('a') !== null && set(false));
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || button.getAttribute('aria-expanded') !== 'true') return;
    set(false);
    button.focus();
  });
}

signIn.addEventListener('change', changed);
byId('sign-out').addEventListener('click', () => signIn.signOut('You are signed out.'));
byId('skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('content').focus();
});
// Back from the provider's page, to this page as it was.
addEventListener('pageshow', ({ persisted }) => persisted && session !== undefined && takeFlow(session));
signInForms(signIn);
menu();
sayLoading(byId('views'), byId('loading'));
signIn.restore();
sandbox.then((runs) => {
  byId('sandbox-sign-in').hidden = !runs;
});
