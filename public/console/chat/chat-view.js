import { conversation as texts, threads } from '../../language/en/chat.js';
import { button } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { onEscape } from '../kit/escape.js';
import { addressTo } from '../page/page-address.js';
import { tellTabs } from '../page/page-tabs.js';
import { readableText } from '../page/page-text.js';
import { Composer } from './chat-composer.js';
import { Conversation } from './chat-conversation.js';
import { takeDemonstration } from './chat-demonstrations.js';
import { ChatLog } from './chat-log.js';
import { demonstrate, runNote, standInNote } from './chat-start.js';
import { ThreadList } from './thread-list.js';

/** Ids of threads, which front ends choose. */
const THREAD_ID = /^[\w-]{1,64}$/;
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
  #threads;
  #composer;
  #title = element('h2', { id: 'conversation-title', tabIndex: -1, dir: 'auto' }, threads.new);
  #note = element('div', { className: 'chat-note' });
  /** What makes the note that is shown. */
  #noted;
  #log;
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
    this.#log = new ChatLog(session, {
      send: (text) => this.#send(text, this.#composer.model),
      retry: (conversation) => conversation.retry(this.#composer.model),
      load: (conversation) => this.#load(conversation),
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
      this.#log.node,
      this.#alert,
      this.#composer.node,
      this.#spoken,
    );
    root.classList.add('chat');
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
    this.#log.toEnd();
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
    if (!focus || this.#shown !== conversation || !conversation.isLoaded) return;
    if (conversation.isOfRun) this.#title.focus();
    else this.#composer.focus();
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
    this.#log.toEnd();
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
    requestAnimationFrame(() => this.#log.showGate());
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
    this.#log.clear();
    this.#spoken.textContent = '';
    this.#composer.take(draftOf(conversation));
    this.#threads.select(conversation.id);
    this.#showList(false);
    this.#render();
    this.#log.toEnd();
  }

  /** At most once a frame, however many chunks arrive. */
  #renderSoon() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#render();
    });
  }

  #render() {
    const { title, isReading, isNew, isOfRun, problem, waiting } = this.#shown;
    const isFollowing = this.#log.isAtEnd;
    this.#title.textContent = title === '' ? (isNew ? threads.new : threads.one) : readableText(title);
    this.#page.entitle(title);
    this.#composer.update({ isAnswering: isReading, isWaiting: waiting !== undefined });
    this.#composer.node.hidden = problem !== undefined || isOfRun;
    this.#renderNote();
    this.#renderFailure();
    this.#log.render(this.#shown, isFollowing);
  }

  #renderNote() {
    const { models = [] } = this.#session.models.value ?? {};
    const chosen = models.find(({ name }) => name === this.#composer.model) ?? models[0];
    const note = this.#shown.isOfRun ? runNote : chosen?.stand_in === true ? standInNote : undefined;
    if (note === this.#noted) return;
    this.#noted = note;
    this.#note.replaceChildren(...(note === undefined ? [] : [note()]));
  }

  #renderFailure() {
    const { failure } = this.#shown;
    const text = failure === undefined || failure.superseded ? '' : failure.message || texts.failed;
    if (this.#alert.textContent === text + (failure?.code ? ` ${failure.code}` : '')) return;
    const code = failure?.code ? [' ', element('code', {}, failure.code)] : [];
    this.#alert.replaceChildren(...(text === '' ? [] : [element('p', { className: 'error' }, readableText(text), ...code)]));
  }
}

/** A conversation that has not begun has no id that lasts. */
function draftOf({ id, isNew, messages }) {
  return isNew && messages.length === 0 ? 'chat' : addressTo('chat', id);
}
