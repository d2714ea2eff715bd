import { automations as texts } from '../../language/en/automations.js';
import { element, shownTitle } from '../kit/dom.js';
import { regionState } from '../kit/states.js';
import { together } from '../page/page-store.js';
import { automationDetail } from './automation-detail.js';
import { automationForm } from './automation-form.js';
import { automationList } from './automation-list.js';
import { Automations } from './automations-store.js';
import { sandboxCard } from './sandbox-card.js';
import { templateOf, templatesCard } from './templates.js';

const UNDER_WAY = new Set(['due', 'running']);
const RUN_MS = 3_000;
const LOOK_MS = 15_000;

/**
 * The view of the automations: `#automations` lists them, `#automations/new?template=…` and `#automations/<id>/edit` show the
 * form, `#automations/<id>` the runs of one.
 *
 * @returns what the router calls
 */
export function automationsPage(root, session, page) {
  const view = new AutomationsPage(root, session, page);
  return { shown: (address) => view.shown(address) };
}

class AutomationsPage {
  #root;
  #session;
  #page;
  #automations;
  #list;
  #place = element('div', { className: 'view-body' });
  /** The form lists actions and accounts, and the names of accounts are part of each trigger. */
  #known;
  #address;
  #timer;
  /** What the shown panel was built for: it stays while its automation changes. */
  #built;

  constructor(root, session, page) {
    this.#root = root;
    this.#session = session;
    this.#page = page;
    this.#automations = new Automations(session);
    const list = automationList(session, this.#automations);
    this.#list = element('div', { className: 'view-body' }, list, templatesCard(), ...(session.sandbox ? [sandboxCard(session)] : []));
    root.append(this.#list, this.#place);
    this.#known = together(this.#automations.store, session.accounts, session.agents, session.preferences);
    this.#known.state(() => this.#show());
    this.#automations.store.watch((list) => this.#look(list));
  }

  /** No event says that a run has begun, or that an account was looked at: while somebody sees the list, it is loaded again. */
  #look(list) {
    clearTimeout(this.#timer);
    const isUnderWay = list.some(({ last_run: last }) => UNDER_WAY.has(last?.status));
    if (!isUnderWay && !list.some(({ trigger, state }) => trigger.type === 'event' && state === 'active')) return;
    this.#timer = setTimeout(
      async () => {
        if (this.#session.signal.aborted) return;
        if (this.#root.checkVisibility()) await this.#automations.refresh();
        this.#look(this.#automations.store.value);
      },
      isUnderWay ? RUN_MS : LOOK_MS,
    );
  }

  shown(address) {
    const hadFocus = this.#root.contains(document.activeElement);
    this.#address = address;
    this.#automations.refresh();
    this.#built = undefined;
    this.#place.replaceChildren();
    this.#show();
    if (hadFocus) (this.#root.querySelector('.view-body:not([hidden]) > section h2') ?? shownTitle()).focus();
  }

  #show() {
    if (this.#address === undefined) return;
    const [id, mode] = this.#address.parts;
    this.#list.hidden = id !== undefined;
    this.#place.hidden = id === undefined;
    if (id === undefined) this.#page.entitle('');
    else regionState(this.#place, this.#known, this.#known.current(), ([list]) => [this.#panel(id, mode, list)]);
  }

  #panel(id, mode, list) {
    const value = list.find((one) => one.id === id);
    this.#page.entitle(id === 'new' ? texts.new : value?.name);
    if (id !== 'new' && value === undefined) return goneNote();
    const built = `${id}/${mode ?? ''}`;
    if (this.#built?.key !== built) this.#built = { key: built, ...this.#build(id, mode, value) };
    this.#built.update?.(value);
    return this.#built.node;
  }

  #build(id, mode, value) {
    if (id === 'new') return automationForm(this.#session, this.#automations, templateOf(this.#address.query.get('template')));
    if (mode === 'edit') return automationForm(this.#session, this.#automations, value);
    return automationDetail(this.#session, this.#automations, value);
  }
}

function goneNote() {
  return element('p', { className: 'warning', role: 'status' }, texts.gone, ' ', element('a', { href: '#automations' }, texts.back));
}
