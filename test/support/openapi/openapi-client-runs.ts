import type { CallOptions, HttpResponse } from '../users/request.ts';
import type { Run } from './openapi-runs.ts';
import { callEndpoint, connectedWorkspace, linkedBank, newToken, steward, tokenAt, UNKNOWN } from './openapi-scene.ts';

const MAX_ACTIVE = 50;

const json = (body: object): CallOptions => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const create = (token: string): Promise<HttpResponse> =>
  callEndpoint(steward, 'POST /tokens', { token, ...json({ name: 'script', actions: ['bank.*'] }) });

/** A call that waits for its user: the bank's actions ask here. */
export async function pending(): Promise<{ token: string; id: string }> {
  const { token } = await linkedBank();
  const asked = await steward.call('/agents/bank.numbers', { token, ...json({}) });
  return { token, id: asked.body.details.approvalId };
}

/** An account of a new user's, set to read-only. */
async function readOnly(): Promise<{ token: string; set: HttpResponse }> {
  const { token, id } = await linkedBank();
  return { token, set: await callEndpoint(steward, 'POST /read-only', { token, ...json({ account_id: id }) }) };
}

/** Responses about what the user has allowed in advance, and about read-only accounts. */
function ownRuns(): Run[] {
  return [
    {
      endpoint: 'GET /allowances',
      response: '200',
      provoke: async () => callEndpoint(steward, 'GET /allowances', { token: await newToken() }),
    },
    {
      endpoint: 'DELETE /allowances/{id}',
      response: '200',
      async provoke() {
        const { token, id: accountId } = await connectedWorkspace();
        const [{ id } = { id: '' }] = await steward.sql<{ id: string }>(
          `insert into allowances (id, user_id, account_id, grant_id, subject, action, revision, covered, expires_at, asker)
           select gen_random_uuid(), i.user_id, i.id, g.id, g.subject, 'mail.send', 'r1', '', now() + interval '1 day', 'user'
           from workspace_accounts i join grants g on g.id = i.grant_id where i.id = $1 returning id`,
          [accountId],
        );
        return steward.call(`/allowances/${id}`, { method: 'DELETE', token });
      },
    },
    ...['', '/mcp'].map((path): Run => {
      const endpoint = `GET /.well-known/oauth-protected-resource${path}`;
      return { endpoint, response: '200', provoke: () => callEndpoint(steward, endpoint) };
    }),
    {
      endpoint: 'GET /read-only',
      response: '200',
      provoke: async () => callEndpoint(steward, 'GET /read-only', { token: await newToken() }),
    },
    { endpoint: 'POST /read-only', response: '200', provoke: async () => (await readOnly()).set },
    {
      endpoint: 'DELETE /read-only/{id}',
      response: '200',
      async provoke() {
        const { token, set } = await readOnly();
        return steward.call(`/read-only/${set.body.id}`, { method: 'DELETE', token });
      },
    },
    {
      endpoint: 'DELETE /read-only/{id}',
      response: '403 recent_login_required',
      provoke: async () => steward.call(`/read-only/${UNKNOWN}`, { method: 'DELETE', token: await tokenAt(-10) }),
    },
  ];
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
    { endpoint: 'GET /clients', response: '200', provoke: async () => callEndpoint(steward, 'GET /clients', { token: await newToken() }) },
    {
      endpoint: 'DELETE /clients/{id}',
      response: '200',
      async provoke() {
        const token = await newToken();
        const { id } = (await create(token)).body;
        return steward.call(`/clients/${id}`, { method: 'DELETE', token });
      },
    },
    ...ownRuns(),
    {
      endpoint: 'GET /approvals/{id}/result',
      response: '200',
      provoke: async () => {
        const { token, id } = await pending();
        await steward.call(`/approvals/${id}`, { token, ...json({ approved: true }) });
        return steward.call(`/approvals/${id}/result`, { token });
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
