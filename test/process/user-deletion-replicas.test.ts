import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../support/database/postgres.ts';
import { type ReplicaPair, startReplicaPair } from '../support/scenes/replica-pair.ts';
import { eventually } from '../support/time/eventually.ts';
import { expectError } from '../support/users/expect-error.ts';
import { SocketClient } from '../support/users/socket-client.ts';

const GONE = { code: 4401, reason: 'user deleted' };

describe.skipIf(!hasPostgres)('DELETE /user with two processes on one database', () => {
  let pair: ReplicaPair;
  let database: ReplicaPair['database'];
  let issuer: ReplicaPair['issuer'];
  let replicas: ReplicaPair['replicas'];

  beforeAll(async () => {
    pair = await startReplicaPair();
    ({ database, issuer, replicas } = pair);
  });

  afterAll(() => pair?.stop());

  const erase = (token: string) => replicas[0].call('/user', { method: 'DELETE', token });

  it('closes the user’s sockets on the other replica, too, and no other user’s', async () => {
    const [gone, stays] = [await issuer.sign('gone'), await issuer.sign('stays')];
    const here = await SocketClient.signedIn(replicas[0].url, gone);
    const there = await Promise.all([SocketClient.signedIn(replicas[1].url, gone), SocketClient.signedIn(replicas[1].url, gone)]);
    const bystander = await SocketClient.signedIn(replicas[1].url, stays);
    expect((await erase(gone)).body).toEqual({ success: true });
    for (const { ended } of [here, ...there]) expect(await ended).toEqual(GONE);
    expect((await bystander.request({ type: 'list' })).type).toBe('result');
    await bystander.close();
  });

  it('the other replica removes its cached tokens long before they expire', async () => {
    const token = await issuer.sign('forgotten');
    const stays = await issuer.sign('kept');
    for (const one of [token, stays]) expect((await replicas[1].call('/integrations', { token: one })).status).toBe(200);
    expect((await erase(token)).status).toBe(200);
    // No socket is open there, and no statement of this request reads the deleted user.
    const old = await eventually(async () => {
      const response = await replicas[1].call('/integrations', { token });
      return response.status !== 200 && response;
    });
    expectError(old, 'invalid_token');
    expect((await replicas[1].call('/integrations', { token: stays })).status).toBe(200);
  });

  it('a token that the other replica has cached opens no socket, reads nothing and creates no user', async () => {
    const token = await issuer.sign('remembered');
    const onlooker = await SocketClient.signedIn(replicas[1].url, await issuer.sign('onlooker'));
    expect((await replicas[1].call('/integrations', { token })).status).toBe(200);
    expect((await erase(token)).status).toBe(200);
    const late = await SocketClient.open(replicas[1].url);
    expect(await late.authenticate(token)).toMatchObject({ type: 'error', error: { code: 'invalid_token' } });
    expect((await late.ended).code).toBe(4401);
    for (const path of ['/user/export', '/user/audit']) expectError(await replicas[1].call(path, { token }), 'invalid_token');
    expect(await database.sql(`select 1 from users where subject = 'remembered'`)).toEqual([]);
    // The feed of that process still serves the other users.
    const { uid } = (await onlooker.request({ type: 'authenticate', token: await issuer.sign('onlooker') })) as { uid: string };
    await database.sql(
      `with head as (update users set event_seq = event_seq + 1 where id = $1 returning event_seq)
       insert into events (user_id, seq, event, data) select $1, event_seq, 'still.here', '{}' from head`,
      [uid],
    );
    await onlooker.event('still.here');
    await onlooker.close();
  });
});
