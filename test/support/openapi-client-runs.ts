import type { Run } from './openapi-runs.ts';
import { callEndpoint, linkedBank, newToken, steward, tokenAt, UNKNOWN } from './openapi-scene.ts';
import type { CallOptions, HttpResponse } from './request.ts';

const MAX_ACTIVE = 50;

const json = (body: object): CallOptions => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const create = (token: string): Promise<HttpResponse> =>
  callEndpoint(steward, 'POST /tokens', { token, ...json({ name: 'script', actions: ['bank.*'] }) });

/** A call that waits for its user: the bank's actions ask here. */
async function pending(): Promise<{ token: string; id: string }> {
  const { token } = await linkedBank();
  const asked = await steward.call('/agents/bank.numbers', { token, ...json({}) });
  return { token, id: asked.body.details.approvalId };
}

/** Responses of personal access tokens, and of calls over HTTP. */
export function clientRuns(): Run[] {
  return [
    { endpoint: 'GET /tokens', response: '200', provoke: async () => callEndpoint(steward, 'GET /tokens', { token: await newToken() }) },
    { endpoint: 'POST /tokens', response: '200', provoke: async () => create(await newToken()) },
    { endpoint: 'POST /tokens', response: '403 recent_login_required', provoke: async () => create(await tokenAt(-10)) },
    {
      endpoint: 'POST /tokens',
      response: '409 conflict',
      async provoke() {
        const token = await newToken();
        for (let made = 0; made < MAX_ACTIVE; made++) await create(token);
        return create(token);
      },
    },
    {
      endpoint: 'DELETE /tokens/{id}',
      response: '200',
      async provoke() {
        const token = await newToken();
        const { id } = (await create(token)).body;
        return steward.call(`/tokens/${id}`, { method: 'DELETE', token });
      },
    },
    {
      endpoint: 'DELETE /tokens/{id}',
      response: '403 recent_login_required',
      provoke: async () => steward.call(`/tokens/${UNKNOWN}`, { method: 'DELETE', token: await tokenAt(-10) }),
    },
    {
      endpoint: 'GET /approvals',
      response: '200',
      provoke: async () => callEndpoint(steward, 'GET /approvals', { token: await newToken() }),
    },
    {
      endpoint: 'GET /approvals/{id}',
      response: '200',
      provoke: async () => {
        const { token, id } = await pending();
        return steward.call(`/approvals/${id}`, { token });
      },
    },
    {
      endpoint: 'POST /approvals/{id}/decision',
      response: '200',
      provoke: async () => {
        const { token, id } = await pending();
        return steward.call(`/approvals/${id}/decision`, { token, ...json({ approved: false }) });
      },
    },
    {
      endpoint: 'POST /agents/{action}',
      response: '200',
      provoke: async () => steward.call('/agents/bank.balances', { token: (await linkedBank()).token, ...json({}) }),
    },
    {
      endpoint: 'GET /tools',
      response: '200',
      provoke: async () => callEndpoint(steward, 'GET /tools', { token: (await linkedBank()).token }),
    },
    {
      endpoint: 'GET /tools',
      response: '400 invalid_request',
      provoke: async () => steward.call('/tools?format=other', { token: await newToken() }),
    },
  ];
}
