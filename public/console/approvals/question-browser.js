import { actionName } from '../../language/en/actions.js';
import { BUTTONS, VIEW } from '../../language/en/questions.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { regionState } from '../kit/states.js';
import { addressTo, linkTo } from '../page/page-address.js';
import { together } from '../page/page-store.js';
import { approvalCard } from './approval-card.js';
import { questionName } from './approval-question.js';
import { isOver } from './decide.js';
import { decisionsOf } from './decisions.js';
import { endedCard } from './question-end.js';
import { QuestionList } from './question-list.js';

/**
 * The open questions and the chosen one beside them; on narrow pages one after the other. After a decision the question's
 * end stays in its place, so that a second click decides nothing else.
 */
export class QuestionBrowser {
  #session;
  #page;
  #list;
  #pane = element('div', { className: 'question-pane' });
  #card;
  /** Those of this tab, by their ids. */
  #seen = new Map();
  /** The ids of those that are asked once more, because others would see what was changed. */
  #askedAgain = new Set();
  /** What is shown of each: what a user has begun to write survives an event. */
  #nodes = new Map();
  #open = [];
  /** The id in the address; undefined: the first is shown. */
  #chosen;
  #shown;
  /** Which questions are open, and how the others ended. */
  #known;
  #removeMessage = () => {};

  constructor(session, page) {
    this.#session = session;
    this.#page = page;
    this.#list = new QuestionList(session);
    const all = element('a', { className: 'all-questions', href: linkTo('approvals') }, BUTTONS.back);
    this.#card = card({ id: 'question', title: VIEW.question }, all, this.#pane);
    this.#card.hidden = true;
    this.node = element('div', { className: 'questions' }, this.#list.card, this.#card);
    this.#known = together(session.approvals, session.audit);
    session.approvals.state((state) => (state.value === undefined ? this.#list.wait(state) : this.#update(state.value)));
    this.#known.state(() => this.#render());
    session.agents.watch(() => this.#render());
    session.events.addEventListener('change', () => this.#render());
  }

  /** @param id of the address; undefined: the first */
  choose(id) {
    this.#chosen = id;
    this.#shown = id ?? this.#open[0]?.approvalId;
    this.node.classList.toggle('is-chosen', id !== undefined);
    this.#render();
  }

  /** The name of a question that this tab has seen. */
  nameOf(id) {
    const seen = this.#seen.get(id);
    return seen === undefined ? undefined : questionName(seen.display);
  }

  #update(approvals) {
    const gone = this.#open.filter((one) => !approvals.some(({ approvalId }) => approvalId === one.approvalId));
    const isNew = approvals.some(({ approvalId }) => !this.#seen.has(approvalId));
    this.#open = approvals.toSorted(byCareAndTime);
    for (const approval of approvals) this.#seen.set(approval.approvalId, approval);
    // How an earlier one ended must not stand beside another question.
    if (isNew) this.#removeMessage();
    this.#list.ended(gone.filter(({ approvalId }) => approvalId !== this.#shown).map(({ approvalId }) => this.nameOf(approvalId)));
    this.#shown ??= this.#open[0]?.approvalId;
    this.#render();
  }

  #render() {
    if (this.#session.approvals.value !== undefined) this.#list.show(this.#open, this.#shown);
    this.#card.hidden = this.#shown === undefined;
    this.#page.entitle(this.#chosen === undefined ? '' : this.nameOf(this.#chosen));
    if (this.#shown === undefined) return;
    const open = this.#open.find(({ approvalId }) => approvalId === this.#shown);
    if (open === undefined) regionState(this.#pane, this.#known, this.#known.current(), () => [this.#end(this.#shown)]);
    else regionState(this.#pane, this.#known, { value: open }, () => [this.#question(open)]);
  }

  #question(approval) {
    const configured = this.#session.agents.value?.flatMap(({ actions }) => actions).find(({ name }) => name === approval.action);
    const note = this.#askedAgain.has(approval.approvalId) ? VIEW.askedAgain : undefined;
    return this.#kept(approval.approvalId, [approval, note, configured !== undefined], () =>
      approvalCard(approval, {
        session: this.#session,
        configured,
        note,
        onDecided: (outcome) => this.#decided(outcome),
        onExpired: () => this.#session.load('approvals'),
      }),
    );
  }

  #end(id) {
    const end = decisionsOf(this.#session).find((one) => one.id === id);
    const thread = this.#seen.get(id)?.thread;
    const next = this.#open[0]?.approvalId;
    const isNamed = this.#chosen !== undefined;
    return this.#kept(id, [end, next, isNamed], () => {
      const links = [
        ...(next === undefined ? [] : [link(linkTo('approvals', next), VIEW.next(this.#open.length))]),
        ...(next === undefined && isNamed ? [link(linkTo('approvals'), BUTTONS.back)] : []),
        ...(thread === undefined ? [] : [link(linkTo('chat', thread), BUTTONS.openChat)]),
      ];
      return endedCard(this.nameOf(id) ?? (end && actionName(end.action)), end, { links });
    });
  }

  /** The node of a question, made again only if what it shows has changed. */
  #kept(id, what, make) {
    const text = JSON.stringify(what);
    const known = this.#nodes.get(id);
    if (known?.text === text) return known.node;
    const node = make();
    this.#nodes.set(id, { text, node });
    return node;
  }

  async #decided({ approved, error }) {
    if (error?.code === 'approval_required') this.#askedAgain.add(error.details.approvalId);
    await this.#session.load('approvals', 'allowances', 'audit');
    if (error === undefined) this.#message('done', approved ? VIEW.approved : VIEW.denied);
    else if (error.code === 'approval_required') this.#session.go(addressTo('approvals', error.details.approvalId), { replace: true });
    else if (!isOver(error)) this.#session.fail(error);
  }

  #message(kind, text) {
    this.#removeMessage();
    this.#removeMessage = this.#session.notify(kind, text);
  }
}

const link = (href, text) => element('a', { className: 'button', href }, text);

/** Those that need care first, then those that expire first. */
function byCareAndTime(one, other) {
  return Number(other.display.caution) - Number(one.display.caution) || Date.parse(one.expiresAt) - Date.parse(other.expiresAt);
}
