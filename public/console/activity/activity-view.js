import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { emptyItem } from '../kit/list.js';
import { formatter } from '../page/page-format.js';
import { sentencesOf } from './activity-sentences.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const KINDS = [
  ['', 'Everything'],
  ['call', 'Calls'],
  ['approval', 'Approvals'],
  ['account', 'Accounts and apps'],
];

/** What happened, in sentences: the audit log, and the events of the accounts. */
export const activityView = {
  name: 'activity',
  title: 'Activity',
  about: 'Every call of an action and every change of your accounts. The last day is loaded; no content is recorded.',
  mount(root, session) {
    const feed = new ActivityFeed(session);
    root.append(feed.card);
    return { shown: () => session.load('audit') };
  },
};

class ActivityFeed {
  #session;
  #list = element('ol', { className: 'feed', id: 'feed', 'aria-label': 'What happened, newest first' });
  #kind = '';
  #older = [];
  #cursor;
  #more = button('Load older');

  constructor(session) {
    this.#session = session;
    this.#more.addEventListener('click', () => run(this.#more, session.fail, () => this.#loadOlder()));
    this.card = card({ id: 'happened', title: 'What happened' }, this.#filter(), this.#list, this.#more);
    const render = () => this.#render();
    session.audit.watch(render);
    for (const name of ['accounts', 'clients']) session[name].watch(render);
    session.events.addEventListener('change', render);
  }

  #filter() {
    const radios = KINDS.map(([value, text]) => {
      const radio = element('input', { type: 'radio', name: 'kind', value, checked: value === '', id: `kind-${value || 'all'}` });
      return element('label', { className: 'pill', htmlFor: radio.id }, radio, text);
    });
    const group = element('fieldset', { className: 'pills' }, element('legend', { className: 'unseen' }, 'Show'), ...radios);
    group.addEventListener('change', ({ target }) => {
      this.#kind = target.value;
      this.#render();
    });
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
    const { audit } = this.#session;
    if (audit.value === undefined) return;
    const cursor = this.#cursor === undefined ? audit.value.cursor : this.#cursor;
    this.#more.hidden = cursor === null;
    const all = sentencesOf([...audit.value.entries, ...this.#older], this.#session);
    const items = all.filter(({ kind }) => this.#kind === '' || kind === this.#kind).map(item);
    this.#list.replaceChildren(...items, ...(items.length > 0 ? [] : [emptyItem('Nothing has happened yet.')]));
  }
}

function item({ at, late, text, tone, detail }) {
  const time = new Date(at);
  const shown = `${late ? 'before ' : ''}${Date.now() - at < DAY_MS ? formatter.time(at) : formatter.dateTime(at)}`;
  return element(
    'li',
    { className: `happened ${tone}` },
    element('p', {}, text, detail ? element('span', { className: 'muted' }, ` ${detail}`) : undefined),
    element('time', { dateTime: time.toISOString(), className: 'muted' }, shown),
  );
}
