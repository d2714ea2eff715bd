import { BUTTONS, VIEW } from '../../language/en/questions.js';
import { button } from '../kit/button.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { emptyItem, replaceItems } from '../kit/list.js';
import { listState } from '../kit/states.js';
import { linkTo } from '../page/page-address.js';
import { visibleText } from '../page/page-text.js';
import { questionAbout } from './approval-question.js';
import { assertConnected, decide, isOver } from './decide.js';
import { timeLeft } from './time-left.js';

/** The open questions, one line each: those that need care first, then by the time that is left. */
export class QuestionList {
  #session;
  /** By their texts, so that what has the focus stays. */
  #items = new Map();
  #list = element('ul', { className: 'entries', id: 'approvals-list', 'aria-labelledby': 'pending-title' });
  #denyAll = button(BUTTONS.denyAll, { className: 'small', hidden: true });
  /** Says that one has gone away, and why. */
  #status = element('p', { className: 'muted', role: 'status' });

  constructor(session) {
    this.#session = session;
    this.#denyAll.addEventListener('click', () => run(this.#denyAll, session.fail, () => this.#denyThem()));
    this.card = card({ id: 'pending', title: VIEW.pending }, this.#status, this.#list, this.#denyAll);
  }

  /** There is nothing to show yet. @param state of the session's approvals */
  wait(state) {
    listState(this.#list, undefined, this.#session.approvals, state, {});
  }

  /** @param approvals in their order @param chosen the id of the one that is shown */
  show(approvals, chosen) {
    this.#list.setAttribute('aria-busy', 'false');
    this.#denyAll.hidden = approvals.length < 2;
    this.#items = new Map(approvals.map((approval) => this.#item(approval)));
    for (const [id, { node }] of this.#items) mark(node.firstElementChild, id === chosen);
    const nodes = [...this.#items.values()].map(({ node }) => node);
    const isSame =
      nodes.length > 0 && nodes.length === this.#list.children.length && nodes.every((node, at) => this.#list.children[at] === node);
    if (!isSame) replaceItems(this.#list, this.card.querySelector('h2'), nodes.length > 0 ? nodes : [emptyItem(VIEW.none)]);
  }

  #item(approval) {
    const text = JSON.stringify(approval);
    const known = this.#items.get(approval.approvalId);
    return [approval.approvalId, known?.text === text ? known : { text, node: item(approval) }];
  }

  /** Says which have gone away. @param names of the questions */
  ended(names) {
    if (names.length > 0) this.#status.textContent = VIEW.endedElsewhere(names.join('; '));
  }

  async #denyThem() {
    assertConnected(this.#session);
    const approvals = this.#session.approvals.value;
    const { length } = approvals;
    const question = { title: VIEW.denyAllTitle(length), text: VIEW.denyAllText, yes: VIEW.denyAllYes(length) };
    if (!(await this.#session.confirm(question))) return;
    const results = await Promise.allSettled(approvals.map(({ approvalId }) => decide(this.#session, approvalId, false)));
    await this.#session.load('approvals', 'allowances', 'audit');
    // Those that were decided meanwhile are not open any more.
    const failed = results.find(({ status, reason }) => status === 'rejected' && !isOver(reason));
    if (failed !== undefined) throw failed.reason;
    const denied = results.filter(({ status }) => status === 'fulfilled').length;
    this.#session.notify(denied === length ? 'done' : 'warning', VIEW.deniedAll(denied, length));
  }
}

function mark(link, isChosen) {
  if (isChosen) link.setAttribute('aria-current', 'true');
  else link.removeAttribute('aria-current');
}

function item({ approvalId, display, account, expiresAt }) {
  const about = questionAbout(display);
  const link = element(
    'a',
    { href: linkTo('approvals', approvalId), className: 'question-link' },
    element(
      'span',
      { className: 'question-head-line' },
      element('strong', { className: 'clamped' }, visibleText(display.title)),
      display.caution ? tag('attention', VIEW.caution) : undefined,
    ),
    about === '' ? undefined : element('span', { className: 'clamped', dir: 'auto' }, about),
    element(
      'span',
      { className: 'muted' },
      visibleText(account),
      ' · ',
      timeLeft(expiresAt, () => {}),
    ),
  );
  return element('li', { className: 'entry plain question-item' }, link);
}
