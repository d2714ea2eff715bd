import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { connect, outcome } from '../../support/scenes/flows.ts';
import { sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

let bank: BankEmulator;
let steward: TestSteward;

beforeAll(async () => {
  bank = await new BankEmulator().start();
  steward = await startSteward({ ...bank.env, LIMIT_SOCKET_AUTHENTICATION_MS: '2000', LIMIT_SOCKETS_WAITING: '5' });
});

afterAll(async () => {
  await steward.stop();
  await bank.stop();
});

/** Requests an upgrade on a raw connection that the test never closes itself. */
async function holdUpgrade(path: string, headers: string[] = []): Promise<Socket> {
  const { hostname, port } = new URL(steward.url);
  const socket = connectSocket({ host: hostname, port: Number(port), allowHalfOpen: true });
  await once(socket, 'connect');
  const key = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  socket.write([`GET ${path} HTTP/1.1`, `Host: ${hostname}`, 'Connection: Upgrade', 'Upgrade: websocket', ...key, ...headers].join('\r\n'));
  socket.write('\r\n\r\n');
  return socket;
}

describe('a rejected upgrade', () => {
  it.each([
    ['another path', '/elsewhere', [], '404'],
    ['a foreign origin', '/ws', ['Origin: https://evil.example'], '403'],
  ])('closes the connection although the client keeps its half open: %s', async (_name, path, headers, status) => {
    const socket = await holdUpgrade(path, headers);
    const [response] = await once(socket, 'data');
    expect(String(response)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await once(socket, 'end');
    // The other side is closed completely: a write now causes a reset.
    const gone = once(socket, 'error');
    socket.on('error', () => {});
    await eventually(() => {
      socket.write('x');
      return socket.destroyed;
    });
    await gone;
  });
});

describe('sockets before authentication', () => {
  it('make room for others beyond their limit, and are closed soon after their time limit', async () => {
    const sockets = await Promise.all(Array.from({ length: 5 }, () => holdUpgrade('/ws')));
    await eventually(async () => (await steward.call('/test')).body.connections === 5);
    const sixth = await SocketClient.signedIn(steward.url, await steward.signIn());
    await sixth.close();
    await eventually(async () => (await steward.call('/test')).body.connections === 0);
    for (const socket of sockets) socket.destroy();
  });
});

describe('a bank entry deleted while its bank is linked again', () => {
  it('leaves no valid token without an account', async () => {
    for (let round = 0; round < 5; round += 1) {
      const token = await steward.signIn(`race-${round}`);
      await steward.call('/auth/bank/set_access_token', { token, form: { public_token: `first-${round}` } });
      const { accounts } = (await steward.call('/auth/bank/accounts', { token })).body;
      const [relinked, deleted] = await Promise.all([
        steward.call('/auth/bank/set_access_token', { token, form: { public_token: `second-${round}` } }),
        steward.call(`/auth/bank/accounts/${accounts[0].id}`, { method: 'DELETE', token }),
      ]);
      expect([relinked.status, deleted.status]).toEqual([200, 200]);
      const hidden = await steward.sql<{ count: number }>(
        'select count(*)::int as count from grants g left join bank_items i on i.grant_id = g.id where g.provider = $1 and i.id is null',
        ['bank'],
      );
      expect(hidden[0]?.count).toBe(0);
    }
  });
});

describe('the same item returned again with other accounts', () => {
  it('remains one entry', async () => {
    const token = await steward.signIn('same-item');
    bank.on('/item/public_token/exchange', (response) =>
      sendJson(response, 200, { access_token: 'access-same', item_id: 'item-same', request_id: 'r' }),
    );
    for (const account of ['one', 'two']) {
      bank.on('/accounts/get', (response) =>
        sendJson(response, 200, { accounts: [{ account_id: account, name: account, mask: '1234' }], item: {}, request_id: 'r' }),
      );
      const linked = await steward.call('/auth/bank/set_access_token', { token, form: { public_token: `public-${account}` } });
      expect(linked.body).toEqual({ success: true });
    }
    const { accounts } = (await steward.call('/auth/bank/accounts', { token })).body;
    expect(accounts).toMatchObject([{ mask: [{ name: 'two', mask: '1234' }] }]);
    bank.reset();
  });
});

describe('an old item that no longer exists after its bank was linked again', () => {
  it('does not affect the new one', async () => {
    const token = await steward.signIn('late-linked');
    await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'old' } });
    const [entry] = (await steward.call('/auth/bank/accounts', { token })).body.accounts;
    const release = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    bank.on('/item/get', async (response) => {
      bank.reset();
      asked.resolve();
      await release.promise;
      sendJson(response, 400, { error_type: 'ITEM_ERROR', error_code: 'ITEM_NOT_FOUND', error_message: '', request_id: 'r' });
    });
    const late = steward.call(`/auth/bank/accounts/${entry.id}/refresh`, { method: 'POST', token });
    await asked.promise;
    await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'new' } });
    release.resolve();
    // The read is about the new one instead.
    expect((await late).body).toEqual({ success: true });
    const { accounts } = (await steward.call('/auth/bank/accounts', { token })).body;
    expect(accounts).toMatchObject([{ id: entry.id, status: 'active' }]);
  });
});

describe('provider text that a database rejects', () => {
  it('is shown without that text', async () => {
    const token = await steward.signIn('odd-text');
    bank.on('/accounts/get', (response) =>
      sendJson(response, 200, { accounts: [{ account_id: 'a', name: 'Che\u0000ck\ud800ing', mask: '00' }], item: {}, request_id: 'r' }),
    );
    const linked = await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'odd' } });
    expect(linked.body).toEqual({ success: true });
    const { accounts } = (await steward.call('/auth/bank/accounts', { token })).body;
    expect(accounts[0].mask).toEqual([{ name: 'Che ck\ufffding', mask: '00' }]);
    bank.reset();
  });
});

describe('a token that can no longer be decrypted', () => {
  it('prevents neither the deletion of its user nor the sweep of others', async () => {
    const token = await steward.signIn('damaged');
    const { callback } = await connect(steward, { token, email: 'damaged@example.com' });
    expect(outcome(callback).status).toBe('connected');
    await steward.sql(
      `update grants set tokens = set_byte(tokens, octet_length(tokens) - 1, get_byte(tokens, octet_length(tokens) - 1) # 1)
       where user_id = (select user_id from workspace_accounts where email = $1)`,
      ['damaged@example.com'],
    );
    const deleted = await steward.call('/user', { method: 'DELETE', token });
    expect(deleted.body).toEqual({ success: true });
    expect(await steward.sql('select 1 from workspace_accounts where email = $1', ['damaged@example.com'])).toEqual([]);
    expect(steward.logs.join('')).toContain('a token could not be read: it is deleted without being revoked');
  });
});

describe('unfinished flows', () => {
  it('are limited per user', async () => {
    const token = await steward.signIn('collector');
    const statuses: number[] = [];
    for (let flow = 0; flow < 101; flow += 1) {
      const response = await steward.call('/workspace_access_request', { token, form: { email: 'demo@example.com' } });
      statuses.push(response.status);
    }
    expect(statuses.slice(0, 100).every((status) => status === 200)).toBe(true);
    expect(statuses[100]).toBe(429);
  });
});

describe('a deleted user whose token is cached', () => {
  it('is rejected like any other unknown token', async () => {
    // A deletion that this process has yet to notice drops the checks in progress, and their tokens would not be cached.
    await steward.tick();
    const token = await steward.signIn('gone');
    const request = () => steward.call('/workspace_access_request', { token, form: { email: 'demo@example.com' } });
    expect((await request()).status).toBe(200);
    // As right after a deletion by another replica, which this process's poll has yet to notice: the token is cached.
    await steward.sql('alter table users disable trigger users_deleted');
    await steward.sql('delete from users where email = $1', ['gone@example.com']);
    await steward.sql('alter table users enable trigger users_deleted');
    const response = await request();
    expect([response.status, response.body.code]).toEqual([401, 'invalid_token']);
  });
});
