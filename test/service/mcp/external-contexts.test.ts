import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { linkBank, newName } from '../../support/scenes/flows.ts';
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts';
import { McpClient } from '../../support/users/mcp-client.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const EVE = { to: ['eve@evil.example'] };

let issuer: TestIssuer;
let scene: ExecutorScene;
let name: string;
let user: ConnectedGrant;

beforeAll(async () => {
  issuer = await startIssuer();
  scene = await ExecutorScene.start({ ...issuer.env, MCP_ISSUER: issuer.env.OIDC_ISSUER });
});
afterAll(async () => {
  await scene?.stop();
  await issuer?.close();
});
beforeEach(async () => {
  scene.reset();
  scene.sending(200);
  name = newName();
  user = await scene.connect({ token: await issuer.sign(name) });
});

/** An access token of one app, for the same user. */
const tokenOf = (scope: string, more: object = {}) =>
  issuer.sign(name, { aud: `${scene.steward.url}/mcp`, client_id: 'one-app', scope, ...more }, { typ: 'at+jwt' });
const call = async (token: string, tool: string, input: object = {}) => {
  const { message } = await new McpClient(scene.steward, token).call(tool, input);
  return message.result?.structuredContent?.error?.code ?? 'done';
};
const tools = async (token: string) => {
  const { message } = await new McpClient(scene.steward, token).request('tools/list');
  return message.result.tools.map((tool: { name: string }) => tool.name) as string[];
};

describe('an app of the operator’s own server', () => {
  it.each(['read write', 'read'])('asks after it has read text of others with a token for %s', async (scope) => {
    expect(await call(await tokenOf(scope), 'test_read')).toBe('done');
    expect(await call(await tokenOf('read write'), 'test_notify', EVE)).toBe('approval_required');
    expect(scene.sent).toBe(0);
  });

  it('is refused after a bank’s data was read with a token that may only read', async () => {
    await linkBank(scene.steward, user.token);
    expect(await call(await tokenOf('read'), 'bank_balances')).toBe('done');
    expect(await call(await tokenOf('read write'), 'test_notify', EVE)).toBe('forbidden');
    expect(scene.sent).toBe(0);
  });

  it('may do with each token what that says', async () => {
    expect(await tools(await tokenOf('read write'))).toContain('test_notify');
    expect(await tools(await tokenOf('read'))).not.toContain('test_notify');
    // The tool isn't there for it.
    expect(await call(await tokenOf('read'), 'test_notify', EVE)).not.toBe('approval_required');
    expect(await call(await tokenOf('read'), 'test_notify', EVE)).toBe('forbidden');
    expect(scene.sent).toBe(0);
  });

  it.each([
    ['read write', 'read'],
    ['read', 'read write'],
    ['read', 'read'],
  ])('is not admitted after its user has ended it, with a token for %s, by one for %s without a sign-in since', async (first, second) => {
    const before = { auth_time: Math.floor(scene.steward.clock.now() / 1000) - 60 };
    expect(await call(await tokenOf(first, before), 'test_read')).toBe('done');
    const { body } = await scene.steward.call('/clients', { token: user.token });
    expect(body.clients).toHaveLength(1);
    const ended = await scene.steward.call(`/clients/${body.clients[0].id}`, { method: 'DELETE', token: user.token });
    expect(ended.status).toBe(200);
    for (const scope of [first, second]) {
      const listed = await new McpClient(scene.steward, await tokenOf(scope, before)).request('tools/list');
      expect(listed.status).toBe(401);
    }
  });

  it('is not called like the service', async () => {
    scene.policies.set('test.notify', { approval: 'always' });
    expect(await call(await tokenOf('write', { client_id: 'Steward' }), 'test_notify', EVE)).toBe('approval_required');
    const { body } = await scene.steward.call('/approvals', { token: user.token });
    expect(body.approvals[0].client.name).toBe('An app without a name');
  });
});
