import { button } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { regionState } from '../kit/states.js';
import { connectWorkspace } from '../page/page-flow.js';
import { together } from '../page/page-store.js';
import { DEMONSTRATIONS } from './chat-demonstrations.js';

const SUGGESTIONS = [
  { text: 'Find the newest mail from Sarah', provider: 'workspace' },
  { text: 'Am I free on Tuesday at ten?', provider: 'workspace' },
  { text: 'What is on my calendar today?', provider: 'workspace' },
  { text: 'What did I spend on groceries?', provider: 'bank' },
  { text: 'How much money is in my accounts?', provider: 'bank' },
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
    element(
      'p',
      { className: 'chat-welcome' },
      'Ask in your own words. The assistant uses your accounts, and asks before it sends, shares or deletes.',
    ),
    suggestions(session, send),
    ...(isStandIn && session.sandbox ? [attackCard(session, send)] : []),
  ];
}

/** Shown plainly, so that nobody takes its rules for a language model. */
export function standInNote() {
  return element(
    'p',
    { className: 'stand-in' },
    element('strong', {}, 'This is a stand-in'),
    ', not a language model: it follows simple rules and understands some sentences. ',
    element('span', { className: 'how' }, 'docs/assistant.md says how to use Ollama or a hosted model.'),
  );
}

function noModel() {
  return element(
    'div',
    { className: 'card' },
    element('h3', {}, 'No model is configured'),
    element(
      'p',
      {},
      'The assistant needs a language model. Set ',
      element('code', {}, 'MODELS'),
      ' to one that runs on your machine, such as Ollama, or to a hosted one. ',
      element('code', {}, 'docs/assistant.md'),
      ' shows both, with an example that can be copied.',
    ),
    element('p', { className: 'muted' }, 'Everything else on this page works without one.'),
  );
}

function suggestions(session, send) {
  const { workspace = [], bank = [] } = session.accounts.value;
  const connected = { workspace: workspace.length > 0, bank: bank.length > 0 };
  const shown = SUGGESTIONS.filter(({ provider }) => connected[provider]);
  if (shown.length === 0) {
    const link = element('a', { href: '#accounts' }, 'Connect an account');
    return element('p', { className: 'empty' }, link, ' first. Until then, the assistant has nothing to work with.');
  }
  const buttons = shown.map(({ text }) => {
    const node = button(text, { className: 'suggestion' });
    node.addEventListener('click', () => send(text));
    return element('li', {}, node);
  });
  return element('ul', { className: 'suggestions', 'aria-label': 'Suggestions' }, ...buttons);
}

/** The demonstration of what Steward is for: a model that obeys what it reads. */
function attackCard(session, send) {
  const buttons = DEMONSTRATIONS.map((demonstration) => {
    const { title, about } = demonstration;
    const node = element('button', { type: 'button', className: 'attack' }, element('strong', {}, title), element('span', {}, about));
    node.addEventListener('click', () => run(node, session.fail, () => demonstrate(session, send, demonstration)));
    return element('li', {}, node);
  });
  return element(
    'section',
    { className: 'card attack-card', 'aria-labelledby': 'attack-title' },
    element('h3', { id: 'attack-title' }, 'See an attack fail'),
    element(
      'p',
      {},
      'The sandbox contains three texts by strangers with orders to the assistant. The stand-in is told to be gullible, and obeys them all. Watch what it tries, and what Steward asks you about or refuses.',
    ),
    element('ul', { className: 'attacks' }, ...buttons),
  );
}

/** Sends a demonstration's text. The account of the sandbox that it needs is connected on the way. */
export async function demonstrate(session, send, { id, text }) {
  if ((session.accounts.value?.workspace ?? []).length > 0) {
    send(text);
    return;
  }
  await connectWorkspace(session, session.user.email ?? 'demo@example.com', { demonstration: id });
}
