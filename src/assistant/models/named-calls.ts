import { type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import { CALL_TOOL_NAME, FIND_TOOLS_NAME } from '../../integrations/catalog.ts';
import { callIn } from '../../tools/deferred-tools.ts';
import type { Model } from './bounded-model.ts';
import type { Part, Streamed } from './well-formed-parts.ts';

type CallPart = Extract<Part, { type: 'tool-call' }>;

/** Names of the tools of all actions, whether or not they may be called now. */
type Names = Pick<ReadonlySet<string>, 'has'>;

/** A model that is told of these tools only. */
export function toldOnly(model: Model, told: Names): Model {
  return wrapped(model, {
    transformParams: async ({ params }) => {
      const { tools = [], toolChoice, ...rest } = params;
      const shown = tools.filter(({ name }) => told.has(name));
      // Some servers refuse an empty list, or a choice among none.
      return shown.length === 0 ? rest : { ...params, tools: shown };
    },
  });
}

/**
 * A model whose calls of `call_tool` are calls of the tools that they name: what is shown, stored, asked about and counted is the
 * tool itself.
 *
 * @param hasCallTool the model is told of `call_tool`: a name that there is no tool of becomes a call of it, which says so
 */
export function namedCalls(model: Model, names: Names, hasCallTool: boolean): Model {
  return wrapped(model, {
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      // Whose arguments come in pieces: their tool is known at the end only.
      const unnamed = new Set<string>();
      const named = new TransformStream<Part, Part>({
        transform(part, controller) {
          if (part.type === 'tool-input-start' && part.toolName === CALL_TOOL_NAME) unnamed.add(part.id);
          if (isInputOf(part, unnamed)) return;
          controller.enqueue(part.type === 'tool-call' ? namedCall(part, names, hasCallTool) : part);
        },
      });
      return { ...rest, stream: stream.pipeThrough(named) as Streamed };
    },
  });
}

function wrapped(model: Model, middleware: LanguageModelMiddleware): Model {
  return wrapLanguageModel({ model: model as Parameters<typeof wrapLanguageModel>[0]['model'], middleware });
}

function isInputOf(part: Part, calls: ReadonlySet<string>): boolean {
  return (part.type === 'tool-input-start' || part.type === 'tool-input-delta' || part.type === 'tool-input-end') && calls.has(part.id);
}

function namedCall(part: CallPart, names: Names, hasCallTool: boolean): CallPart {
  const { toolName } = part;
  if (toolName === CALL_TOOL_NAME) {
    try {
      const { name, arguments: input } = callIn(parsed(part.input));
      return names.has(name) ? { ...part, toolName: name, input: JSON.stringify(input) } : part;
    } catch {
      // It fails when it is made, and says why.
      return part;
    }
  }
  if (!hasCallTool || toolName === FIND_TOOLS_NAME || names.has(toolName)) return part;
  return { ...part, toolName: CALL_TOOL_NAME, input: JSON.stringify({ name: toolName, arguments: parsed(part.input) }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
