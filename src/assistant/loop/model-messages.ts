import { convertToModelMessages, type ModelMessage, type UIMessage } from 'ai';
import { WorkTurns } from '../../concurrency/work-turns.ts';
import { toolErrorText } from '../../tools/tool-error.ts';
import { isObject } from '../../validation/is-object.ts';
import type { StoredMessage } from '../threads/stored-message.ts';
import type { Summary } from '../threads/threads.ts';
import { addressesIn } from './addresses-in.ts';

type Part = UIMessage['parts'][number];
type ToolPart = Extract<Part, { type: 'dynamic-tool' }>;

const UNDECIDED = 'The user has not decided yet whether this may run. It has not run.';
const DENIED = toolErrorText({ code: 'forbidden', message: 'The user denied this call. It was not made.' });

/** Searching a text for addresses takes this many times as long as parsing it. */
const SEARCH_COST = 8;

/** A conversation, as far as a model receives it. */
export interface History {
  messages: readonly StoredMessage[];
  /** Stands for the first messages. */
  summary: Summary | undefined;
}

/** The messages that a summary doesn't stand for. */
export function unsummarized({ messages, summary }: History): StoredMessage[] {
  return messages.filter(({ position }) => position > (summary?.position ?? 0));
}

/** The addresses that the user has typed in a thread: no other person's text is in the user's messages. A long thread takes a while. */
export async function namedAddresses(messages: readonly StoredMessage[]): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  const turns = new WorkTurns();
  for (const { message } of messages) {
    if (message.role !== 'user') continue;
    const text = textOf(message);
    for (const address of addressesIn(text)) named.add(address);
    await turns.done(SEARCH_COST * text.length);
  }
  return named;
}

/** Ids of the calls of a thread. */
export function callIds(messages: readonly StoredMessage[]): string[] {
  return messages.flatMap(({ message }) => message.parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part.toolCallId] : [])));
}

export function textOf({ parts }: Pick<UIMessage, 'parts'>): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** A conversation in the form of models. Approvals are the service's own, so models are told only what has become of the calls. */
export async function toModelMessages(summary: Summary | undefined, messages: readonly UIMessage[]): Promise<ModelMessage[]> {
  const shown = messages.map((message) => ({ ...message, parts: message.parts.map(shownPart) }));
  const converted = await convertToModelMessages(shown, { ignoreIncompleteToolCalls: true });
  return summary === undefined ? converted : [{ role: 'user', content: summary.text }, ...converted];
}

function shownPart(part: Part): Part {
  if (part.type !== 'dynamic-tool') return part;
  const { toolCallId, toolName, callProviderMetadata } = part;
  const call = {
    type: 'dynamic-tool',
    toolCallId,
    toolName,
    // Some providers refuse requests with other arguments than objects; the error of the call tells what was wrong.
    input: isObject(part.input) ? part.input : {},
    ...(callProviderMetadata && { callProviderMetadata }),
  } as const;
  switch (part.state) {
    case 'output-available':
      return { ...call, state: 'output-available', output: part.output };
    case 'approval-requested':
    case 'approval-responded':
      return { ...call, state: 'output-available', output: { pending: UNDECIDED } };
    case 'output-denied':
      return { ...call, state: 'output-error', errorText: DENIED };
    case 'output-error':
      return { ...call, state: 'output-error', errorText: part.errorText };
    default:
      return part;
  }
}

/** A message whose results of tools are left out. Their labels stay: the model has read them. */
export function withoutResults(message: UIMessage): UIMessage {
  return { ...message, parts: message.parts.map((part) => (hasResult(part) ? { ...part, output: stubOf(part.output) } : part)) };
}

function hasResult(part: Part): part is ToolPart & { state: 'output-available' } {
  return part.type === 'dynamic-tool' && part.state === 'output-available';
}

/** The same for the results of a run's earlier steps. */
export function withoutEarlierResults(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'tool');
  return messages.map((message, index) => {
    if (message.role !== 'tool' || index === last) return message;
    const content = message.content.map((part) =>
      part.type === 'tool-result' && part.output.type === 'json'
        ? { ...part, output: { ...part.output, value: stubOf(part.output.value) as typeof part.output.value } }
        : part,
    );
    return { ...message, content };
  });
}

function stubOf(output: unknown): object {
  const bytes = JSON.stringify(output)?.length ?? 0;
  return {
    omitted: `A result of ${bytes} bytes, left out to save space. Call again if you need it.`,
    ...(isObject(output) && isObject(output.meta) && { meta: output.meta }),
  };
}
