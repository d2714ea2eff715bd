import { ACTIVITY } from '../../language/en/activity.js';
import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { regionState } from '../kit/states.js';
import { formatter } from '../page/page-format.js';
import { together } from '../page/page-store.js';
import { sentencesOf } from './activity-sentences.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** What happened, in sentences: the audit log, and the events of the accounts. */
export const activityView = {
  name: 'activity',
  title: ACTIVITY.title,
  about: ACTIVITY.about,
  /** `#activity?kind=call` shows one kind. */
  mount(root, session) {
    const feed = new ActivityFeed(session);
    root.append(feed.card);
    return {
      shown({ query }) {
        feed.show(query.get('kind') ?? '');
        session.load('audit');
      },
    };
  },
};

class ActivityFeed {
  #session;
  #feed = element('div', { id: 'feed' });
  #kind = '';
  #older = [];
  #cursor;
  #more = button(ACTIVITY.older, { hidden: true });
  /** The sentences name accounts and apps. */
  #known;

  constructor(session) {
    this.#session = session;
    this.#known = together(session.audit, session.accounts, session.clients);
    this.#more.addEventListener('click', () => run(this.#more, session.fail, () => this.#loadOlder()));
    this.card = card({ id: 'happened', title: ACTIVITY.happened }, this.#filter(), this.#feed, this.#more);
    this.#known.state(() => this.#render());
    session.events.addEventListener('change', () => this.#render());
  }

  /** @param kind of what is shown; of an unknown one the address is everything's */
  show(kind) {
    if (!ACTIVITY.kinds.some(([value]) => value === kind)) {
      this.#session.go('activity', { replace: true });
      return;
    }
    this.#kind = kind;
    for (const radio of this.card.querySelectorAll('[name="kind"]')) radio.checked = radio.value === this.#kind;
    this.#render();
  }

  #filter() {
    const radios = ACTIVITY.kinds.map(([value, text]) => {
      const radio = element('input', { type: 'radio', name: 'kind', value, checked: value === '', id: `kind-${value || 'all'}` });
      return element('label', { className: 'pill', htmlFor: radio.id }, radio, text);
    });
    const group = element('fieldset', { className: 'pills' }, element('legend', { className: 'unseen' }, ACTIVITY.show), ...radios);
    // The arrow keys select each kind that they pass.
    group.addEventListener('change', ({ target }) =>
      this.#session.go(target.value === '' ? 'activity' : `activity?kind=${target.value}`, { replace: target.matches(':focus-visible') }),
    );
    return group;
  }

  async #loadOlder() {
    const cursor = this.#cursor ?? this.#session.audit.value?.cursor;
    const page = await this.#session.request('GET', `/user/audit?limit=100&cursor=${encodeURIComponent(cursor)}`);
    this.#older.push(...page.entries);
    this.#cursor = page.next_cursor;
    this.#render();
  }

  #render() {
    regionState(this.#feed, this.#known, this.#known.current(), ([audit]) => this.#days(audit));
  }

  #days({ entries, cursor }) {
    this.#more.hidden = (this.#cursor === undefined ? cursor : this.#cursor) === null;
    const all = sentencesOf([...entries, ...this.#older], this.#session);
    const shown = all.filter(({ kind }) => this.#kind === '' || kind === this.#kind);
    if (shown.length === 0) return [element('p', { className: 'empty' }, all.length === 0 ? ACTIVITY.empty : ACTIVITY.noneOfKind)];
    return [...Map.groupBy(shown, ({ at }) => formatter.localDay(at))].map(([day, told]) => dayOf(day, told));
  }
}

/** @param day `YYYY-MM-DD` @param told what happened on it, newest first */
function dayOf(day, told) {
  const heading = element('h3', { id: `happened-${day}` }, nameOf(day));
  const items = element('ol', { className: 'feed', 'aria-labelledby': heading.id }, ...told.map(item));
  return element('section', { className: 'feed-day', 'aria-labelledby': heading.id }, heading, items);
}

function nameOf(day) {
  const now = Date.now();
  if (day === formatter.localDay(now)) return ACTIVITY.today;
  return day === formatter.localDay(now - DAY_MS) ? ACTIVITY.yesterday : formatter.longDay(day);
}

/** The technical name of an action, and the code of its failure, are its title. */
function item({ at, text, tone, detail, action, code }) {
  const title = [action, code].filter(Boolean).join(': ');
  return element(
    'li',
    { className: `happened ${tone}` },
    element('p', title === '' ? {} : { title }, text, detail ? element('span', { className: 'muted' }, ` ${detail}`) : undefined),
    element('time', { dateTime: new Date(at).toISOString(), className: 'muted' }, formatter.time(at)),
  );
}
