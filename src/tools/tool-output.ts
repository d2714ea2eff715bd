import { jsonBytes } from '../actions/shared/fitting.ts';
import { truncateOutput, truncationHint } from '../actions/shared/truncate-output.ts';
import { EDITED } from '../executor/approvals/approval-outcomes.ts';
import { DRAFTED } from '../executor/approvals/skipped-call.ts';
import { MODEL_RESULT_BYTES } from '../executor/call/result-size.ts';
import type { CallResult } from '../executor/executor.ts';

/** What a model and a front end receive of a call, beside the data: the account, and how far the text may be trusted. */
export interface ToolOutput {
  data: unknown;
  meta: {
    account: string;
    integrity?: 'own' | 'others';
    confidentiality?: 'private' | 'financial';
    truncated?: true;
    /** How to read on, if it is truncated. */
    hint?: string;
    /** The call that reverts this one. */
    undo?: { tool: string; arguments: object; summary: string };
  };
  /** The user has changed the arguments. */
  edited?: string;
  /** Something else was done than was called. */
  drafted?: string;
}

/** For a hint, and what stands around the data. */
const EMPTY_BYTES = 1_000;

/**
 * What a model receives of a result: at most {@link MODEL_RESULT_BYTES}. Most results of calls for a model are made so; what
 * another surface asked for, and a model reads, is truncated here.
 *
 * @param toolOf the tool of an action
 */
export function toolOutput({ data, meta }: CallResult, toolOf: (action: string) => string | undefined): ToolOutput {
  const { account, labels, hint, edited, drafted } = meta;
  const beside = {
    account,
    ...(labels !== undefined && { integrity: labels.integrity, confidentiality: labels.confidentiality }),
    ...undoIn(meta, toolOf),
  };
  const notes = { ...(edited && { edited: EDITED }), ...(drafted && { drafted: DRAFTED }) };
  const left = MODEL_RESULT_BYTES - EMPTY_BYTES - jsonBytes({ beside, ...notes });
  const { value, leftOut } = truncateOutput(data, left);
  const told = leftOut.length > 0 ? truncationHint(leftOut) : hint;
  return { data: value, meta: { ...beside, ...(told && { truncated: true, hint: told }) }, ...notes };
}

/** An undo that is too long is left out: cut, it would do something else. */
function undoIn({ account, undo }: CallResult['meta'], toolOf: (action: string) => string | undefined): Pick<ToolOutput['meta'], 'undo'> {
  const tool = undo && toolOf(undo.action);
  if (undo === undefined || tool === undefined) return {};
  const shown = { tool, arguments: { account, ...undo.input }, summary: undo.summary };
  return jsonBytes(shown) > MODEL_RESULT_BYTES / 2 ? {} : { undo: shown };
}
