import { checklist as texts } from '../../language/en/frame.js';
import { askForDemonstration, isDemonstration } from '../chat/chat-demonstrations.js';
import { button } from '../kit/button.js';
import { element, shownTitle } from '../kit/dom.js';

/**
 * The first steps, until they are done or hidden. What only shows for a while that the user has done one is remembered
 * (`once`); what the assistant or an app does is none of the user's.
 */
const STEPS = [
  { id: 'workspace', view: 'accounts', done: ({ accounts }) => accounts.value.workspace.length > 0 },
  { id: 'bank', view: 'accounts', done: ({ accounts }) => accounts.value.bank.length > 0 },
  { id: 'ask', view: 'chat', once: true, done: ({ threads }) => threads.value.some((thread) => !isDemonstration(thread)) },
  {
    id: 'attack',
    view: 'chat',
    once: true,
    demonstration: 'mail',
    isOffered: ({ sandbox, models }) => sandbox && models.value.models.some(({ stand_in: standIn }) => standIn),
    done: ({ threads }) => threads.value.some(isDemonstration),
  },
  { id: 'action', view: 'actions', once: true, done: ({ audit }) => audit.value.entries.some(isOwnRun) },
  { id: 'app', view: 'apps', done: ({ clients }) => clients.value.length > 0 },
];
const STORES = ['accounts', 'threads', 'audit', 'clients', 'models'];
const RUNS = new Set(['allowed', 'allowance_used', 'approved', 'edited']);

/** A call that has run, and not a setting; the user's, and not the assistant's or an app's. */
function isOwnRun({ decision, outcome, surface, client_id: clientId }) {
  return outcome === 'ok' && RUNS.has(decision) && surface !== 'assistant' && clientId === null;
}

/** Shows the checklist of the first steps, which ticks itself. */
export function showChecklist(place, session) {
  const key = `steward.checklist.${session.user.key}`;
  const render = () => {
    // Nothing is shown before it is known what is done.
    const isKnown = STORES.every((name) => session[name].value !== undefined);
    const steps = isKnown ? STEPS.filter(({ isOffered }) => isOffered?.(session) !== false) : [];
    const kept = read(key);
    const done = steps.filter((step) => kept.done.includes(step.id) || step.done(session));
    const once = done.filter((step) => step.once).map(({ id }) => id);
    if (once.length > kept.done.length) keep(key, { ...kept, done: once });
    if (kept.isHidden || done.length === steps.length) place.replaceChildren();
    else place.replaceChildren(checklist(session, steps, done, hide));
  };
  const setHidden = (isHidden) => {
    keep(key, { ...read(key), isHidden });
    render();
  };
  const hide = () => {
    setHidden(true);
    shownTitle()?.focus();
  };
  session.showChecklist = () => setHidden(false);
  for (const name of STORES) session[name].watch(render);
}

function read(key) {
  const nothing = { isHidden: false, done: [] };
  try {
    return { ...nothing, ...JSON.parse(localStorage.getItem(key)) };
  } catch {
    return nothing;
  }
}

function keep(key, state) {
  localStorage.setItem(key, JSON.stringify(state));
}

function checklist(session, steps, done, hide) {
  const close = button(texts.hide, { name: texts.name, className: 'small quiet' });
  close.addEventListener('click', hide);
  const count = texts.count(done.length, steps.length);
  const next = steps.find((step) => !done.includes(step));
  return element(
    'section',
    { className: 'checklist', 'aria-labelledby': 'checklist-title' },
    element('h2', { id: 'checklist-title' }, texts.title, element('span', { className: 'muted' }, count)),
    close,
    element('ol', {}, ...steps.map((step) => item(session, step, { isDone: done.includes(step), isNext: step === next }))),
  );
}

/** The next one says what it is for. */
function item(session, { id, view, demonstration }, { isDone, isNext }) {
  const link = element('a', { href: `#${view}` }, texts.steps[id]);
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
    element('div', {}, link, isNext ? element('p', { className: 'muted' }, texts.about[id]) : undefined),
    isDone ? element('span', { className: 'unseen' }, texts.done) : undefined,
  );
}
