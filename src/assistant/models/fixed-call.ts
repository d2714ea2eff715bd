import type { ModelSettings } from '../../config/config.ts';
import { AppError, ERROR_STATUS, internalError } from '../../errors.ts';
import { LEFT_OUT } from '../../executor/approvals/skipped-call.ts';
import { codeOfToolError, toolErrorText } from '../../tools/tool-error.ts';
import type { Model } from './bounded-model.ts';
import type { Part, Streamed } from './well-formed-parts.ts';

/** One call whose arguments the user has written. */
export interface FixedCall {
  /** The tool's name. */
  tool: string;
  input: object;
}

/** What stands for a model's settings where there is no model: it costs nothing. */
export const FIXED_CALL: ModelSettings = {
  name: 'fixed-call',
  provider: 'openai-compatible',
  model: 'fixed-call',
  baseUrl: undefined,
  contextTokens: 1_000_000,
  inputPrice: undefined,
  outputPrice: undefined,
  apiKey: undefined,
};

type Prompt = Parameters<Extract<Model, { specificationVersion: 'v4' }>['doStream']>[0]['prompt'];

const NO_TOKENS = { inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 0, text: 0, reasoning: 0 } };
const CALL_ID = 'call';
/** One that could not be made is made again: a model would do so, too. */
const MOST_CALLS = 3;
const TEXT_ID = 'text';

/**
 * Makes one call in place of a model, and ends: the call is checked, asked about, stored and continued like one of a model's, by the
 * same code.
 */
export function fixedCallModel({ tool, input }: FixedCall): Model {
  const call: Part[] = [{ type: 'tool-call', toolCallId: CALL_ID, toolName: tool, input: JSON.stringify(input) }, finish('tool-calls')];
  const end: Part[] = [
    { type: 'text-start', id: TEXT_ID },
    { type: 'text-delta', id: TEXT_ID, delta: 'That was all.' },
    { type: 'text-end', id: TEXT_ID },
    finish('stop'),
  ];
  return {
    specificationVersion: 'v4',
    provider: FIXED_CALL.name,
    modelId: FIXED_CALL.model,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('a fixed call is only streamed')),
    doStream: async ({ prompt }) => {
      const failures = prompt.map(failureIn);
      const failure = failures.at(-1);
      const isToBeMade =
        prompt.at(-1)?.role !== 'tool' || (failure?.code === 'unavailable' && failures.filter(isFailure).length < MOST_CALLS);
      if (isToBeMade) return { stream: streamOf(call) };
      if (failure !== undefined) throw failure;
      return { stream: streamOf(end) };
    },
  };
}

/** Without a model, a call that failed is a run that failed. One that its user wants left out hasn't. */
function failureIn(message: Prompt[number]): AppError | undefined {
  if (message.role !== 'tool') return undefined;
  const texts = message.content.flatMap((part) =>
    part.type === 'tool-result' && part.output.type === 'error-text' ? part.output.value : [],
  );
  const [text] = texts.filter((one) => one !== toolErrorText({ code: 'forbidden', message: LEFT_OUT }));
  if (text === undefined) return undefined;
  const code = codeOfToolError(text);
  return code in ERROR_STATUS ? new AppError(code, text.slice(code.length + 2)) : internalError();
}

function isFailure(found: AppError | undefined): boolean {
  return found !== undefined;
}

function finish(unified: 'stop' | 'tool-calls'): Part {
  return { type: 'finish', usage: NO_TOKENS, finishReason: { unified, raw: undefined } };
}

function streamOf(parts: readonly Part[]): Streamed {
  return ReadableStream.from([{ type: 'stream-start', warnings: [] } as Part, ...parts]) as Streamed;
}
