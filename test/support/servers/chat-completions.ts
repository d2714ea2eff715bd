import { readFileSync } from 'node:fs';
import { createIntegrationsFormat } from '../../../src/integrations/compile-catalog.ts';
import { parseIntegrations } from '../../../src/integrations/file/integrations-file.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { toTool } from '../../../src/tools/callable-tools.ts';
import { formatTools } from '../../../src/tools/tool-formats.ts';

export type Message = Record<string, unknown> & { role: string };

/** Every built-in action as a tool of a chat completion. */
export async function everyTool(): Promise<object[]> {
  const catalog = await parseIntegrations(
    readFileSync('integrations.yaml', 'utf8'),
    'integrations.yaml',
    createIntegrationsFormat(PROVIDERS),
  );
  const tools = await Promise.all([...catalog.actions.values()].map((configured) => toTool({ configured, choices: [] }, catalog)));
  return formatTools(tools, 'openai', false);
}

/** One chat completion, as a client sends it. @returns the response, whose body has not been read */
export function postChat(url: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/sandbox/model/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'stand-in', ...body }),
    ...(signal !== undefined && { signal }),
  });
}

/** A step: the calls of the stand-in with their arguments, or its answer. */
export interface Step {
  calls: { tool: string; args: any }[];
  answer: string | null;
}

/**
 * The steps after one message of the user. Each call has the result of its tool.
 *
 * @param results content of the tool messages by tool, or the data of a result
 */
export async function steps(url: string, said: string, results: Record<string, unknown>, tools: object[]): Promise<Step[]> {
  const messages: Message[] = [{ role: 'user', content: said }];
  const made: Step[] = [];
  while (made.length < 10) {
    const response = await postChat(url, { messages, tools });
    const { message } = ((await response.json()) as any).choices[0];
    messages.push(message);
    const calls = message.tool_calls ?? [];
    made.push({
      calls: calls.map((call: any) => ({ tool: call.function.name, args: JSON.parse(call.function.arguments) })),
      answer: message.content,
    });
    if (calls.length === 0) return made;
    for (const { id, function: called } of calls) {
      const result = results[called.name] ?? 'not_found: There is none.';
      const content = typeof result === 'string' ? result : JSON.stringify({ data: result, meta: { account: 'a' } });
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
  }
  throw new Error(`no answer to ${said}`);
}

/** The `data:` lines of a stream, parsed; `[DONE]` as it is. */
export function eventsOf(text: string): any[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
}
