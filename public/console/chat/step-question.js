import { VIEW } from '../../language/en/questions.js';
import { approvalCard } from '../approvals/approval-card.js';
import { questionName } from '../approvals/approval-question.js';
import { decisionsOf } from '../approvals/decisions.js';
import { endedCard } from '../approvals/question-end.js';
import { element } from '../kit/dom.js';
import { skeleton } from '../kit/states.js';
import { failureOf } from './chat-conversation.js';

/** The question of a step of the assistant's: open, or how it ended. What the conversation says about it may be old. */
export class StepQuestion {
  #context;
  /** The id of the question for which the open ones were looked up since it was first seen. */
  #lookedUp;
  /** The id of the one that is asked once more. */
  #askedAgain;

  /** @param context as a step's */
  constructor(context) {
    this.#context = context;
  }

  /** What is shown of a part: `{text, make}`, of which the text changes with what is shown; undefined: no question. */
  of(part) {
    const { state, approval } = part;
    if (isUndecided(part)) return this.#ended(part, { status: 'expired' });
    if (state !== 'approval-requested') return undefined;
    const { session } = this.#context;
    const id = approval.descriptor?.approvalId ?? approval.id;
    const open = session.approvals.value?.find(({ approvalId }) => approvalId === id);
    if (open !== undefined) return this.#card(approval.id, open);
    this.#lookUp(id);
    if (this.#lookedUp === id) return this.#ended(part, this.#endOf(approval.id, id));
    // It comes with the answer, before the list of the open ones has it.
    const { descriptor } = approval;
    return descriptor?.display === undefined
      ? { text: 'unknown', make: () => element('div', { 'aria-busy': 'true' }, ...skeleton()) }
      : this.#card(approval.id, { approvalId: id, ...descriptor });
  }

  #card(partId, preview) {
    const { session, conversation } = this.#context;
    const configured = session.agents.value?.flatMap(({ actions }) => actions).find(({ name }) => name === preview.action);
    const onDecided = ({ approved, error }) => {
      if (error?.code === 'approval_required') this.#askedAgain = error.details.approvalId;
      session.load('approvals', 'allowances', 'audit');
      if (error?.code === 'approval_required') conversation.askedAgain(partId, error.details);
      else conversation.decided(partId, approved);
    };
    const onExpired = () => session.load('approvals');
    const note = this.#askedAgain === preview.approvalId ? VIEW.askedAgain : undefined;
    return {
      text: JSON.stringify([preview.approvalId, preview.display, note, configured !== undefined]),
      make: () => approvalCard(preview, { session, configured, note, onDecided, onExpired }),
    };
  }

  /** Once a question: those that are open are loaded again, so that one which is not among them has ended. */
  async #lookUp(id) {
    if (this.#lookedUp === id || this.#lookedUp === `asked ${id}`) return;
    this.#lookedUp = `asked ${id}`;
    const { session, conversation } = this.#context;
    try {
      await session.approvals.refresh();
    } catch {
      return;
    }
    this.#lookedUp = id;
    conversation.dispatchEvent(new Event('change'));
  }

  /** One that was decided elsewhere goes on. */
  #endOf(partId, id) {
    const { session, conversation } = this.#context;
    const end = decisionsOf(session).find((one) => one.id === id);
    const isDecided = ['approved', 'edited', 'denied'].includes(end?.status);
    if (isDecided) queueMicrotask(() => conversation.decided(partId, end.status !== 'denied'));
    return end ?? { status: 'expired' };
  }

  #ended(part, end) {
    const { conversation, actionOf } = this.#context;
    const { descriptor } = part.approval;
    const name = descriptor?.display === undefined ? actionOf(part.toolName) : questionName(descriptor.display);
    const asked = requestFor(part, conversation);
    const askAgain = asked === undefined ? undefined : () => conversation.send(asked.text, asked.model);
    return { text: JSON.stringify([end, asked]), make: () => endedCard(name, end, { askAgain }) };
  }
}

/** Nobody decided in time, and the assistant knows. */
function isUndecided({ state, approval, errorText }) {
  return state === 'output-error' && approval !== undefined && approval.approved !== true && failureOf(errorText ?? '').code === 'aborted';
}

/** What the user asked for in the last exchange, to be asked again; undefined: the part is an earlier one's. */
function requestFor(part, { messages, isReading }) {
  const answer = messages.at(-1);
  if (isReading || !answer?.parts.includes(part)) return undefined;
  const request = messages.findLast(({ role }) => role === 'user');
  const text = request?.parts.find(({ type }) => type === 'text')?.text;
  return text === undefined ? undefined : { text, model: answer.metadata?.model };
}
