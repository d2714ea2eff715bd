import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { emptyItem, replaceItems } from '../kit/list.js';
import { listState } from '../kit/states.js';
import { formatter } from '../page/page-format.js';
import { resultView } from '../results/result-view.js';
import { allowancesCard } from './allowances-card.js';
import { approvalCard } from './approval-card.js';

const ASKED_AGAIN = 'Others would see the changed call, so you are asked again. The action has not run.';
const DECIDED_SHOWN = 10;

/** Calls that wait for the user's decision, those that were decided here, and what is allowed in advance. */
export const approvalsView = {
  name: 'approvals',
  title: 'Approvals',
  about: 'Calls that wait for your decision, with everything that they would send. Nothing has run yet.',
  mount(root, session) {
    const decided = new DecidedList();
    const pending = new PendingList(session, (preview, outcome) => decided.add(preview, outcome));
    root.append(pending.card, element('div', { className: 'grid wide' }, decided.card, allowancesCard(session)));
  },
};

class PendingList {
  #session;
  #onDecided;
  #list = element('ul', { className: 'entries', id: 'approvals-list', 'aria-labelledby': 'pending-title' });
  /** What is shown, by its text: what a user has begun to write survives an event. */
  #entries = new Map();
  #ids = new Set();
  #removeMessage = () => {};

  constructor(session, onDecided) {
    this.#session = session;
    this.#onDecided = onDecided;
    this.card = card({ id: 'pending', title: 'Pending' }, this.#list);
    session.approvals.state((state) => this.#show(state));
  }

  #show(state) {
    if (state.value === undefined) listState(this.#list, undefined, this.#session.approvals, state, {});
    else this.#render(state.value);
  }

  #render(approvals) {
    this.#list.setAttribute('aria-busy', 'false');
    const before = this.#entries;
    const actions = (this.#session.agents.value ?? []).flatMap((agent) => agent.actions);
    this.#entries = new Map(
      approvals.map((approval) => {
        const text = JSON.stringify(approval);
        const configured = actions.find(({ name }) => name === approval.action);
        return [text, before.get(text) ?? this.#entry(approval, configured)];
      }),
    );
    // How an earlier call ended must not stand beside another question.
    if (approvals.some(({ approvalId }) => !this.#ids.has(approvalId))) this.#removeMessage();
    this.#ids = new Set(approvals.map(({ approvalId }) => approvalId));
    const texts = [...this.#entries.keys()];
    if (texts.length > 0 && texts.length === before.size && texts.every((text) => before.has(text))) return;
    const items = texts.length > 0 ? [...this.#entries.values()] : [emptyItem('No pending approvals.')];
    replaceItems(this.#list, this.card.querySelector('h2'), items);
  }

  #entry(approval, configured) {
    const onDecided = (outcome) => this.#decided(approval, outcome);
    return element('li', { className: 'entry approval-entry' }, approvalCard(approval, { session: this.#session, onDecided, configured }));
  }

  async #decided(approval, { approved, result, error }) {
    await this.#session.load('approvals', 'allowances', 'audit');
    if (error === undefined) {
      this.#message('done', approved ? 'Approved. The action has run.' : 'Denied. The action has not run.');
      this.#onDecided(approval, { approved, result });
    } else if (error.code === 'approval_required') this.#message('warning', ASKED_AGAIN);
    else this.#session.fail(error);
  }

  #message(kind, text) {
    this.#removeMessage();
    this.#removeMessage = this.#session.notify(kind, text);
  }
}

/** What was decided in this tab, newest first. */
class DecidedList {
  #list = element('ul', { className: 'entries', 'aria-labelledby': 'decided-title' });

  constructor() {
    this.card = card({ id: 'decided', title: 'Decided', about: 'What you have decided in this tab. Activity has the rest.' }, this.#list);
    this.#list.append(emptyItem('Nothing has been decided yet.'));
  }

  add({ summary, action, account }, { approved, result }) {
    this.#list.querySelector('.empty')?.remove();
    const outcome = approved
      ? [element('details', {}, element('summary', {}, 'Result'), resultView(action, result.data, result.meta))]
      : [];
    this.#list.prepend(
      element(
        'li',
        { className: 'entry plain' },
        element('h3', {}, summary, approved ? tag('good', 'Approved') : tag('bad', 'Denied')),
        element('p', { className: 'detail' }, `${action} with ${account}, ${formatter.time(Date.now())}`),
        ...outcome,
      ),
    );
    while (this.#list.children.length > DECIDED_SHOWN) this.#list.lastElementChild.remove();
  }
}
