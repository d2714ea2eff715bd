import type { LoadedAction } from '../../integrations/catalog.ts';

/** Surfaces whose callers pass results on to a model. */
const MODELS: ReadonlySet<string> = new Set(['assistant', 'mcp']);

/**
 * Most bytes of a result that a model receives, as JSON and in all. Clients refuse results of more than 25,000 tokens (Claude
 * Code, MAX_MCP_OUTPUT_TOKENS), and vendors count tokens differently, but a token is at least one byte: these are at most
 * 20,000 tokens of any text. Of a bank's transactions they are about 9,000, of English 4,500, of base64 14,000 (o200k_base and
 * Claude's published tokenizer), so that both copies of a result of MCP are rarely more.
 */
export const MODEL_RESULT_BYTES = 20_000;
/** For what stands beside the data: account, labels, the call that reverts a change. */
const BESIDE_BYTES = 1_500;

/** Most bytes of a call's output. @param surface where the call came from */
export function capOf({ capBytes }: Pick<LoadedAction, 'capBytes'>, surface: string): number {
  return MODELS.has(surface) ? Math.min(capBytes, MODEL_RESULT_BYTES - BESIDE_BYTES) : capBytes;
}
