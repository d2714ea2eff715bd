import { answerEnds, chat, conversation as texts } from '../../language/en/chat.js';
import { counts } from '../../language/en/counts.js';
import { button } from '../kit/button.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { formatter } from '../page/page-format.js';
import { readableText, visibleText } from '../page/page-text.js';
import { markdown } from './markdown.js';
import { isRefused, isToolPart, ToolStep } from './tool-step.js';

const END_TONES = { interrupted: 'attention', cancelled: '', failed: 'bad' };
/** Answers after which the same message may be sent again. */
const RETRIED = new Set(['failed', 'interrupted']);
/** Failures that a user can do nothing about but try again: what the service says of them is for its operator. */
const OF_MODEL = new Set(['provider_error', 'provider_timeout', 'unavailable', 'internal']);

/** A message of a conversation, drawn again part by part while it grows. */
export class MessageView {
  #context;
  #parts = new Map();
  #body = element('div', { className: 'message-body' });
  #foot = element('footer', {});
  #footText;

  /** @param context of the conversation's steps */
  constructor(message, context) {
    this.#context = context;
    const who = message.role === 'user' ? texts.you : texts.assistant;
    this.node = element('article', { className: `chat-message ${message.role}`, 'aria-label': who }, this.#body, this.#foot);
    this.update(message);
  }

  /** @param isGrowing the answer is under way @param isLast it is the conversation's last message */
  update({ role, parts, metadata = {} }, { isGrowing = false, isLast = false } = {}) {
    const canRepeat = isLast && !isGrowing;
    const nodes = parts.flatMap((part, index) => this.#part(part, index, { parts, role, canRepeat }) ?? []);
    const waits = isGrowing && !isAnswering(parts.at(-1));
    const all = waits ? [...nodes, thinking()] : nodes;
    // Only what is new is put in, so that the focus and the place that is read stay.
    for (const [index, node] of all.entries())
      if (this.#body.children[index] !== node) this.#body.insertBefore(node, this.#body.children[index] ?? null);
    while (this.#body.children.length > all.length) this.#body.lastElementChild.remove();
    if (isGrowing || role === 'user') this.#showFoot();
    else this.#showFoot(metadata, gateOf(parts, this.#context), isLast);
  }

  /** Drawn when it is another one, so that the focus stays. */
  #showFoot(metadata, gate, isLast) {
    const text = JSON.stringify([metadata, gate, isLast]);
    if (text === this.#footText) return;
    this.#footText = text;
    const retry = isLast && RETRIED.has(metadata?.status) ? this.#context.retry : undefined;
    this.#foot.replaceChildren(...(metadata === undefined ? [] : footOf(metadata, gate, retry)));
  }

  #part(part, index, { parts, role, canRepeat }) {
    if (isToolPart(part)) {
      const step = this.#kept(`tool ${part.toolCallId}`, () => new ToolStep(this.#context));
      step.update(part, parts.slice(0, index), canRepeat);
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
  node = element('details', { className: 'reasoning' }, element('summary', {}, texts.reasoning), this.#text);

  update(text) {
    this.#text.textContent = readableText(text);
  }
}

const isAnswering = (part) => part?.state === 'streaming' || part?.state === 'input-available';

function thinking() {
  return element('p', { className: 'thinking', 'aria-hidden': 'true' }, element('span'), element('span'), element('span'));
}

function footOf({ status, error, model, usage }, gate, retry) {
  const tokens = usage === undefined ? '' : counts.tokens((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0), formatter);
  const facts = [model, tokens].filter(Boolean).map((fact) => visibleText(String(fact)));
  return [
    ...endOf(status, error, retry),
    ...gateTags(gate),
    ...(facts.length === 0 ? [] : [element('p', { className: 'message-facts' }, facts.join(' · '))]),
  ];
}

/** Why an answer ended early. @param error `{code, message}` @param retry asks again */
function endOf(status, error, retry) {
  const end = answerEnds[status];
  if (end === undefined) return [];
  const isOfModel = error === undefined || OF_MODEL.has(error.code);
  const said = [tag(END_TONES[status], end.mark), ' ', visibleText(isOfModel ? end.text : error.message)];
  return [element('div', { className: 'message-end' }, ...said, ' ', retryButton(retry), isOfModel ? detailsOf(error) : undefined)];
}

function retryButton(retry) {
  if (retry === undefined) return undefined;
  const node = button(chat.tryAgain, { className: 'small' });
  node.addEventListener('click', retry);
  return node;
}

/** What the service says, for who runs it. */
function detailsOf(error) {
  if (error === undefined) return undefined;
  const code = element('code', {}, visibleText(error.code));
  return element('details', {}, element('summary', {}, chat.details), element('p', {}, visibleText(error.message ?? ''), ' ', code));
}

/** What Steward has refused, and what it still asks: the text above it is the model's. */
function gateOf(parts, { session }) {
  const open = new Set((session.approvals.value ?? []).map(({ approvalId }) => approvalId));
  const asked = parts.filter(
    ({ state, approval }) => state === 'approval-requested' && open.has(approval.descriptor?.approvalId ?? approval.id),
  );
  return { refused: parts.filter(isRefused).length, asked: asked.length };
}

function gateTags({ refused, asked }) {
  const tags = [
    ...(refused > 0 ? [tag('bad', chat.refused(counts.calls(refused, formatter)))] : []),
    ...(asked > 0 ? [tag('attention', chat.asked(counts.calls(asked, formatter)))] : []),
  ];
  return tags.length === 0 ? [] : [element('p', { className: 'message-end badges' }, ...tags)];
}
