import { type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import { CALL_TOOL_NAME, FIND_TOOLS_NAME } from '../../integrations/catalog.ts';
import { callIn } from '../../tools/deferred-tools.ts';
import type { Model } from './bounded-model.ts';
import type { Part, Streamed } from './well-formed-parts.ts';

/** Names of tools. */
export interface CallableNames {
  /** Of all actions that may be called now. */
  actions: ReadonlySet<string>;
  /** Those of them that the model is not told of. */
  deferred: ReadonlySet<string>;
}

type CallPart = Extract<Part, { type: 'tool-call' }>;

/**
 * A model that is told of the listed tools only, and whose calls of `call_tool` are calls of the tools that they name: what
 * is shown, stored, asked about and counted is the tool itself. A name that there is no tool of becomes a call of `call_tool`,
 * which says so.
 */
export function namedCalls(model: Model, names: CallableNames): Model {
  const middleware: LanguageModelMiddleware = {
    transformParams: async ({ params }) => {
      const { tools = [], ...rest } = params;
      return { ...rest, tools: tools.filter(({ name }) => !names.deferred.has(name)) };
    },
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      // Whose arguments come in pieces: their tool is known at the end only.
      const unnamed = new Set<string>();
      const named = new TransformStream<Part, Part>({
        transform(part, controller) {
          if (part.type === 'tool-input-start' && part.toolName === CALL_TOOL_NAME) unnamed.add(part.id);
          if (isInputOf(part, unnamed)) return;
          controller.enqueue(part.type === 'tool-call' ? namedCall(part, names) : part);
        },
      });
      return { ...rest, stream: stream.pipeThrough(named) as Streamed };
    },
  };
  return wrapLanguageModel({ model: model as Parameters<typeof wrapLanguageModel>[0]['model'], middleware });
}

function isInputOf(part: Part, calls: ReadonlySet<string>): boolean {
  return (part.type === 'tool-input-start' || part.type === 'tool-input-delta' || part.type === 'tool-input-end') && calls.has(part.id);
}

function namedCall(part: CallPart, { actions }: CallableNames): CallPart {
  const { toolName } = part;
  if (toolName === CALL_TOOL_NAME) {
    try {
      const { name, arguments: input } = callIn(parsed(part.input), actions);
      return { ...part, toolName: name, input: JSON.stringify(input) };
    } catch {
      // It fails when it is made, and says why.
      return part;
    }
  }
  if (toolName === FIND_TOOLS_NAME || actions.has(toolName)) return part;
  return { ...part, toolName: CALL_TOOL_NAME, input: JSON.stringify({ name: toolName, arguments: parsed(part.input) }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
