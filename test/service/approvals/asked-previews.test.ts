import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { respond } from '../../support/servers/scripted-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';
import { McpClient } from '../../support/users/mcp-client.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const ACTION = 'test.notify';
const MESSAGES = '/api/gmail/v1/users/me/messages';
const JSON_TYPE = { 'content-type': 'application/json' };
const LINES = 'The secret plan of the quarter is to move every office to the harbour before the summer begins.';
const MESSAGE = { to: ['zoe@example.com', 'ana@example.com'], text: LINES };

let scene: ExecutorScene;
let user: ConnectedGrant;
let token: string;
let client: { userId: string; clientId: string };

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'destructive' });
  // Read for the question: a name in the summary, and that the user has written to one of them.
  scene.reading(200, { emailAddress: 'mallory@example.net' });
  scene.provider.on(MESSAGES, (response, { query }) => {
    respond(response, { body: query.get('q')?.includes('ana@') ? { messages: [{ id: 'sent1' }] } : {} });
  });
  scene.provider.on(`${MESSAGES}/sent1`, { body: { payload: { headers: [{ name: 'To', value: 'ana@example.com' }] } } });
  user = await scene.connect();
  const made = await scene.steward.context.clientTokens.create(user.userId, { name: 'script', actions: ['*'], access: 'write', days: 1 });
  token = made.token;
  client = { userId: user.userId, clientId: made.grant.id };
});

const overSocket = async () => (await rejectedWith(callAction(scene.steward, ACTION, MESSAGE, { token }), 'approval_required')).details;
const overHttp = async () => {
  const posted = { token: `Bearer ${token}`, body: JSON.stringify(MESSAGE), headers: JSON_TYPE };
  const { status, body } = await scene.steward.call(`/agents/${ACTION}`, posted);
  expect(status).toBe(409);
  return body.details;
};
const overMcp = async () => {
  const { message } = await new McpClient(scene.steward, token).call('test_notify', MESSAGE);
  expect(message.result.isError).toBe(true);
  return message.result.structuredContent.error.details;
};
const shownTo = async (): Promise<Record<string, any>> => {
  const { body } = await scene.steward.call('/approvals', { token: user.token });
  return body.approvals[0];
};
const contexts = () => scene.steward.sql('select name from contexts where user_id = $1', [user.userId]);

describe.each([
  ['the WebSocket', overSocket],
  ['POST /agents', overHttp],
  ['MCP', overMcp],
])('a client whose call waits for the user, over %s', (_surface, ask) => {
  const expected = (approvalId: string) => ({
    approvalId,
    url: `${scene.steward.url}/approvals/${approvalId}`,
    summary: 'Send to zoe@example.com, ana@example.com',
    expiresAt: expect.any(String),
  });

  it('learns nothing of what was read for the question, of which the user learns all', async () => {
    const details = await ask();
    expect(details).toEqual(expected(details?.approvalId));
    const shown = await shownTo();
    expect(shown).toMatchObject({
      summary: 'Tell zoe@example.com, ana@example.com from mallory@example.net',
      audience: [
        { address: 'zoe@example.com', relation: 'new' },
        { address: 'ana@example.com', relation: 'written_to' },
      ],
      notices: ['You have not written to zoe@example.com before.'],
    });
    expect(await contexts()).toEqual([]);
  });

  it('learns no more when it calls again, also once the user has changed the arguments', async () => {
    const first = await ask();
    expect(await ask()).toEqual(first);
    const input = { to: ['zoe@example.com', 'eve@example.com'], text: 'Private words.' };
    await rejectedWith(scene.decide(user, first?.approvalId, { input }), 'approval_required');
    expect(await shownTo()).toMatchObject({ id: first?.approvalId, input });
    expect(await ask()).toEqual(expected(first?.approvalId));
  });

  it('learns no words of others that it repeats without knowing', async () => {
    scene.reading(200, { emailAddress: LINES });
    await scene.call(client, 'test.read');
    const stored = 'select 1 from context_reads where user_id = $1';
    await eventually(async () => (await scene.steward.sql(stored, [user.userId])).length === 1);
    const details = await ask();
    expect(details).toEqual(expected(details?.approvalId));
    expect(await shownTo()).toMatchObject({ provenance: [{ action: 'test.read', author: LINES }], matches: [{ field: 'text' }] });
  });
});

describe('the user in person whose call waits', () => {
  it('receives the whole question', async () => {
    const { details } = await rejectedWith(callAction(scene.steward, ACTION, MESSAGE, { token: user.token }), 'approval_required');
    expect(details).toMatchObject({ audience: [{ relation: 'new' }, { relation: 'written_to' }], input: MESSAGE, matches: [] });
  });
});
