import { frame } from '../language/en/frame.js';
import { watchAccess } from './accounts/account-access.js';
import { askForDemonstration } from './chat/chat-demonstrations.js';
import { button } from './kit/button.js';
import { byId, element } from './kit/dom.js';
import { onEscape } from './kit/escape.js';
import { run, show, showError } from './kit/feedback.js';
import { notLoaded, sayLoading, skeleton } from './kit/states.js';
import { allAccounts, needsAttention } from './page/page-accounts.js';
import { clearBadges, showBadge } from './page/page-badges.js';
import { showChecklist } from './page/page-checklist.js';
import { Server, showConnection } from './page/page-connection.js';
import { focusAccount } from './page/page-entry.js';
import { reloadAtExpiry } from './page/page-expiry.js';
import { isLedHere, takeFlow } from './page/page-flow.js';
import { takeFlowResult } from './page/page-flow-result.js';
import { formatter } from './page/page-format.js';
import { Router } from './page/page-router.js';
import { Session } from './page/page-session.js';
import { SignIn } from './page/page-sign-in.js';
import { signInWays, takeReturn } from './page/page-sign-in-ways.js';
import { clearToasts } from './page/page-toasts.js';
import { VIEWS } from './views.js';

const signIn = new SignIn();
const router = new Router(VIEWS);
const server = new Server();
/** Of the provider's page, until it is said. */
let flowResult = takeFlowResult();
/** From a page of sign-in, or another one of this service: what had the focus is there. */
let isBack = isLedHere();
let session;

function changed({ detail: { reason } }) {
  const isAnother = session !== undefined && signIn.session !== undefined;
  session?.close();
  session = undefined;
  router.close();
  clearBadges();
  if (reason !== undefined) clearToasts();
  const signedIn = signIn.session !== undefined;
  const hasSignedIn = signedIn && (!byId('sign-in').hidden || isBack);
  isBack = false;
  for (const id of ['user', 'nav', 'menu']) byId(id).hidden = !signedIn;
  byId('sign-in').hidden = signedIn;
  for (const id of ['who', 'who-initial', 'who-expiry', 'checklist-place', 'ending']) byId(id).replaceChildren();
  document.body.dataset.layout = 'page';
  // An address of the user before is none of the next one's.
  if (isAnother) history.replaceState(null, '', location.pathname + location.search);
  if (signedIn) begin(hasSignedIn);
  else showSignIn(reason);
  // Once the page is there: who doesn't see it hears what is said then.
  flowResult?.say();
  flowResult = undefined;
  if (isAnother) session.notify('warning', reason);
}

function showSignIn(reason) {
  const result = byId('sign-in-result');
  document.title = `${frame.signInTitle} · Steward`;
  showConnection(undefined);
  byId('sign-in-ways').replaceChildren(...signInWays(signIn, (error) => showError(result, error)));
  result.replaceChildren();
  if (reason === undefined) return;
  show(result, 'warning', reason);
  byId('sign-in-title').focus();
}

/** @param hasSignedIn the view takes the focus: what had it is gone, or is on another page */
function begin(hasSignedIn) {
  session = new Session(signIn, { server });
  const { label } = session.user;
  byId('who').textContent = label;
  byId('who-initial').textContent = label.charAt(0).toUpperCase();
  showExpiry();
  showConnection(session.link);
  session.client.addEventListener('state', () => server.poll());
  session.approvals.watch(({ length }) => {
    showBadge('approvals', length, frame.pending);
    router.count(length);
  });
  session.accounts.watch((value) => {
    const { length } = allAccounts(value).filter(needsAttention);
    showBadge('accounts', length, frame.needAttention(length));
  });
  watchAccess(session);
  reloadAtExpiry(session);
  showChecklist(byId('checklist-place'), session);
  resume();
  router.open(session, { home: 'accounts', focus: hasSignedIn || flowResult !== undefined });
  session.open();
  if (flowResult?.isConnected) focusAccount(session, flowResult.accountId);
}

function showExpiry() {
  byId('who-expiry').textContent = frame.until(formatter.time(signIn.session.expires_at));
  byId('ending').replaceChildren();
}

/** Some minutes before the session ends. */
function showEnding() {
  const stay = button(frame.staySignedIn, { className: 'small' });
  stay.addEventListener('click', () => run(stay, session.fail, () => signIn.again('ending')));
  byId('ending').replaceChildren(element('p', {}, frame.ending(formatter.time(signIn.session.expires_at)), ' ', stay));
}

/** Goes on where the user was before the provider's page. Without its result, the user has come back another way. */
function resume() {
  const kept = takeFlow(session);
  if (kept === undefined || flowResult === undefined) return;
  history.replaceState(null, '', `#${kept.address}`);
  if (flowResult.isConnected) askForDemonstration(kept.goOn?.demonstration);
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
  onEscape(document, () => {
    if (button.getAttribute('aria-expanded') !== 'true') return false;
    set(false);
    button.focus();
    return true;
  });
}

signIn.addEventListener('change', changed);
signIn.addEventListener('renewed', showExpiry);
signIn.addEventListener('ending', showEnding);
byId('sign-out').addEventListener('click', ({ currentTarget }) => run(currentTarget, session.fail, () => session.signOut(frame.signedOut)));
byId('skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('content').focus();
});
// Back from the provider's page, to this page as it was.
addEventListener('pageshow', ({ persisted }) => persisted && session !== undefined && takeFlow(session));
menu();
sayLoading(byId('views'), byId('loading'));
open();

async function open() {
  const hash = takeReturn();
  if (hash !== undefined) isBack = true;
  // It is not known yet who is signed in; the router replaces it.
  if (byId('sign-in').hidden) byId('views').replaceChildren(element('div', { 'aria-busy': 'true' }, ...skeleton()));
  if (location.hash === '' && hash) history.replaceState(null, '', hash);
  try {
    await signIn.begin();
  } catch {
    byId('views').replaceChildren();
    byId('sign-in').hidden = false;
    byId('sign-in-ways').replaceChildren(notLoaded({ refresh: open }));
  }
}
