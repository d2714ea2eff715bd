import type { CallToolResult } from '@modelcontextprotocol/server';
import { truncateOutput } from '../actions/shared/truncate-output.ts';
import type { AppError } from '../errors.ts';
import type { AskedPreview, CallResult } from '../executor/executor.ts';
import { APPROVAL_RESULT_TOOL_NAME } from '../integrations/catalog.ts';
import { toolErrorText } from '../tools/tool-error.ts';
import { toolOutput } from '../tools/tool-output.ts';

/** Most bytes of an error's details. */
const DETAILS_BYTES = 10_000;

/**
 * What a model receives of a result, beside the data: the account that was used, and how far the text may be trusted.
 *
 * @param toolOf the tool of an action, for the call that reverts this one
 */
export function toToolResult(result: CallResult, toolOf: (action: string) => string | undefined): CallToolResult {
  return withText({ ...toolOutput(result, toolOf) });
}

/**
 * An error as a result, which a model can read and act on.
 *
 * @param text what it is told; left out: the message
 */
export function toErrorResult({ code, message, details }: Pick<AppError, 'code' | 'message' | 'details'>, text = message): CallToolResult {
  // The provider's own words are for the log.
  const { provider: _, ...told } = details ?? {};
  const { value, leftOut } = truncateOutput(told, DETAILS_BYTES);
  const shown = { ...(value as typeof told), ...(leftOut.length > 0 && { left_out: leftOut }) };
  const hasDetails = Object.keys(shown).length > 0;
  return {
    content: [{ type: 'text', text: toolErrorText({ code, message: text }) }],
    structuredContent: { error: { code, message, ...(hasDetails && { details: shown }) } },
    isError: true,
  };
}

/** What a model receives of a call that waits for the user. */
export function toBeApproved({ details }: AppError): string {
  const { approvalId, url, summary } = details as unknown as AskedPreview;
  return `Needs the user’s approval: “${summary}”. Ask the user to open ${url} and to decide there. Then call ${APPROVAL_RESULT_TOOL_NAME} with id ${approvalId}.`;
}

/** The same JSON as structured content and as text, for clients that show models only one of them. */
export function withText(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
