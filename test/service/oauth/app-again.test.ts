import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { Authorization, newClient, revoke } from '../../support/scenes/oauth-scene.ts';
import { McpClient } from '../../support/users/mcp-client.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const EVE = { to: ['eve@evil.example'] };

let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.sending(200);
  user = await scene.connect();
});

const call = async (token: string, tool: string, input: object = {}) => {
  const { message } = await new McpClient(scene.steward, token).call(tool, input);
  return message.result?.structuredContent?.error?.code ?? 'done';
};

describe('an app that signs in again under its id', () => {
  it.each([
    ['while the earlier access holds', 'test_read', 'approval_required', async () => {}],
    [
      'after it has ended that itself',
      'test_read',
      'approval_required',
      (client: Client, { refresh_token: token }: Tokens) => revoke(scene.steward, client, token),
    ],
    [
      'after its user has ended that',
      'bank_balances',
      'forbidden',
      async () => {
        const { body } = await scene.steward.call('/clients', { token: user.token });
        await scene.steward.call(`/clients/${body.clients[0].id}`, { method: 'DELETE', token: user.token });
      },
    ],
  ])('has read what it has read: %s', async (_when, reads, outcome, end) => {
    await linkBank(scene.steward, user.token);
    const client = await newClient(scene.steward);
    const browser = await sessionOf(scene.steward, user.token);
    const banks = (await scene.steward.call('/auth/bank/accounts', { token: user.token })).body.accounts;
    const tokens = async (): Promise<Tokens> => {
      const authorization = new Authorization(client, browser);
      const code = await authorization.code((fields) => {
        fields.set('access', 'write');
        // Accounts of banks aren't ticked by themselves.
        for (const { id } of banks) fields.append('account', id);
      });
      const { body } = await authorization.exchange(scene.steward, code);
      // The agents of the file can be chosen; the tests' own is beside them.
      await scene.steward.sql(`update client_grants set actions = '{*}' where user_id = $1`, [user.userId]);
      return body;
    };
    const first = await tokens();
    expect(await call(first.access_token, reads)).toBe('done');
    await end(client, first);
    const second = await tokens();
    expect(await call(second.access_token, 'test_notify', EVE)).toBe(outcome);
    expect(scene.sent).toBe(0);
  });

  it('has read nothing as another user’s app', async () => {
    const client = await newClient(scene.steward);
    const tokenFor = async ({ userId, token }: ConnectedGrant) => {
      const authorization = new Authorization(client, await sessionOf(scene.steward, token));
      const code = await authorization.code((fields) => fields.set('access', 'write'));
      const { body } = await authorization.exchange(scene.steward, code);
      await scene.steward.sql(`update client_grants set actions = '{*}' where user_id = $1`, [userId]);
      return body.access_token as string;
    };
    expect(await call(await tokenFor(user), 'test_read')).toBe('done');
    expect(await call(await tokenFor(await scene.connect()), 'test_notify', EVE)).toBe('done');
  });
});

type Client = Awaited<ReturnType<typeof newClient>>;
interface Tokens {
  access_token: string;
  refresh_token: string;
}
