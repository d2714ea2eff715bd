import { callsTools, type ScriptedModel, type ScriptedToolCall, says } from '../emulators/scripted-model.ts';
import { callAction } from '../users/agents.ts';
import { McpClient } from '../users/mcp-client.ts';
import { FrontEnd, toolParts } from './chat-scene.ts';
import { newToken } from './mcp-scene.ts';
import type { ToolScene, ToolUser } from './tool-scene.ts';

/** A call of an action. */
export interface SurfaceCall {
  action: string;
  input: object;
}

/** Makes calls one after the other, in one context. @returns the code with which each ends, `ok` for a result */
type MakeCalls = (scene: ToolScene, user: ToolUser, calls: SurfaceCall[]) => Promise<string[]>;

/** A way to call actions. */
export interface Surface {
  name: string;
  /** Who calls: the user in person, a client, or a model in a conversation. */
  caller: 'person' | 'client' | 'assistant';
  calls: MakeCalls;
}

/** All of them. @param grant of the token of those that are clients */
export function surfaces(model: () => ScriptedModel, grant: () => object = () => ({})): Surface[] {
  const byClient =
    (make: (scene: ToolScene, token: string, call: SurfaceCall) => Promise<string>): MakeCalls =>
    async (scene, user, calls) => {
      const { token } = await newToken(scene.steward, user, grant());
      return eachOf(calls, (call) => make(scene, token, call));
    };
  const inPerson =
    (make: (scene: ToolScene, token: string, call: SurfaceCall) => Promise<string>): MakeCalls =>
    (scene, user, calls) =>
      eachOf(calls, (call) => make(scene, user.token, call));
  const byModel =
    (asked: (call: SurfaceCall) => ScriptedToolCall): MakeCalls =>
    async (scene, user, calls) => {
      model().script(...calls.map((call) => callsTools([asked(call)])), says('Done.'));
      const { message } = await new FrontEnd(scene.steward, user as never, 'DefaultChatTransport').say('Go');
      return toolParts(message).map(({ state, errorText }) =>
        state === 'approval-requested' ? 'approval_required' : (errorText?.split(':')[0] ?? 'ok'),
      );
    };
  return [
    { name: 'the socket', caller: 'person', calls: inPerson(bySocket) },
    { name: 'POST /agents', caller: 'person', calls: inPerson(byHttp) },
    { name: 'a personal access token at POST /agents', caller: 'client', calls: byClient(byHttp) },
    { name: '/mcp', caller: 'client', calls: byClient((scene, token, call) => byMcp(scene, token, toolCall(call))) },
    { name: 'call_tool on /mcp', caller: 'client', calls: byClient((scene, token, call) => byMcp(scene, token, named(call))) },
    { name: 'the assistant', caller: 'assistant', calls: byModel(toolCall) },
    { name: 'call_tool in the assistant', caller: 'assistant', calls: byModel(named) },
  ];
}

async function eachOf(calls: SurfaceCall[], make: (call: SurfaceCall) => Promise<string>): Promise<string[]> {
  const codes: string[] = [];
  for (const call of calls) codes.push(await make(call));
  return codes;
}

const toolCall = ({ action, input }: SurfaceCall): ScriptedToolCall => ({ name: action.replace('.', '_'), input });

function named(call: SurfaceCall): ScriptedToolCall {
  const { name, input } = toolCall(call);
  return { name: 'call_tool', input: { name, arguments: input } };
}

function bySocket({ steward }: ToolScene, token: string, { action, input }: SurfaceCall): Promise<string> {
  return callAction(steward, action, input, { token }).then(
    () => 'ok',
    ({ code }) => code,
  );
}

async function byHttp({ steward }: ToolScene, token: string, { action, input }: SurfaceCall): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const { body } = await steward.call(`/agents/${action}`, { method: 'POST', token, headers, body: JSON.stringify(input) });
  return body.code ?? 'ok';
}

/** A tool that there is not is an error of the protocol. */
async function byMcp({ steward }: ToolScene, token: string, { name, input }: ScriptedToolCall): Promise<string> {
  const { message } = await new McpClient(steward, token).request('tools/call', { name, arguments: input });
  if (message.error !== undefined) return message.error.message.startsWith('Unknown tool') ? 'not_found' : 'error';
  return message.result.structuredContent.error?.code ?? 'ok';
}
