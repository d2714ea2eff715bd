import { chat, conversation as texts } from '../../language/en/chat.js';
import { gone } from '../../language/en/frame.js';
import { button } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { notLoaded, skeleton } from '../kit/states.js';
import { startView } from './chat-start.js';
import { MessageView } from './message-view.js';
import { neededAccounts } from './needed-accounts.js';

/** Pixels from the end at which the reader still follows. */
const NEAR = 120;
/** Pixels above a question or refusal: the end of what led to it. */
const GATE_ABOVE = 52;

/** The messages of the conversation that is shown, or what stands in their place; the reader at the end follows them. */
export class ChatLog {
  #session;
  #on;
  #conversation;
  /** What is drawn again, by its key. */
  #views = new Map();
  node = element('div', { className: 'chat-log', tabIndex: 0, role: 'region', 'aria-label': texts.messages });

  /** @param on `send(text)`, `retry(conversation)` and `load(conversation)` */
  constructor(session, on) {
    this.#session = session;
    this.#on = on;
    // Where the page's messages may be without covering a button.
    const measure = () => document.documentElement.style.setProperty('--log-top', `${this.node.getBoundingClientRect().top}px`);
    new ResizeObserver(() => this.node.checkVisibility() && measure()).observe(this.node);
  }

  /** Begins with another conversation. */
  clear() {
    this.#views.clear();
    this.node.replaceChildren();
  }

  /** @param isFollowing the reader was at the end before anything on the page has changed */
  render(conversation, isFollowing) {
    const held = this.node.contains(document.activeElement);
    this.#draw(conversation, isFollowing);
    // What had the focus is gone, such as the suggestion that began the conversation.
    if (held && !this.node.contains(document.activeElement)) this.node.focus();
  }

  #draw(conversation, isFollowing) {
    const { messages, isReading, problem, waiting } = conversation;
    this.#conversation = conversation;
    if (messages.length === 0 || problem !== undefined) {
      this.#views.clear();
      this.node.replaceChildren(this.#withoutMessages());
      return;
    }
    const nodes = messages.map((message, index) => this.#messageNode(message, { isLast: index === messages.length - 1, isReading }));
    if (waiting !== undefined) nodes.push(this.#offline());
    else if (isReading && messages.at(-1).role === 'user') nodes.push(this.#waiting());
    this.#place([...nodes, ...this.#needed()]);
    if (isFollowing) this.toEnd();
  }

  get isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.node;
    return scrollHeight - scrollTop - clientHeight < NEAR;
  }

  toEnd() {
    this.node.scrollTop = this.node.scrollHeight;
  }

  /** Scrolls to the first question or refusal of the last answer: the text below it is long. */
  showGate() {
    const gate = this.node.querySelector('.chat-message:last-child :is(.approval-card, .refusal)');
    if (gate !== null) this.node.scrollTop += gate.getBoundingClientRect().top - this.node.getBoundingClientRect().top - GATE_ABOVE;
  }

  #withoutMessages() {
    const { isLoaded, problem } = this.#conversation;
    if (problem === 'gone')
      return element('p', { className: 'empty' }, gone.conversation.text, ' ', element('a', { href: '#chat' }, gone.conversation.way));
    if (problem === 'failed') return notLoaded({ refresh: () => this.#on.load(this.#conversation) });
    if (isLoaded) return startView(this.#session, this.#on.send);
    return element('div', { 'aria-busy': 'true' }, ...skeleton());
  }

  #messageNode(message, { isLast, isReading }) {
    const view = this.#kept(message.id, () => new MessageView(message, this.#context()));
    view.update(message, { isGrowing: isReading && isLast && message.role === 'assistant', isLast });
    return view.node;
  }

  #context() {
    const conversation = this.#conversation;
    const actionOf = (tool) =>
      (this.#session.agents.value ?? []).flatMap(({ actions }) => actions).find((action) => action.tool === tool || action.name === tool)
        ?.name ?? tool;
    const retry = conversation.isOfRun ? undefined : () => this.#on.retry(conversation);
    return { session: this.#session, conversation, actionOf, retry };
  }

  /** Below a message that waits for the connection. */
  #offline() {
    return this.#kept('offline', () => {
      const cancel = button(chat.cancel, { name: 'message', className: 'small' });
      const conversation = this.#conversation;
      cancel.addEventListener('click', () => conversation.cancel());
      return { node: element('p', { className: 'message-waits', role: 'status' }, chat.waiting, ' ', cancel) };
    }).node;
  }

  /** What to connect or permit, if the answer needed it. */
  #needed() {
    return neededAccounts(this.#session, this.#conversation).map(({ key, make }) => this.#kept(key, () => ({ node: make() })).node);
  }

  #waiting() {
    const nothing = { role: 'assistant', parts: [] };
    const view = this.#kept('waiting', () => new MessageView(nothing, this.#context()));
    view.update(nothing, { isGrowing: true });
    return view.node;
  }

  #kept(key, make) {
    const known = this.#views.get(key) ?? make();
    this.#views.set(key, known);
    return known;
  }

  /** Only what is new is put in, so that the focus stays. */
  #place(nodes) {
    for (const [index, node] of nodes.entries()) {
      if (this.node.children[index] !== node) this.node.insertBefore(node, this.node.children[index] ?? null);
    }
    while (this.node.children.length > nodes.length) this.node.lastElementChild.remove();
  }
}
