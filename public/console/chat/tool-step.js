import { actionName } from '../../language/en/actions.js';
import { step as texts } from '../../language/en/chat.js';
import { saidToYou } from '../../language/en/said-to-you.js';
import { argumentsView } from '../approvals/approval-arguments.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { visibleText } from '../page/page-text.js';
import { resultBadges } from '../results/result-badges.js';
import { resultView } from '../results/result-view.js';
import { failureOf } from './chat-conversation.js';
import { stepProblem } from './step-problem.js';
import { StepQuestion } from './step-question.js';

const TONES = {
  'approval-requested': 'attention',
  'output-available': 'good',
  'output-error': 'bad',
  'output-denied': 'bad',
};
/** Codes by which Steward refuses a call, whatever the model says. */
const REFUSALS = new Set(['forbidden']);

/** Whether a part of a message is a call. */
export const isToolPart = ({ type }) => type === 'dynamic-tool' || type.startsWith('tool-');

/** Whether a part is a call that Steward has refused. */
export const isRefused = ({ state, errorText }) => state === 'output-error' && REFUSALS.has(failureOf(errorText ?? '').code);

/** A call of the assistant: what it was, with which account and arguments, and what came of it. */
export class ToolStep {
  #context;
  #question;
  #shown;
  #wasOpen = false;

  /** @param context `{session, conversation, actionOf}` */
  constructor(context) {
    this.#context = context;
    this.#question = new StepQuestion(context);
    this.node = element('div', { className: 'tool-step' });
  }

  /** @param before parts of the message that come before @param isLast its message can be answered again */
  update(part, before, isLast = false) {
    const { state, approval, errorText } = part;
    // The focus, an open detail and what a user has begun to write survive. The name is known when the actions are loaded.
    const question = this.#question.of(part);
    const problem = question === undefined ? this.#problem(part, isLast) : undefined;
    const shown = JSON.stringify([
      state,
      approval,
      errorText,
      this.#name(part),
      question?.text,
      problem?.text,
      problem !== undefined && isLast,
    ]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const held = this.node.contains(document.activeElement);
    this.#wasOpen ||= this.node.querySelector('details')?.open === true;
    this.node.dataset.state = state;
    const content = question === undefined ? this.#content(part, before) : [question.make()];
    this.node.replaceChildren(...content, ...(problem === undefined ? [] : [problem.make()]));
    if (held) this.node.querySelector('summary')?.focus();
  }

  #content(part, before) {
    const name = this.#name(part);
    const failure = part.state === 'output-error' ? failureOf(part.errorText ?? '') : undefined;
    if (isRefused(part)) return [this.#refusal(name, part, failure, before)];
    return [this.#details(name, part, failure)];
  }

  #problem(part, isLast) {
    if (part.state !== 'output-error') return undefined;
    const failure = failureOf(part.errorText ?? '');
    return stepProblem(this.#context, { action: this.#name(part), input: part.input, failure, isLast });
  }

  /** What the model tried, that Steward refused it, and why: the reason is Steward's own sentence. */
  #refusal(name, { input, errorText }, { code, message }, before) {
    const sources = this.#readBefore(before);
    const rows = [
      row(texts.tried, named(name), ...toWhom(input)),
      row(texts.steward, tag('bad', texts.refused), texts.nothingDone),
      row(texts.why, visibleText(saidToYou(message || errorText))),
      ...(sources.length === 0 ? [] : [row(texts.readBefore, element('ul', { className: 'sources' }, ...sources))]),
    ];
    return element(
      'article',
      { className: 'refusal', 'aria-label': texts.refusal(actionName(name)) },
      element('dl', {}, ...rows),
      sent(input ?? {}, code),
    );
  }

  /** The results that came before, and whose text they are. */
  #readBefore(parts) {
    const read = parts.filter(({ output }) => output?.meta?.integrity === 'others' || output?.meta?.confidentiality === 'financial');
    return [...Map.groupBy(read, (part) => this.#name(part))].map(([name, same]) => {
      const times = same.length === 1 ? '' : texts.times(same.length);
      const badges = element('span', { className: 'badges' }, ...resultBadges(same[0].output.meta));
      return element('li', {}, named(name), times, ' ', badges);
    });
  }

  #name(part) {
    return this.#context.actionOf(part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length));
  }

  #details(name, part, failure) {
    const { input, output, state, approval } = part;
    const unsure = texts.unsure[failure?.code];
    const text = unsure ?? texts.states[state] ?? state;
    const kind = unsure === undefined ? (TONES[state] ?? '') : 'attention';
    const account = output?.meta?.account ?? approval?.descriptor?.account ?? input?.account;
    const head = element(
      'summary',
      {},
      named(name),
      tag(kind, state === 'approval-responded' ? texts.responses[String(approval.approved)] : text),
      account === undefined || account === '' ? undefined : element('span', { className: 'muted' }, visibleText(String(account))),
      ...resultBadges(output?.meta),
    );
    const body = [
      failure && failureNode(failure),
      output === undefined ? undefined : resultView(name, output.data ?? output, output.meta),
      output?.edited ? element('p', { className: 'muted' }, texts.edited) : undefined,
      input === undefined ? undefined : sent(input),
    ];
    return element('details', { open: this.#wasOpen }, head, ...body);
  }
}

/** @param code of the failure */
function sent(input, code) {
  const named = code === undefined ? undefined : element('p', {}, element('code', {}, code));
  return element('details', { className: 'sent' }, element('summary', {}, texts.details), named, argumentsView(input));
}

function failureNode({ code, message }) {
  return element(
    'p',
    { className: 'step-error' },
    visibleText(saidToYou(message)),
    ' ',
    code === undefined ? undefined : element('code', {}, code),
  );
}

/** An action in words, with its technical name on demand. */
const named = (name) => element('span', { title: name }, visibleText(actionName(name)));

const row = (title, ...content) => element('div', {}, element('dt', {}, title), element('dd', {}, ...content));

function toWhom(input = {}) {
  const people = [input.to, input.cc, input.bcc, input.add_attendees, input.attendees, input.email]
    .flat()
    .filter((one) => one !== undefined);
  if (people.length === 0) return [];
  const address = (one) => (typeof one === 'string' ? one : (one?.address ?? one?.email ?? ''));
  return [texts.to, element('strong', {}, visibleText(people.map(address).filter(Boolean).join(', ')))];
}
