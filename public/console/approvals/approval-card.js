import { BUTTONS, DECISION, QUESTION } from '../../language/en/questions.js';
import { saidToYou } from '../../language/en/said-to-you.js';
import { ENDED, reconnectButton, wordsOf } from '../accounts/account-access.js';
import { changeButton } from '../accounts/source-tools.js';
import { button, copyButton } from '../kit/button.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { onEscape } from '../kit/escape.js';
import { run, show, showError } from '../kit/feedback.js';
import { allAccounts } from '../page/page-accounts.js';
import { failureOf } from '../page/page-request.js';
import { quotedText, visibleJson, visibleText } from '../page/page-text.js';
import { evidenceList, questionName, viewerList } from './approval-question.js';
import { ChangeForm } from './change-form.js';
import { decide } from './decide.js';
import { fieldList } from './question-fields.js';
import { rememberField } from './remember-field.js';
import { timeLeft } from './time-left.js';

/** Errors after which the same question may be decided again. */
const STILL_OPEN = new Set(['invalid_request', 'disconnected', 'unreachable', 'rate_limited', 'unavailable', 'too_large', ...ENDED]);

/** Each card needs ids of its own. */
let count = 0;

/**
 * A question to the user as the thing itself: what happens, who sees it, the mail, event, share or change as it will look.
 * The line of risk and the decision stay in view, however long that is. An error that leaves the question open is shown
 * beside the buttons, or at its field.
 *
 * @param preview as `approvals()` of the client returns it, or the descriptor in a chat
 * @param options.session of the page
 * @param options.configured the action in the list of agents, if it is known; without it, nothing can be allowed in advance
 *   and the arguments are changed as JSON
 * @param options.note why it is asked once more, if it is
 * @param options.onDecided receives `{approved, result, error}`; `error` if the call failed, or others would see the changed call
 * @param options.onExpired the time is up
 */
export function approvalCard(preview, options) {
  return new ApprovalCard(preview, options).node;
}

class ApprovalCard {
  #preview;
  #options;
  #name;
  #change;
  #body;
  #remember;
  /** Of risk; undefined: there is none. */
  #line;
  #row = element('div', { className: 'actions' });
  #result = element('div', { className: 'result', role: 'alert' });

  constructor(preview, options) {
    this.#preview = preview;
    this.#options = options;
    this.#name = questionName(preview.display);
    this.#remember = rememberField(preview, options.configured);
    this.#body = element('div', { className: 'question-body' }, ...this.#shown());
    const { line, evidence } = this.#risk();
    this.#line = line;
    this.node = element(
      'article',
      { className: `approval-card${preview.display.caution ? ' caution' : ''}`, 'aria-label': QUESTION.named(this.#name) },
      this.#head(),
      this.#body,
      evidence,
      element('footer', { className: 'question-foot' }, line, this.#result, this.#row),
    );
    this.#showDecision();
    if (options.note !== undefined) show(this.#result, 'warning', options.note);
    onEscape(this.node, () => this.#leave());
    this.node.addEventListener('keyup', keepInView);
  }

  /** What is open in the card, by Escape. @returns whether something is */
  #leave() {
    if (this.#change !== undefined) {
      const isSending = this.#row.querySelector('[aria-busy="true"]') !== null;
      if (!isSending) this.#endChange();
      return true;
    }
    if (this.#line?.getAttribute('aria-expanded') !== 'true') return false;
    this.#line.click();
    this.#line.focus();
    return true;
  }

  #head() {
    const { display, account, expiresAt } = this.#preview;
    return element(
      'header',
      { className: 'question-head' },
      element(
        'p',
        { className: 'question-state' },
        tag('attention', QUESTION.needsYou),
        timeLeft(expiresAt, () => this.#expire()),
      ),
      element('h3', {}, visibleText(display.title)),
      element(
        'p',
        { className: 'question-facts' },
        ...(account === '' ? [] : [QUESTION.withAccount(visibleText(account))]),
        ...askedBy(this.#preview),
      ),
    );
  }

  #shown() {
    const { display, input, url } = this.#preview;
    const json = visibleJson(input);
    const exact = element(
      'details',
      { className: 'exact' },
      element('summary', {}, QUESTION.details),
      element(
        'div',
        { className: 'json' },
        copyButton(json, QUESTION.details),
        element('pre', { tabIndex: 0, role: 'region', 'aria-label': QUESTION.details }, json),
      ),
      element('p', {}, element('a', { href: url, 'aria-label': `${QUESTION.ownPage}: ${this.#name}` }, QUESTION.ownPage)),
    );
    return [viewerList(display), fieldList(display.fields), exact, this.#remember.field];
  }

  /** The line stays beside the buttons; what it is about is above them. */
  #risk() {
    const { display } = this.#preview;
    if (display.risk === null) return {};
    count += 1;
    const evidence = element(
      'section',
      { className: 'question-evidence', id: `evidence-${count}`, 'aria-label': QUESTION.evidence, hidden: true },
      ...evidenceList(display),
    );
    const line = element(
      'button',
      { type: 'button', className: `risk-line ${display.risk.level}`, 'aria-expanded': 'false', 'aria-controls': evidence.id },
      element('span', {}, visibleText(display.risk.text)),
    );
    line.addEventListener('click', () => {
      evidence.hidden = !evidence.hidden;
      line.setAttribute('aria-expanded', String(!evidence.hidden));
      if (!evidence.hidden) evidence.scrollIntoView({ block: 'nearest' });
    });
    return { line, evidence };
  }

  /** Deny, Change, Approve: always in this order, the one that is safer for this question as the primary one. */
  #showDecision() {
    const { caution } = this.#preview.display;
    const deny = this.#button(BUTTONS.deny, caution ? 'primary' : '', () => this.#decide({ approved: false }));
    const change = this.#button(BUTTONS.change, '', () => this.#beginChange());
    const approve = this.#button(BUTTONS.approve, caution ? '' : 'primary', () =>
      this.#decide({ approved: true, ...this.#remember.read() }),
    );
    this.#row.replaceChildren(deny, change, approve);
    return change;
  }

  #beginChange() {
    const { input } = this.#preview;
    this.#change = new ChangeForm(input, this.#options.configured?.input);
    this.#body.replaceChildren(this.#change.node);
    const cancel = this.#button(BUTTONS.cancel, '', () => this.#endChange());
    const approve = this.#button(BUTTONS.approveChanged, 'primary', () => {
      return this.#decide({ approved: true, input: this.#change.read(), ...this.#remember.read() });
    });
    this.#row.replaceChildren(cancel, approve);
    this.#change.focus();
  }

  #endChange() {
    this.#change = undefined;
    this.#result.replaceChildren();
    this.#body.replaceChildren(...this.#shown().filter((node) => node !== undefined));
    this.#showDecision().focus();
  }

  #button(text, className, act) {
    const node = button(text, { name: this.#name, className });
    node.addEventListener('click', () => run(node, (error) => this.#failed(error), act));
    return node;
  }

  async #decide({ approved, ...options }) {
    this.#result.replaceChildren();
    const { session, onDecided } = this.#options;
    const answered = new AbortController();
    session.link.addEventListener('change', () => show(this.#result, 'warning', DECISION.lost), { signal: answered.signal });
    try {
      onDecided(await decided(session, this.#preview.approvalId, { approved, ...options }));
    } finally {
      answered.abort();
    }
  }

  async #failed(error) {
    const failure = failureOf(error);
    // What it says of the account is what is so now.
    if (ENDED.has(failure.code)) await this.#options.session.load('accounts');
    const isAtField = this.#change !== undefined && failure.code === 'invalid_request' && this.#change.showProblem(failure);
    const account = this.#accountToReconnect(failure);
    if (isHeld(failure)) this.#showHeld(failure);
    else if (account !== undefined)
      show(this.#result, 'error', wordsOf(account, failure.code), ' ', reconnectButton(this.#options.session, account));
    else if (!isAtField) showError(this.#result, failure);
    if (failure.code === 'unreachable') this.#forgetOnceConnected();
  }

  /** The account that the call needs, if its access is why it failed. */
  #accountToReconnect({ code }) {
    const accounts = allAccounts(this.#options.session.accounts.value);
    return ENDED.has(code) ? accounts.find(({ id }) => id === this.#preview.accountId) : undefined;
  }

  /** The tool has changed: what about it, and the decision on it, are where the question is. */
  #showHeld({ message, details }) {
    const { session } = this.#options;
    const account = allAccounts(session.accounts.value).find(({ id }) => id === details.account);
    const look = account && changeButton(session, account, { tool: details.tool, onDecided: () => this.#result.replaceChildren() });
    show(this.#result, 'warning', visibleText(saidToYou(message)), ' ', look);
  }

  #forgetOnceConnected() {
    const { link, signal } = this.#options.session;
    const said = this.#result.firstElementChild;
    link.opened(signal).then(
      () => said.remove(),
      () => {},
    );
  }

  #expire() {
    for (const node of this.#row.children) node.disabled = true;
    this.#options.onExpired();
  }
}

/** The answers stay over the end of what is read: what the keyboard reaches there is moved above them. */
function keepInView({ key, target }) {
  if (key === 'Tab' && target.closest('.question-foot') === null) target.scrollIntoView({ block: 'nearest' });
}

/** Whether a call failed because its tool waits until the user has looked at it. */
const isHeld = ({ details }) => details?.reason === 'tool_held';

/** A client's name is its own words, unless it is a token. */
function askedBy({ client, automation }) {
  if (client === undefined) return automation === undefined ? [] : [askedByAutomation(automation)];
  const who = client.kind === 'oauth' ? QUESTION.askedByApp : QUESTION.askedByToken;
  const about = client.about === null ? '' : ` ${visibleText(client.about)}`;
  return [element('span', { className: 'asked-by' }, who, element('q', {}, element('bdi', {}, quotedText(client.name))), `.${about}`)];
}

function askedByAutomation({ name }) {
  if (name === undefined) return element('span', { className: 'asked-by' }, QUESTION.askedByAnAutomation);
  return element(
    'span',
    { className: 'asked-by' },
    QUESTION.askedByAutomation,
    element('q', {}, element('bdi', {}, quotedText(name))),
    '.',
  );
}

async function decided(session, approvalId, { approved, ...options }) {
  try {
    return { approved, result: await decide(session, approvalId, approved, options) };
  } catch (error) {
    if (STILL_OPEN.has(error.code) || isHeld(error)) throw error;
    return { approved, error };
  }
}
