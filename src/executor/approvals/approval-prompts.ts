import { AppError } from '../../errors.ts';
import type { Telemetry } from '../../observability/telemetry.ts';
import type { AuditEntryBuilder } from '../audit/audit-log.ts';
import type { Call } from '../call/call.ts';
import type { Assessment } from '../policy/gate.ts';
import { hashesOfSubjects } from '../policy/open-questions.ts';
import type { ApprovalPreview, LinkedPreview } from './approval-preview.ts';
import type { ApprovalPrompt, ApprovalPromptDeps } from './approval-prompt.ts';
import type { ApprovalRequests } from './approval-requests.ts';
import { shownToAsker } from './asked-preview.ts';

export interface ApprovalPromptsDeps extends ApprovalPromptDeps {
  requests: ApprovalRequests;
  telemetry: Telemetry;
  /** The address of an approval's page. */
  approvalUrl(approvalId: string): string;
}

/** Asks the user about calls. The caller receives `approval_required`, with {@link shownToAsker} as details. */
export class ApprovalPrompts {
  readonly #deps: ApprovalPromptsDeps;

  constructor(deps: ApprovalPromptsDeps) {
    this.#deps = deps;
  }

  /**
   * Asks about a call that was just assessed.
   *
   * @param surface where the call came from
   * @throws AppError `approval_required`; what {@link ApprovalRequests.request} throws
   */
  async ask(call: Call, assessment: Assessment, surface: string, entry: AuditEntryBuilder): Promise<never> {
    const { requests, telemetry } = this.#deps;
    const preview = await requests.request(call, surface, hashesOfSubjects(call, assessment.facts), () => this.of(call, assessment));
    telemetry.count('approval', 'requested');
    throw this.required(preview, entry, call);
  }

  /** @throws AppError `approval_required` when an equal call waits for the user, `forbidden` when the user has denied it */
  async assertNotAsked(call: Call, entry: AuditEntryBuilder): Promise<void> {
    const asked = await this.#deps.requests.shown(call);
    if (asked !== undefined) throw this.required(asked, entry, call);
  }

  /** What the user would read about a call. */
  async of(call: Call, assessment: Assessment): Promise<ApprovalPrompt> {
    // Not before the first question: each start would load it.
    const { approvalPromptOf } = await import('./approval-prompt.ts');
    return approvalPromptOf(this.#deps, call, assessment);
  }

  /** The same of a call whose tool has changed since the user was first asked. */
  async ofRedefined(call: Call, assessment: Assessment): Promise<ApprovalPrompt> {
    const prompt = await this.of(call, assessment);
    const { redefined } = await import('./approval-prompt.ts');
    return redefined(prompt);
  }

  /**
   * The error of a call that waits for the user; its audit row is filed under the approval.
   *
   * @param call of the caller that asks; left out: the user, who decides
   */
  required(preview: ApprovalPreview, entry: AuditEntryBuilder, call?: Call): AppError {
    entry.forApproval(preview.approvalId);
    const details = { ...shownToAsker(this.linked(preview), call, this.#deps.clock.now()) };
    return new AppError('approval_required', 'The user has to approve this first.', { details });
  }

  /** With the address of its page. */
  linked(preview: ApprovalPreview): LinkedPreview {
    return { ...preview, url: this.#deps.approvalUrl(preview.approvalId) };
  }
}
