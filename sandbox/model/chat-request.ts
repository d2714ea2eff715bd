import { z } from 'zod';

/** A part of a message's content; only text is read. */
const part = z.object({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(part)]).nullish();
const toolCall = z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) });

const message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content }),
  z.object({ role: z.literal('user'), content }),
  z.object({ role: z.literal('assistant'), content, tool_calls: z.array(toolCall).nullish() }),
  z.object({ role: z.literal('tool'), content, tool_call_id: z.string() }),
]);

const tool = z.object({
  type: z.literal('function'),
  function: z.object({ name: z.string(), parameters: z.record(z.string(), z.unknown()).optional() }),
});

/** The body of a chat completion, as far as it is used (platform.openai.com/docs/api-reference/chat/create). */
export const chatRequest = z.object({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(tool).nullish(),
  tool_choice: z.unknown().optional(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.int().min(1).nullish(),
});

export type ChatRequest = z.output<typeof chatRequest>;
export type ChatMessage = ChatRequest['messages'][number];

/** The text of a message, its parts joined. */
export function textOf({ content: given }: Pick<ChatMessage, 'content'>): string {
  if (typeof given === 'string') return given;
  return (given ?? []).map(({ text = '' }) => text).join('\n');
}
