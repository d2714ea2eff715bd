import { chat, threads as texts } from '../../language/en/chat.js';
import { button } from '../kit/button.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { onEscape } from '../kit/escape.js';
import { run } from '../kit/feedback.js';
import { listState } from '../kit/states.js';
import { linkTo } from '../page/page-address.js';
import { formatter } from '../page/page-format.js';
import { onTabs, tellTabs } from '../page/page-tabs.js';
import { isolated, readableText } from '../page/page-text.js';

const SEARCH_MS = 250;
const STATUS = {
  running: ['good', 'answering'],
  interrupted: ['attention', 'interrupted'],
  failed: ['bad', 'failed'],
};

/** The conversations, newest first: search, open, rename, delete. */
export class ThreadList {
  #session;
  #on;
  #list = element('ul', { className: 'threads', 'aria-labelledby': 'threads-title' });
  #more = button(texts.more, { name: texts.moreOf, className: 'small quiet' });
  #title = element('h2', { id: 'threads-title', className: 'unseen', tabIndex: -1 }, texts.title);
  #search = element('input', { id: 'threads-search', type: 'search', autocomplete: 'off', maxLength: 200, placeholder: texts.searchHint });
  /** undefined until they are known */
  #threads;
  #failed = false;
  #next = null;
  #current;
  #renaming;
  #searched;
  #turn = 0;
  #timer;

  /** @param on `opened()`, `begin()`, `listed(threads)`, `renamed(id, title)` and `deleted(id)` */
  constructor(session, on) {
    this.#session = session;
    this.#on = on;
    const begin = button(texts.new, { className: 'primary' });
    begin.addEventListener('click', () => on.begin());
    this.#search.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.refresh(), SEARCH_MS);
    });
    this.#more.hidden = true;
    this.#more.addEventListener('click', () => run(this.#more, session.fail, () => this.#load(this.#next)));
    this.node = element(
      'div',
      { className: 'chat-threads' },
      this.#title,
      begin,
      element('label', { htmlFor: 'threads-search', className: 'unseen' }, texts.search),
      this.#search,
      this.#list,
      this.#more,
    );
    this.#render();
    // A title that is being written stays.
    session.approvals.watch(() => this.#renaming === undefined && this.#render());
    // Other tabs tell of their conversations; those of other devices are seen when the user comes back.
    onTabs((what) => what === 'threads' && this.refresh(), session.signal);
    addEventListener('focus', () => this.refresh(), { signal: session.signal });
  }

  /** Loads the first page again. */
  async refresh() {
    try {
      await this.#load(null);
    } catch (error) {
      this.#failed = true;
      this.#render();
      this.#session.fail(error);
    }
  }

  /** @returns '' unless it is listed */
  titleOf(id) {
    return this.#threads?.find((thread) => thread.id === id)?.title ?? '';
  }

  /** @param id of the shown thread */
  select(id) {
    this.#current = id;
    this.#renaming = undefined;
    this.#render();
  }

  async #load(before) {
    const turn = ++this.#turn;
    const search = this.#search.value.trim();
    const query = new URLSearchParams({ ...(search !== '' && { search }), ...(before !== null && { before }) });
    const { threads, next } = await this.#session.request('GET', `/threads?${query}`);
    // A late response must not replace a newer one.
    if (turn !== this.#turn) return;
    const isSame = before === null && next !== null && search === this.#searched;
    const older = isSame ? olderThan(threads, this.#threads) : [];
    if (before !== null) this.#threads = [...this.#threads, ...threads];
    else this.#threads = [...threads, ...older];
    // The pages that were loaded before stay.
    if (older.length === 0) this.#next = next;
    this.#searched = search;
    this.#failed = false;
    this.#on.listed(threads);
    this.#render();
  }

  #render() {
    const nothing = this.#search.value.trim() === '' ? texts.none : texts.noMatch;
    const state = { value: this.#threads, failed: this.#failed };
    listState(this.#list, this.#title, this, state, { items: (threads) => threads.map((thread) => this.#item(thread)), empty: nothing });
    this.#more.hidden = this.#next === null;
  }

  #item(thread) {
    const { id, title, status, updated_at: updated } = thread;
    const isCurrent = id === this.#current;
    if (isCurrent && this.#renaming === id) return this.#form(thread);
    const name = readableText(title) || texts.untitled;
    const open = element(
      'a',
      {
        href: linkTo('chat', id),
        className: 'thread',
        title: `${name}\n${formatter.dateTime(updated)}`,
        ...(isCurrent && { 'aria-current': 'true' }),
      },
      element('span', { className: 'thread-title', dir: 'auto' }, name),
      this.#badge(id, status),
    );
    open.addEventListener('click', () => this.#on.opened());
    return element('li', { className: isCurrent ? 'current' : '' }, open, isCurrent ? this.#actions(thread, name) : undefined);
  }

  /** Whether it asks is what the open questions say: the status is of its last run, which may have been decided about since. */
  #badge(id, status) {
    const asks = this.#session.approvals.value?.some(({ thread }) => thread === id);
    if (asks) return tag('attention', chat.asksYou);
    return STATUS[status] === undefined ? undefined : tag(...STATUS[status]);
  }

  #actions(thread, name) {
    const rename = button(texts.rename, { name, className: 'small quiet' });
    rename.addEventListener('click', () => {
      this.#renaming = thread.id;
      this.#render();
      this.#list.querySelector('input')?.select();
    });
    const remove = button(texts.delete, { name, className: 'small quiet' });
    remove.addEventListener('click', () => run(remove, this.#session.fail, () => this.#delete(thread, name)));
    return element('div', { className: 'thread-actions' }, rename, remove);
  }

  #form(thread) {
    const input = element('input', { id: 'thread-name', value: thread.title, maxLength: 200, required: true, autocomplete: 'off' });
    const save = button(texts.save, { type: 'submit', className: 'small primary' });
    const cancel = button(texts.cancel, { className: 'small quiet' });
    const end = () => {
      this.#renaming = undefined;
      this.#render();
      this.#list.querySelector('.current .thread')?.focus();
    };
    const form = element(
      'form',
      { className: 'thread-form' },
      element('label', { htmlFor: 'thread-name', className: 'unseen' }, texts.name),
      input,
      save,
      cancel,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      run(save, this.#session.fail, async () => {
        const title = input.value.trim();
        await this.#session.request('POST', `/threads/${thread.id}`, { form: { title } });
        this.#on.renamed(thread.id, title);
        tellTabs('threads');
        this.#renaming = undefined;
        await this.refresh();
        this.#list.querySelector('.current .thread')?.focus();
      });
    });
    cancel.addEventListener('click', end);
    onEscape(form, () => {
      end();
      return true;
    });
    return element('li', { className: 'current' }, form);
  }

  async #delete({ id }, name) {
    if (!(await this.#session.confirm({ title: texts.deleteQuestion(isolated(name)), text: texts.deleteMeans, yes: texts.delete }))) return;
    await this.#session.request('DELETE', `/threads/${id}`);
    this.#threads = this.#threads.filter((thread) => thread.id !== id);
    this.#on.deleted(id);
    tellTabs('threads');
    await this.refresh();
  }
}

/** Those of a list that come after its first page. @param page the first page as it is now @param list as it was; undefined: none */
function olderThan(page, list = []) {
  const ids = new Set(page.map(({ id }) => id));
  return list.filter(({ id, updated_at: updated }) => !ids.has(id) && updated < page.at(-1).updated_at);
}
