import { start as texts } from '../../language/en/chat.js';
import { button } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { regionState } from '../kit/states.js';
import { connectSource, connectWorkspace } from '../page/page-flow.js';
import { together } from '../page/page-store.js';
import { DEMONSTRATIONS } from './chat-demonstrations.js';

const SUGGESTIONS = [
  { text: texts.examples.sarah, provider: 'workspace' },
  { text: texts.examples.tuesday, provider: 'workspace' },
  { text: texts.examples.today, provider: 'workspace' },
  { text: texts.examples.groceries, provider: 'bank' },
  { text: texts.examples.money, provider: 'bank' },
];

/** What is shown in place of a conversation that has not begun. @param send sends a text */
export function startView(session, send) {
  const region = element('div', { className: 'chat-start' });
  const needed = together(session.models, session.accounts);
  regionState(region, needed, needed.current(), ([{ models }]) => content(session, send, models));
  return region;
}

function content(session, send, models) {
  if (models.length === 0) return [noModel()];
  const isStandIn = models.some(({ stand_in: standIn }) => standIn);
  return [
    element('p', { className: 'chat-welcome' }, texts.welcome),
    suggestions(session, send),
    ...(isStandIn && session.sandbox ? [attackCard(session, send)] : []),
  ];
}

/** Shown plainly, so that nobody takes its rules for a language model. */
export function standInNote() {
  const [name, about] = texts.standIn;
  return element(
    'p',
    { className: 'stand-in' },
    element('strong', {}, name),
    about,
    element('span', { className: 'how' }, texts.standInHow),
  );
}

/** Says why nothing can be written in a conversation. */
export function runNote() {
  const [what, rest] = texts.ofRun;
  return element('p', { className: 'stand-in' }, what, element('a', { href: '#automations' }, rest));
}

function noModel() {
  const [why, which, example] = texts.noModelHow;
  return element(
    'div',
    { className: 'card' },
    element('h3', {}, texts.noModel),
    element('p', {}, why, element('code', {}, 'MODELS'), which, element('code', {}, 'docs/assistant.md'), example),
    element('p', { className: 'muted' }, texts.noModelRest),
  );
}

function suggestions(session, send) {
  const { workspace = [], bank = [] } = session.accounts.value;
  const connected = { workspace: workspace.length > 0, bank: bank.length > 0 };
  const shown = SUGGESTIONS.filter(({ provider }) => connected[provider]);
  if (shown.length === 0) {
    const [connect, first] = texts.noAccount;
    const link = element('a', { href: '#accounts' }, connect);
    return element('p', { className: 'empty' }, link, first);
  }
  const buttons = shown.map(({ text }) => {
    const node = button(text, { className: 'suggestion' });
    node.addEventListener('click', () => send(text));
    return element('li', {}, node);
  });
  return element('ul', { className: 'suggestions', 'aria-label': texts.suggestions }, ...buttons);
}

/** The demonstration of what Steward is for: a model that obeys what it reads. */
function attackCard(session, send) {
  const { offered } = session.accounts.value;
  const possible = DEMONSTRATIONS.filter(({ source }) => source === undefined || offered.some(({ name }) => name === source));
  const buttons = possible.map((demonstration) => {
    const [title, about] = texts.attacks[demonstration.id];
    const node = element('button', { type: 'button', className: 'attack' }, element('strong', {}, title), element('span', {}, about));
    node.addEventListener('click', () => run(node, session.fail, () => demonstrate(session, send, demonstration)));
    return element('li', {}, node);
  });
  return element(
    'section',
    { className: 'card attack-card', 'aria-labelledby': 'attack-title' },
    element('h3', { id: 'attack-title' }, texts.attack),
    element('p', {}, texts.attackAbout),
    element('ul', { className: 'attacks' }, ...buttons),
  );
}

/** Sends a demonstration's text. The accounts of the sandbox that it needs are connected on the way, one after the other. */
export async function demonstrate(session, send, { id, text, source }) {
  const { workspace = [], sources = [] } = session.accounts.value ?? {};
  const goOn = { demonstration: id };
  if (workspace.length === 0) return connectWorkspace(session, session.user.email ?? 'demo@example.com', goOn);
  if (source !== undefined && !sources.some((one) => one.source === source)) return connectSource(session, source, { goOn });
  send(text);
}
