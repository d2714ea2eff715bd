import { checklist as texts } from '../../language/en/frame.js';
import { askForDemonstration, isDemonstration } from '../chat/chat-demonstrations.js';
import { button } from '../kit/button.js';
import { element, shownTitle } from '../kit/dom.js';

/** The first steps, until they are done or hidden. */
const STEPS = [
  { title: texts.steps.workspace, view: 'accounts', done: ({ accounts }) => accounts.value?.workspace.length > 0 },
  { title: texts.steps.bank, view: 'accounts', done: ({ accounts }) => accounts.value?.bank.length > 0 },
  { title: texts.steps.ask, view: 'chat', done: ({ threads }) => threads.value?.length > 0 },
  {
    title: texts.steps.attack,
    view: 'chat',
    demonstration: 'mail',
    isOffered: ({ sandbox, models }) => sandbox && models.value.models.some(({ stand_in: standIn }) => standIn),
    done: ({ threads }) => threads.value?.some(isDemonstration),
  },
  { title: texts.steps.action, view: 'actions', done: ({ audit }) => audit.value?.entries.some(isRun) },
  { title: texts.steps.app, view: 'apps', done: ({ clients }) => clients.value?.length > 0 },
];
const STORES = ['accounts', 'threads', 'audit', 'clients', 'models'];

/** A call that has run, and not a setting. */
function isRun({ decision, outcome }) {
  return outcome === 'ok' && (decision === 'allowed' || decision === 'allowance_used');
}

/** Shows the checklist of the first steps, which ticks itself. */
export function showChecklist(place, session) {
  const key = `steward.checklist.${session.user.key}`;
  const render = () => {
    // Nothing is shown before it is known what is done.
    const known = STORES.every((name) => session[name].value !== undefined);
    const steps = known ? STEPS.filter(({ isOffered }) => isOffered?.(session) !== false) : [];
    const done = steps.map((step) => step.done(session) === true);
    if (!known || localStorage.getItem(key) === 'hidden' || done.every(Boolean)) place.replaceChildren();
    else place.replaceChildren(checklist(session, steps, done, hide));
  };
  const hide = () => {
    localStorage.setItem(key, 'hidden');
    render();
    shownTitle()?.focus();
  };
  session.showChecklist = () => {
    localStorage.removeItem(key);
    render();
  };
  for (const name of STORES) session[name].watch(render);
}

function checklist(session, steps, done, hide) {
  const close = button(texts.hide, { name: texts.name, className: 'small quiet' });
  close.addEventListener('click', hide);
  const count = texts.count(done.filter(Boolean).length, done.length);
  return element(
    'section',
    { className: 'checklist', 'aria-labelledby': 'checklist-title' },
    element('h2', { id: 'checklist-title' }, texts.title, element('span', { className: 'muted' }, count)),
    close,
    element('ol', {}, ...steps.map((step, index) => item(session, step, done[index]))),
  );
}

function item(session, { title, view, demonstration }, isDone) {
  const link = element('a', { href: `#${view}` }, title);
  link.addEventListener('click', (event) => {
    if (demonstration === undefined || isDone) return;
    // Where the conversations are shown already, the link alone would change nothing.
    event.preventDefault();
    askForDemonstration(demonstration);
    session.go(view);
  });
  return element(
    'li',
    { className: isDone ? 'ticked' : '' },
    link,
    isDone ? element('span', { className: 'unseen' }, texts.done) : undefined,
  );
}
