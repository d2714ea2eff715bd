import { callsTools } from '../emulators/scripted-model.ts';
import type { ChatScene, FrontEnd } from '../scenes/chat-scene.ts';
import { toolParts } from '../scenes/chat-scene.ts';
import { newToken } from '../scenes/mcp-scene.ts';
import { McpClient } from './mcp-client.ts';
import { SocketClient } from './socket-client.ts';

/** What the caller of an action receives, whatever the surface. */
export interface Received {
  /** `ok`, or the error's. */
  code: string;
  /** All of it, as JSON. */
  text: string;
  /** Of a call that waits for its user. */
  approvalId?: string;
}

export type CallTo = (action: string, input: object) => Promise<Received>;

/** Who calls, and on which surface. */
export const IN_PERSON = ['the user over HTTP', 'the user over the socket'] as const;
export const ON_BEHALF = ['a token over HTTP', 'a token over the socket', 'a token over MCP', 'the assistant'] as const;
export type CallerName = (typeof IN_PERSON | typeof ON_BEHALF)[number];

/** A caller of a front end's user; each has a token, a socket or a thread of its own. */
export async function callerOf(chat: ChatScene, front: FrontEnd, name: CallerName): Promise<CallTo> {
  const { steward } = chat;
  const { user } = front;
  const token = name.startsWith('a token') ? (await newToken(steward, user)).token : user.token;
  if (name === 'the assistant') return throughAssistant(chat, front.beside(undefined, `${front.thread}-${name.length}`));
  if (name === 'a token over MCP') return overMcp(new McpClient(steward, token));
  return name.endsWith('HTTP') ? overHttp(steward, token) : overSocket(await SocketClient.signedIn(steward.url, token));
}

function overHttp(steward: ChatScene['steward'], token: string): CallTo {
  return async (action, input) => {
    const headers = { 'content-type': 'application/json' };
    const { status, body, text } = await steward.call(`/agents/${action}`, { token, body: JSON.stringify(input), headers });
    return received(status === 200 ? 'ok' : body.code, text, body.details?.approvalId);
  };
}

function overSocket(client: SocketClient): CallTo {
  return async (action, input) => {
    const frame = await client.request({ type: 'call', action, input });
    return received(frame.type === 'result' ? 'ok' : frame.error.code, JSON.stringify(frame), frame.error?.approvalId);
  };
}

function overMcp(client: McpClient): CallTo {
  return async (action, input) => {
    const { message } = await client.call(action.replace('.', '_'), input);
    const error = message.result?.structuredContent?.error;
    return received(error?.code ?? 'ok', JSON.stringify(message), error?.details?.approvalId);
  };
}

/** What the model is told in its next request, or the user is asked. */
function throughAssistant({ model }: ChatScene, front: FrontEnd): CallTo {
  return async (action, input) => {
    model.script(callsTools([{ name: action.replace('.', '_'), input }]));
    const { message } = await front.say('Go on.');
    const part = toolParts(message).at(-1);
    if (part?.state === 'approval-requested') return received('approval_required', JSON.stringify(part), part.approval.id);
    const code = part?.state === 'output-available' ? 'ok' : String(part?.errorText).split(':')[0];
    return received(code ?? '', JSON.stringify(part));
  };
}

function received(code: string, text: string, approvalId?: string): Received {
  return { code, text, ...(approvalId !== undefined && { approvalId }) };
}
