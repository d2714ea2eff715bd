import type { ChatMessage, ChatRequest } from './chat-request.ts';
import { textOf } from './chat-request.ts';
import { CALL_TOOL, type Tools } from './plans.ts';
import { isData, type Result, readResult } from './tool-results.ts';

/** A request's messages as the stand-in understands them. */
export interface Conversation {
  /** The instructions for the model. */
  system: string;
  /** The last message of the user, and all of them. */
  said: string;
  allSaid: readonly string[];
  /** What the model has answered before. */
  answers: readonly string[];
  tools: Tools;
  /** Results before the last message of the user, oldest first. */
  earlier: readonly Result[];
  /** Results since then, in the order of their calls. */
  results: readonly Result[];
}

export function readConversation({ messages, tools, tool_choice: choice }: ChatRequest): Conversation {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const texts = (roles: readonly string[]) => messages.filter(({ role }) => roles.includes(role)).map(textOf);
  const allSaid = texts(['user']);
  const offered = choice === 'none' ? [] : (tools ?? []);
  return {
    system: texts(['system', 'developer']).join('\n'),
    said: allSaid.at(-1) ?? '',
    allSaid,
    answers: texts(['assistant']),
    tools: new Map(offered.map((tool) => [tool.function.name, tool.function.parameters ?? {}])),
    earlier: resultsOf(messages.slice(0, last + 1)),
    results: resultsOf(messages.slice(last + 1)),
  };
}

/** The results in the order of the calls, which is not always that of the messages. */
function resultsOf(messages: readonly ChatMessage[]): Result[] {
  const contents = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.tool_call_id, textOf(message)] as const] : [])),
  );
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []));
  return calls.map(({ id, function: called }) => readResult(toolOf(called), contents.get(id) ?? 'failed: there is no result'));
}

/** The tool that a call is of, also where it was called by its name. */
function toolOf({ name, arguments: given }: { name: string; arguments: string }): string {
  if (name !== CALL_TOOL) return name;
  try {
    const called: unknown = JSON.parse(given);
    return isData(called) && typeof called.name === 'string' ? called.name : name;
  } catch {
    return name;
  }
}
