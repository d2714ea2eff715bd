import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AppError } from '../errors.ts';
import type { CallResult } from '../executor/executor.ts';

/**
 * What a model is told of a result, beside the data: the account that was used, and how far the text may be trusted.
 *
 * @param toolOf the tool of a built-in action, for the call that reverts this one
 */
export function toToolResult({ data, meta }: CallResult, toolOf: (action: string) => string | undefined = () => undefined): CallToolResult {
  const { account, labels, truncated, undo } = meta;
  const { integrity, confidentiality } = labels ?? {};
  const undoTool = undo && toolOf(undo.action);
  return withText({
    data,
    meta: {
      account,
      ...(integrity !== undefined && { integrity }),
      ...(confidentiality !== undefined && { confidentiality }),
      ...(truncated && { truncated }),
      ...(undoTool !== undefined && { undo: { tool: undoTool, arguments: undo?.input, summary: undo?.summary } }),
    },
  });
}

/**
 * An error as a result, which a model can read and act on.
 *
 * @param text what it is told; left out: the message
 */
export function toErrorResult({ code, message, details }: Pick<AppError, 'code' | 'message' | 'details'>, text = message): CallToolResult {
  // The provider's own words are for the log.
  const { provider: _, ...shown } = details ?? {};
  const hasDetails = Object.keys(shown).length > 0;
  return {
    content: [{ type: 'text', text: `${code}: ${text}` }],
    structuredContent: { error: { code, message, ...(hasDetails && { details: shown }) } },
    isError: true,
  };
}

/** The same JSON as structured content and as text, for clients that show models only one of them. */
export function withText(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
