import { EDITED } from '../executor/approvals/approval-outcomes.ts';
import type { CallResult } from '../executor/executor.ts';

/** What a model and a front end receive of a call, beside the data: the account, and how far the text may be trusted. */
export interface ToolOutput {
  data: unknown;
  meta: {
    account: string;
    integrity?: 'own' | 'others';
    confidentiality?: 'private' | 'financial';
    truncated?: true;
    /** The call that reverts this one. */
    undo?: { tool: string; arguments: object; summary: string };
  };
  /** The user has changed the arguments. */
  edited?: string;
}

/** @param toolOf the tool of an action */
export function toolOutput({ data, meta }: CallResult, toolOf: (action: string) => string | undefined): ToolOutput {
  const { account, labels, truncated, undo, edited } = meta;
  const undoTool = undo && toolOf(undo.action);
  return {
    data,
    meta: {
      account,
      ...(labels !== undefined && { integrity: labels.integrity, confidentiality: labels.confidentiality }),
      ...(truncated && { truncated }),
      ...(undo !== undefined &&
        undoTool !== undefined && { undo: { tool: undoTool, arguments: { account, ...undo.input }, summary: undo.summary } }),
    },
    ...(edited && { edited: EDITED }),
  };
}
