import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { formatter } from '../page/page-format.js';
import { readableText, visibleText } from '../page/page-text.js';
import { markdown } from './markdown.js';
import { isRefused, isToolPart, ToolStep } from './tool-step.js';

const ENDS = {
  interrupted: [
    'attention',
    'Interrupted',
    'The service stopped during this answer. Nothing is repeated; a call that was under way may have run.',
  ],
  cancelled: ['', 'Stopped', 'What was said and done before remains.'],
  failed: ['bad', 'Failed', ''],
};

/** A message of a conversation, drawn again part by part while it grows. */
export class MessageView {
  #context;
  #parts = new Map();
  #body = element('div', { className: 'message-body' });
  #foot = element('footer', {});

  /** @param context of the conversation's steps */
  constructor(message, context) {
    this.#context = context;
    const who = message.role === 'user' ? 'You' : 'Assistant';
    this.node = element('article', { className: `chat-message ${message.role}`, 'aria-label': who }, this.#body, this.#foot);
    this.update(message);
  }

  /** @param isGrowing the answer is under way */
  update({ role, parts, metadata = {} }, isGrowing = false) {
    const nodes = parts.flatMap((part, index) => this.#part(part, index, parts, role) ?? []);
    const waits = isGrowing && !isAnswering(parts.at(-1));
    const all = waits ? [...nodes, thinking()] : nodes;
    // Only what is new is put in, so that the focus and the place that is read stay.
    for (const [index, node] of all.entries())
      if (this.#body.children[index] !== node) this.#body.insertBefore(node, this.#body.children[index] ?? null);
    while (this.#body.children.length > all.length) this.#body.lastElementChild.remove();
    this.#foot.replaceChildren(...(isGrowing || role === 'user' ? [] : footOf(metadata, parts)));
  }

  #part(part, index, parts, role) {
    if (isToolPart(part)) {
      const step = this.#kept(`tool ${part.toolCallId}`, () => new ToolStep(this.#context));
      step.update(part, parts.slice(0, index));
      return step.node;
    }
    if (part.type === 'text' && part.text !== '') {
      const text = this.#kept(`text ${index}`, () => new TextPart(role));
      text.update(part.text);
      return text.node;
    }
    if (part.type === 'reasoning' && part.text !== '') {
      const text = this.#kept(`reasoning ${index}`, () => new ReasoningPart());
      text.update(part.text);
      return text.node;
    }
    return undefined;
  }

  #kept(key, make) {
    const known = this.#parts.get(key) ?? make();
    this.#parts.set(key, known);
    return known;
  }
}

class TextPart {
  #isUser;
  #text;

  constructor(role) {
    this.#isUser = role === 'user';
    this.node = element('div', { className: 'said', dir: 'auto' });
  }

  update(text) {
    if (text === this.#text) return;
    this.#text = text;
    // What the user typed is shown as it was typed.
    this.node.replaceChildren(this.#isUser ? readableText(text) : markdown(text));
  }
}

class ReasoningPart {
  #text = element('div', { className: 'prose', dir: 'auto' });
  node = element('details', { className: 'reasoning' }, element('summary', {}, 'Reasoning'), this.#text);

  update(text) {
    this.#text.textContent = readableText(text);
  }
}

const isAnswering = (part) => part?.state === 'streaming' || part?.state === 'input-available';

function thinking() {
  return element('p', { className: 'thinking', 'aria-hidden': 'true' }, element('span'), element('span'), element('span'));
}

function footOf({ status, error, model, usage }, parts) {
  const tokens = usage === undefined ? '' : formatter.count((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0), 'token');
  const facts = [model, tokens].filter(Boolean).map((fact) => visibleText(String(fact)));
  return [
    ...endOf(status, error),
    ...gateOf(parts),
    ...(facts.length === 0 ? [] : [element('p', { className: 'message-facts' }, facts.join(' · '))]),
  ];
}

/** Why an answer ended early. @param error `{code, message}` */
function endOf(status, error) {
  const [kind, title, text] = ENDS[status] ?? [];
  if (title === undefined) return [];
  const code = error?.code === undefined ? [] : [' ', element('code', {}, visibleText(error.code))];
  return [element('p', { className: 'message-end' }, tag(kind, title), ' ', visibleText(error?.message ?? text), ...code)];
}

/** What Steward has refused and asks, in one line: the text above it is the model's. */
function gateOf(parts) {
  const refused = parts.filter(isRefused).length;
  const asked = parts.filter(({ state }) => state === 'approval-requested').length;
  const tags = [
    ...(refused > 0 ? [tag('bad', `Steward refused ${formatter.count(refused, 'call')}`)] : []),
    ...(asked > 0 ? [tag('attention', `Steward asks you about ${formatter.count(asked, 'call')}`)] : []),
  ];
  return tags.length === 0 ? [] : [element('p', { className: 'message-end badges' }, ...tags)];
}
