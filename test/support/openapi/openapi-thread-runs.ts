import { newThread } from '../users/new-thread.ts';
import type { CallOptions } from '../users/request.ts';
import type { Run } from './openapi-runs.ts';
import { callEndpoint, newToken, steward } from './openapi-scene.ts';

/** Calls an endpoint about a conversation of a new user. */
async function onThread(endpoint: string, options: CallOptions = {}) {
  const token = await newToken();
  const { userId } = await steward.context.sessions.authenticate(token);
  return callEndpoint(steward, endpoint, { token, ...options }, await newThread(steward, userId));
}

/** Responses about conversations with the assistant. */
export function threadRuns(): Run[] {
  const ok = (endpoint: string, options: CallOptions = {}): Run => ({
    endpoint,
    response: '200',
    provoke: () => onThread(endpoint, options),
  });
  return [
    ok('GET /threads'),
    {
      endpoint: 'GET /threads',
      response: '400 invalid_request',
      provoke: async () => steward.call('/threads?limit=0', { token: await newToken() }),
    },
    ok('GET /threads/{id}'),
    ok('POST /threads/{id}', { form: { title: 'Taxes' } }),
    ok('DELETE /threads/{id}'),
  ];
}
