import { automationRuns as texts } from '../../language/en/automations.js';
import { reasonOf } from '../../language/en/failures.js';
import { button } from '../kit/button.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { showList } from '../kit/states.js';
import { linkTo } from '../page/page-address.js';
import { formatter } from '../page/page-format.js';
import { Store } from '../page/page-store.js';

/** The runs of an automation, newest first. Each is a conversation, in which what it asks is decided. */
export class AutomationRuns {
  #automations;
  #id;
  #session;
  #store = new Store(() => this.#load());
  #more = button(texts.older, { className: 'small', hidden: true });

  constructor(session, automations, id) {
    this.#session = session;
    this.#automations = automations;
    this.#id = id;
    const list = element('ul', { className: 'entries', 'aria-labelledby': 'automation-runs-title' });
    this.#more.addEventListener('click', () => run(this.#more, session.fail, () => this.#loadOlder()));
    this.card = card({ id: 'automation-runs', title: texts.title, about: texts.about }, list, this.#more);
    this.#store.watch(({ next }) => {
      this.#more.hidden = next === null;
    });
    showList(list, this.card.querySelector('h2'), this.#store, { items: ({ runs }) => runs.map(item), empty: texts.none });
    this.refresh();
  }

  /** Loads them again; a failure is shown in their place, or said. */
  async refresh() {
    try {
      await this.#store.refresh();
    } catch (error) {
      if (this.#store.value !== undefined) this.#session.fail(error);
    }
  }

  /** The newest page; what was loaded of older ones stays. */
  async #load() {
    const page = await this.#automations.runs(this.#id);
    const { runs: before = [], next } = this.#store.value ?? {};
    const ids = new Set(page.runs.map(({ id }) => id));
    const older = page.next === null ? [] : before.slice(page.runs.length).filter(({ id }) => !ids.has(id));
    return { runs: [...page.runs, ...older], next: older.length > 0 ? next : page.next };
  }

  async #loadOlder() {
    const { runs, next } = this.#store.value;
    const page = await this.#automations.runs(this.#id, next);
    const ids = new Set(runs.map(({ id }) => id));
    this.#store.set({ runs: [...runs, ...page.runs.filter(({ id }) => !ids.has(id))], next: page.next });
  }
}

function item({ status, planned_at: planned, started_at: started, ended_at: ended, late, thread_id: thread, error }) {
  const time = formatter.dateTime(started ?? planned);
  const [kind, words] = texts.status[status] ?? ['', status];
  const said = [
    ...(late ? [texts.late] : []),
    ...(error === null ? [] : [texts.because(reasonOf(error))]),
    ...(ended === null ? [] : [texts.ended(formatter.dateTime(ended))]),
  ];
  const isWaiting = status === 'waiting';
  const open =
    thread === null
      ? undefined
      : element(
          'a',
          {
            className: `button small ${isWaiting ? 'primary' : ''}`,
            href: linkTo('chat', thread),
            'aria-label': `${isWaiting ? texts.decide : texts.open}: ${texts.of(time)}`,
          },
          isWaiting ? texts.decide : texts.open,
        );
  return element(
    'li',
    { className: 'entry' },
    element('div', {}, element('h3', {}, time, tag(kind, words)), element('p', { className: 'detail' }, said.join(' · '))),
    element('div', { className: 'actions' }, open),
  );
}
