import { ASKED_AGAIN, DECIDED, lineProblem, NOT_DONE } from '../../public/language/en/approvals.js';
import type { Formatter } from '../../public/language/formatter.js';
import type { Clock } from '../clock/clock.ts';
import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { isOver } from '../executor/approvals/approval-checks.ts';
import type { Executor, LinkedPreview } from '../executor/executor.ts';
import type { Reply } from '../http/endpoints/endpoint.ts';
import { websiteOf } from '../http/pages/way-on.ts';
import { formatterFor, selectPreferences } from '../preferences/preferences-repository.ts';
import type { FirstParty } from '../principal.ts';
import { digestOf } from './approval-schemas.ts';
import { asSent, type FormField, formOfQuestion } from './change-form.ts';
import type { FieldProblem } from './change-html.ts';
import { argumentsOf } from './decision-arguments.ts';
import type { DecisionForm } from './decision-form.ts';
import { endedPage, endPage, noQuestionPage } from './end-page.ts';
import { listPage } from './list-page.ts';
import { findQuestion } from './open-question.ts';
import { changePage, type QuestionForm, questionPage } from './question-page.ts';

export interface RepliesDeps {
  executor: Pick<Executor, 'approvals' | 'mayBeAllowed' | 'ended' | 'inputSchema'>;
  clock: Clock;
  db: Queryable;
}

/** What a browser receives of questions. */
export class QuestionReplies {
  readonly #executor: RepliesDeps['executor'];
  readonly #clock: Clock;
  readonly #db: Queryable;

  constructor({ executor, clock, db }: RepliesDeps) {
    this.#executor = executor;
    this.#clock = clock;
    this.#db = db;
  }

  async list(user: FirstParty): Promise<Reply<never>> {
    const { userId } = user;
    const [approvals, ended, formatter] = await Promise.all([
      this.#executor.approvals(userId),
      this.#executor.ended(userId),
      this.#formatter(user),
    ]);
    return { page: listPage(user, approvals, ended, this.#clock.now(), formatter) };
  }

  /** @param isChanging with the form of its action */
  async question(user: FirstParty, pending: LinkedPreview, isChanging: boolean): Promise<Reply<never>> {
    const form = await this.#formOf(user, pending);
    return {
      page: isChanging ? changePage(form, { fields: await formOfQuestion(this.#executor, user.userId, pending) }) : questionPage(form),
    };
  }

  /** How a question ended that can't be decided any more. */
  async ended(user: FirstParty, id: string): Promise<Reply<never>> {
    const [ended] = await this.#executor.ended(user.userId, id);
    return ended === undefined
      ? { page: noQuestionPage(user), status: 404 }
      : { page: endedPage(user, ended, await this.#formatter(user)) };
  }

  /** The page after a decision, or that of the question while it is open and has something to correct. */
  async decided(
    user: FirstParty,
    id: string,
    sent: DecisionForm,
    approve: (input: object | undefined) => Promise<unknown>,
  ): Promise<Reply<never>> {
    const pending = await findQuestion(this.#executor, user.userId, id);
    if (pending === undefined) return this.ended(user, id);
    const fields = await formOfQuestion(this.#executor, user.userId, pending);
    try {
      await approve(await argumentsOf(sent, { input: pending.input, fields }));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return this.#notDone(user, pending, sent, error);
    }
    const back = websiteOf(pending.client?.redirectHost ?? null);
    return { page: endPage(user, { ...(sent.approved ? DECIDED.approved : DECIDED.denied), about: pending, back }) };
  }

  async #notDone(user: FirstParty, about: LinkedPreview, sent: DecisionForm, error: AppError): Promise<Reply<never>> {
    // A double click: a browser shows the answer to the second one.
    if (isOver(error)) return this.ended(user, about.approvalId);
    const { code, message, status } = error;
    const pending = await findQuestion(this.#executor, user.userId, about.approvalId);
    if (pending !== undefined && code === 'approval_required') {
      return { page: questionPage(await this.#formOf(user, pending, ASKED_AGAIN)), status };
    }
    if (pending !== undefined && (sent.changed ?? sent.input_json) !== undefined) {
      const fields = await formOfQuestion(this.#executor, user.userId, pending);
      const problem = sent.changed === undefined ? undefined : problemOf(message, fields);
      const form = await this.#formOf(user, pending, problem === undefined ? message : undefined);
      const edited = { fields: sent.changed === undefined ? fields : asSent(fields, sent), json: sent.input_json, problem };
      return { page: changePage(form, edited), status };
    }
    const heading = code === 'outcome_unknown' ? NOT_DONE.unknown : NOT_DONE.failed;
    return { page: endPage(user, { heading, text: message, about, code, pending: pending?.approvalId }), status };
  }

  async #formOf(user: FirstParty, approval: LinkedPreview, problem?: string): Promise<QuestionForm> {
    const mayBeAllowed = this.#executor.mayBeAllowed(approval);
    return {
      user,
      approval,
      shown: digestOf(approval),
      mayBeAllowed,
      now: this.#clock.now(),
      formatter: await this.#formatter(user),
      problem,
    };
  }

  async #formatter({ userId }: FirstParty): Promise<Formatter> {
    return formatterFor(await selectPreferences(this.#db, userId));
  }
}

/** What the server refuses, at its field. */
function problemOf(message: string, fields: readonly FormField[]): FieldProblem | undefined {
  const [, path = '', index, problem = ''] = /^(\w{1,100})(?:\.(\d{1,5}))?[\w.]{0,200}: (.+)$/s.exec(message) ?? [];
  if (!fields.some((field) => field.path === path)) return undefined;
  return { path, text: lineProblem(index === undefined ? undefined : Number(index), problem.replace(/\.$/, '')) };
}
