import { afterEach, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

let steward: TestSteward;

afterEach(() => steward.stop());

/** A user with a token. */
async function start(env: Record<string, string>) {
  steward = await startSteward(env);
  const user = await steward.signIn('ana');
  const { userId } = await steward.context.sessions.authenticate(user);
  const create = async () => {
    const about = { name: 'script', actions: ['*'], access: 'write' as const, days: 1 };
    const { token, grant } = await steward.context.clientTokens.create(userId, about);
    return { token, id: grant.id };
  };
  return { user, client: await create(), other: await create() };
}

describe('a client that does too much', () => {
  it('keeps its user from nothing: the token is revoked over HTTP', async () => {
    const { user, client, other } = await start({ LIMIT_USER_REQUESTS_PER_MINUTE: '5' });
    const list = (token: string) => steward.call('/tools', { token });
    for (let count = 0; count < 5; count += 1) expect((await list(client.token)).status).toBe(200);
    // All of a user's clients together, so that many tokens do not multiply the limit.
    for (const { token } of [client, other]) expectError(await list(token), 'rate_limited');
    expect((await steward.call('/approvals', { token: user })).status).toBe(200);
    expect((await steward.call(`/tokens/${client.id}`, { method: 'DELETE', token: user })).status).toBe(200);
  });

  it('takes neither the sockets nor the messages of its user', async () => {
    const { user, client, other } = await start({ LIMIT_SOCKETS_PER_USER: '2', LIMIT_SOCKET_MESSAGES_PER_MINUTE: '5' });
    const open = [await SocketClient.signedIn(steward.url, client.token), await SocketClient.signedIn(steward.url, other.token)];
    const third = await SocketClient.open(steward.url);
    expect(await third.authenticate(client.token)).toMatchObject({ type: 'error', error: { code: 'rate_limited' } });
    for (const socket of open) for (let count = 0; count < 9; count += 1) socket.send({ type: 'list', requestId: String(count) });
    for (const socket of open) expect((await socket.ended).code).toBe(4429);
    const own = await SocketClient.signedIn(steward.url, user);
    for (let count = 0; count < 3; count += 1) expect(await own.request({ type: 'approvals' })).toMatchObject({ type: 'result' });
    await own.close();
  });
});
