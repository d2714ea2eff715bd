import { chat, conversation as texts, threads } from '../../language/en/chat.js';
import { gone } from '../../language/en/frame.js';
import { button } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { onEscape } from '../kit/escape.js';
import { notLoaded, skeleton } from '../kit/states.js';
import { addressTo } from '../page/page-address.js';
import { tellTabs } from '../page/page-tabs.js';
import { readableText } from '../page/page-text.js';
import { Composer } from './chat-composer.js';
import { Conversation } from './chat-conversation.js';
import { takeDemonstration } from './chat-demonstrations.js';
import { demonstrate, standInNote, startView } from './chat-start.js';
import { MessageView } from './message-view.js';
import { neededAccounts, neededProviders } from './needed-accounts.js';
import { ThreadList } from './thread-list.js';

/** Ids of threads, which front ends choose. */
const THREAD_ID = /^[\w-]{1,64}$/;
/** Pixels from the end at which the reader still follows. */
const NEAR = 120;
/** Pixels above a question or refusal: the end of what led to it. */
const GATE_ABOVE = 52;
const SPOKEN = 600;

/** The conversations with the assistant: `#chat` is a new one, `#chat/<id>` shows one. */
export function chatView(root, session, page) {
  const view = new ChatView(root, session, page);
  return { shown: (address) => view.shown(address) };
}

class ChatView {
  #session;
  #page;
  #conversations = new Map();
  #shown;
  #views = new Map();
  #threads;
  #composer;
  #title = element('h2', { id: 'conversation-title', tabIndex: -1, dir: 'auto' }, threads.new);
  #note = element('div', { className: 'chat-note' });
  #log = element('div', { className: 'chat-log', tabIndex: 0, role: 'region', 'aria-label': texts.messages });
  #alert = element('div', { className: 'chat-alert', role: 'alert' });
  #spoken = element('p', { className: 'unseen', role: 'status' });
  #frame;
  #root;

  constructor(root, session, page) {
    this.#session = session;
    this.#page = page;
    this.#root = root;
    this.#composer = new Composer(session, {
      send: (text, model) => this.#send(text, model),
      stop: () => this.#shown.stop(),
    });
    this.#threads = new ThreadList(session, {
      begin: () => {
        session.go('chat');
        this.#composer.focus();
      },
      opened: () => this.#showList(false),
      listed: (threads) => {
        for (const { id, title } of threads) this.#renamed(id, title);
      },
      renamed: (id, title) => this.#renamed(id, title),
      deleted: (id) => this.#deleted(id),
    });
    const list = button(threads.title, { className: 'small quiet chat-list', 'aria-expanded': 'false' });
    list.addEventListener('click', () => this.#showList(list.getAttribute('aria-expanded') !== 'true'));
    this.list = list;
    onEscape(root, () => {
      if (list.getAttribute('aria-expanded') !== 'true') return false;
      this.#showList(false);
      list.focus();
      return true;
    });
    const main = element(
      'section',
      { className: 'chat-main', 'aria-labelledby': 'conversation-title' },
      element('header', { className: 'chat-head' }, this.#title, list),
      this.#note,
      this.#log,
      this.#alert,
      this.#composer.node,
      this.#spoken,
    );
    root.classList.add('chat');
    // Where the page's messages may be without covering a button.
    const measure = () => document.documentElement.style.setProperty('--log-top', `${this.#log.getBoundingClientRect().top}px`);
    new ResizeObserver(() => this.#log.checkVisibility() && measure()).observe(this.#log);
    root.append(this.#threads.node, main);
    for (const store of [session.models, session.accounts, session.approvals, session.audit]) store.state(() => this.#renderSoon());
    // The actions' names for the tools' names.
    session.agents.watch(() => this.#renderSoon());
  }

  /** Another tab may have changed the list meanwhile. */
  shown({ parts: [id] }) {
    // Whoever came from elsewhere is at the view's title.
    const isHere = this.#root.contains(document.activeElement);
    this.#threads.refresh();
    const demonstration = takeDemonstration();
    if (demonstration !== undefined) this.#demonstrate(demonstration);
    else if (id === undefined) this.#begin();
    else if (id !== this.#shown?.id) this.#open(id, isHere);
    this.#follow(true);
  }

  /** In a conversation of its own, unless the user goes elsewhere before it can begin. */
  async #demonstrate(demonstration) {
    const { models, accounts, signal } = this.#session;
    this.#begin({ always: true });
    const conversation = this.#shown;
    await Promise.all([models, accounts].map((store) => store.known(signal)));
    if (this.#shown !== conversation || !this.#root.checkVisibility()) return;
    const send = (text) => this.#send(text, this.#composer.model);
    await demonstrate(this.#session, send, demonstration).catch(this.#session.fail);
  }

  /** Shows a conversation that has not begun; the same again, if one is shown. */
  #begin({ always = false } = {}) {
    if (!always && this.#shown?.isNew && this.#shown.messages.length === 0) return;
    this.#show(this.#conversation(crypto.randomUUID(), { isNew: true }));
  }

  async #open(id, focus) {
    const conversation = this.#conversation(id);
    if (conversation.title === '') conversation.title = this.#threads.titleOf(id);
    this.#show(conversation);
    if (!conversation.isReading) await this.#load(conversation);
    if (focus && this.#shown === conversation && conversation.isLoaded) this.#composer.focus();
  }

  async #load(conversation) {
    conversation.problem = undefined;
    try {
      if (!THREAD_ID.test(conversation.id)) conversation.problem = 'gone';
      else await conversation.load();
    } catch (error) {
      conversation.problem = error.code === 'not_found' ? 'gone' : 'failed';
    }
    if (this.#shown === conversation) this.#renderSoon();
  }

  #conversation(id, options) {
    const known = this.#conversations.get(id);
    if (known !== undefined) return known;
    const conversation = new Conversation(this.#session, id, options);
    conversation.addEventListener('change', () => conversation === this.#shown && this.#renderSoon());
    conversation.addEventListener('begin', () => this.#listChanged());
    conversation.addEventListener('end', () => this.#ended(conversation));
    this.#conversations.set(id, conversation);
    return conversation;
  }

  async #send(text, model) {
    const conversation = this.#shown;
    if (conversation.isNew) this.#session.go(addressTo('chat', conversation.id), { replace: true });
    if (this.#session.connected) this.#spoken.textContent = texts.answering;
    const sent = conversation.send(text, model);
    this.#composer.keepFor(draftOf(conversation));
    this.#follow(true);
    if (await sent) return;
    if (conversation !== this.#shown) {
      this.#session.drafts.keep(draftOf(conversation), text);
      return;
    }
    this.#composer.keepFor(draftOf(conversation));
    this.#composer.restore(text);
    this.#composer.focus();
    if (conversation.isNew) this.#session.go('chat', { replace: true });
  }

  #listChanged() {
    this.#threads.refresh();
    tellTabs('threads');
  }

  #ended(conversation) {
    this.#listChanged();
    this.#session.load('models', 'threads', 'approvals', 'audit');
    if (conversation !== this.#shown) return;
    this.#speak(conversation);
    // Drawn first, because what Steward asked or refused comes with the last chunks.
    requestAnimationFrame(() => this.#showGate());
  }

  /** Scrolls to the first question or refusal of the last answer: the text below it is long. */
  #showGate() {
    const gate = this.#log.querySelector('.chat-message:last-child :is(.approval-card, .refusal)');
    if (gate !== null) this.#log.scrollTop += gate.getBoundingClientRect().top - this.#log.getBoundingClientRect().top - GATE_ABOVE;
  }

  /** Says the answer to those who don't see it, or that a question waits. */
  #speak({ messages, failure }) {
    const parts = messages.at(-1)?.parts ?? [];
    const question = parts.find(({ state }) => state === 'approval-requested');
    const text = parts.findLast(({ type }) => type === 'text')?.text ?? '';
    if (question !== undefined) this.#spoken.textContent = texts.asks(question.approval.requestReason ?? '');
    else if (failure === undefined) this.#spoken.textContent = texts.answered(readableText(text).slice(0, SPOKEN).toWellFormed());
  }

  #renamed(id, title) {
    const conversation = this.#conversations.get(id);
    if (conversation !== undefined) conversation.title = title;
    this.#renderSoon();
  }

  #deleted(id) {
    const isShown = this.#shown.id === id;
    this.#conversations.delete(id);
    if (!isShown) return;
    this.#session.go('chat', { replace: true });
    this.#composer.focus();
  }

  #showList(isOpen) {
    this.list.setAttribute('aria-expanded', String(isOpen));
    this.#root.classList.toggle('list-open', isOpen);
  }

  #show(conversation) {
    this.#shown = conversation;
    this.#views.clear();
    this.#log.replaceChildren();
    this.#spoken.textContent = '';
    this.#composer.take(draftOf(conversation));
    this.#threads.select(conversation.id);
    this.#showList(false);
    this.#render();
    this.#follow(true);
  }

  /** At most once a frame, however many chunks arrive. */
  #renderSoon() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#render();
    });
  }

  #render() {
    const { messages, title, isReading, isNew, problem, waiting } = this.#shown;
    const isFollowing = this.#isAtEnd();
    this.#title.textContent = title === '' ? (isNew ? threads.new : threads.one) : readableText(title);
    this.#page.entitle(title);
    this.#composer.update({ isAnswering: isReading, isWaiting: waiting !== undefined });
    this.#composer.node.hidden = problem !== undefined;
    this.#renderNote();
    this.#renderFailure();
    if (messages.length === 0 || problem !== undefined) {
      this.#views.clear();
      this.#log.replaceChildren(this.#withoutMessages());
      return;
    }
    const nodes = messages.map((message, index) => this.#messageNode(message, { isLast: index === messages.length - 1, isReading }));
    if (waiting !== undefined) nodes.push(this.#offline());
    else if (isReading && messages.at(-1).role === 'user') nodes.push(this.#waiting());
    nodes.push(...this.#needed());
    this.#place(nodes);
    if (isFollowing) this.#follow(true);
  }

  #withoutMessages() {
    const { isLoaded, problem } = this.#shown;
    if (problem === 'gone')
      return element('p', { className: 'empty' }, gone.conversation.text, ' ', element('a', { href: '#chat' }, gone.conversation.way));
    if (problem === 'failed') return notLoaded({ refresh: () => this.#load(this.#shown) });
    if (isLoaded) return startView(this.#session, (text) => this.#send(text, this.#composer.model));
    return element('div', { 'aria-busy': 'true' }, ...skeleton());
  }

  #messageNode(message, { isLast, isReading }) {
    const known = this.#views.get(message.id);
    const view = known ?? new MessageView(message, this.#context());
    this.#views.set(message.id, view);
    view.update(message, { isGrowing: isReading && isLast && message.role === 'assistant', isLast });
    return view.node;
  }

  #context() {
    const conversation = this.#shown;
    const actionOf = (tool) =>
      (this.#session.agents.value ?? []).flatMap(({ actions }) => actions).find((action) => action.tool === tool || action.name === tool)
        ?.name ?? tool;
    const retry = () => conversation.retry(this.#composer.model);
    return { session: this.#session, conversation, actionOf, retry };
  }

  /** Below a message that waits for the connection. */
  #offline() {
    const known = this.#views.get('offline');
    if (known !== undefined) return known.node;
    const cancel = button(chat.cancel, { name: 'message', className: 'small' });
    const conversation = this.#shown;
    cancel.addEventListener('click', () => conversation.cancel());
    const node = element('p', { className: 'message-waits', role: 'status' }, chat.waiting, ' ', cancel);
    this.#views.set('offline', { node });
    return node;
  }

  /** What to connect, if the answer needed it; the same node as long as it is the same. */
  #needed() {
    const providers = neededProviders(this.#session, this.#shown);
    if (providers.length === 0) return [];
    const key = `needed ${providers}`;
    const known = this.#views.get(key) ?? { node: neededAccounts(this.#session, providers) };
    this.#views.set(key, known);
    return [known.node];
  }

  #waiting() {
    const waiting = this.#views.get('waiting') ?? new MessageView({ role: 'assistant', parts: [] }, this.#context());
    this.#views.set('waiting', waiting);
    waiting.update({ role: 'assistant', parts: [] }, { isGrowing: true });
    return waiting.node;
  }

  /** Only what is new is put in, so that the focus stays. */
  #place(nodes) {
    for (const [index, node] of nodes.entries()) {
      if (this.#log.children[index] !== node) this.#log.insertBefore(node, this.#log.children[index] ?? null);
    }
    while (this.#log.children.length > nodes.length) this.#log.lastElementChild.remove();
  }

  #renderNote() {
    const { models = [] } = this.#session.models.value ?? {};
    const chosen = models.find(({ name }) => name === this.#composer.model) ?? models[0];
    const isStandIn = chosen?.stand_in === true;
    if (isStandIn !== this.#note.hasChildNodes()) this.#note.replaceChildren(...(isStandIn ? [standInNote()] : []));
  }

  #renderFailure() {
    const { failure } = this.#shown;
    const text = failure === undefined || failure.superseded ? '' : failure.message || texts.failed;
    if (this.#alert.textContent === text + (failure?.code ? ` ${failure.code}` : '')) return;
    const code = failure?.code ? [' ', element('code', {}, failure.code)] : [];
    this.#alert.replaceChildren(...(text === '' ? [] : [element('p', { className: 'error' }, readableText(text), ...code)]));
  }

  #isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    return scrollHeight - scrollTop - clientHeight < NEAR;
  }

  #follow(always) {
    if (always || this.#isAtEnd()) this.#log.scrollTop = this.#log.scrollHeight;
  }
}

/** A conversation that has not begun has no id that lasts. */
function draftOf({ id, isNew, messages }) {
  return isNew && messages.length === 0 ? 'chat' : addressTo('chat', id);
}
