import { newName } from '../scenes/flows.ts';
import type { HttpResponse } from '../users/request.ts';
import type { Run } from './openapi-runs.ts';
import { callEndpoint, newToken, steward } from './openapi-scene.ts';

/** Sends the assistant a message of this role. */
async function chat(role: 'user' | 'assistant', thread: string = newName(), token?: string): Promise<HttpResponse> {
  const messages = [{ id: newName(), role, parts: [{ type: 'text', text: 'Hello' }] }];
  const body = JSON.stringify({ id: thread, messages });
  return callEndpoint(steward, 'POST /chat', { token: token ?? (await newToken()), body, headers: { 'content-type': 'application/json' } });
}

/** Responses of the assistant, whose model is the sandbox's stand-in. */
export function chatRuns(): Run[] {
  const of = async (endpoint: string) => callEndpoint(steward, endpoint, { token: await newToken() });
  return [
    { endpoint: 'POST /chat', response: '200', provoke: () => chat('user') },
    { endpoint: 'POST /chat', response: '409 conflict', provoke: () => chat('assistant') },
    {
      endpoint: 'GET /chat/{id}/stream',
      response: '200',
      async provoke() {
        const [token, thread] = [await newToken(), newName()];
        await chat('user', thread, token);
        return callEndpoint(steward, 'GET /chat/{id}/stream', { token }, thread);
      },
    },
    { endpoint: 'GET /chat/{id}/stream', response: '204', provoke: () => of('GET /chat/{id}/stream') },
    { endpoint: 'DELETE /chat/{id}/stream', response: '200', provoke: () => of('DELETE /chat/{id}/stream') },
    { endpoint: 'DELETE /chat/{id}/stream', response: '400 invalid_request', provoke: () => of('DELETE /chat/{id}/stream?run=last') },
    { endpoint: 'GET /models', response: '200', provoke: () => of('GET /models') },
  ];
}
