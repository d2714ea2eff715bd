import { readdirSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../support/database/postgres.ts';
import { programsMissing } from '../support/processes/programs.ts';
import { Cluster, REPLICAS } from '../support/scenes/cluster.ts';
import { eventually } from '../support/time/eventually.ts';
import type { ConnectedGrant } from '../support/users/refreshing.ts';
import { SocketClient } from '../support/users/socket-client.ts';

const MIGRATIONS = readdirSync(join(import.meta.dirname, '../../migrations')).map((file) => ({ name: file.replace(/\.sql$/, '') }));
const SEND = '/api/gmail/v1/users/me/messages/send';
const INSERT = '/api/calendar/v3/calendars/primary/events';
const EACH = Array.from({ length: REPLICAS }, (_, index) => index);

const integrations = (description: string) => `version: 1
agents:
  mail:
    provider: workspace
    description: ${description}
    scopes: [mail.send]
    actions: { send: { use: mail.send, policy: { approval: always } } }
  calendar:
    provider: workspace
    description: Events.
    scopes: [calendar.events.owned]
    actions: { create: { use: calendar.create, policy: { approval: never } } }
`;

describe.skipIf(!hasPostgres || programsMissing('pgbouncer', 'haproxy'))('three replicas, a balancer and a pooler', () => {
  let cluster: Cluster;
  let user: ConnectedGrant;
  let sockets: SocketClient[];
  /** Requests that reached the provider, by path. */
  const reached = new Map<string, number>();

  beforeAll(async () => {
    cluster = await Cluster.start(integrations('First.'), { LIMIT_WAITLIST_PER_MINUTE: '5' });
    const day = { start: { date: '2030-01-01' }, end: { date: '2030-01-02' } };
    const body = JSON.stringify({ id: 'm1', threadId: 't1', status: 'confirmed', ...day });
    for (const path of [SEND, INSERT]) {
      cluster.provider.on(path, (response, { method }) => {
        if (method === 'POST') reached.set(path, (reached.get(path) ?? 0) + 1);
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      });
    }
    user = await cluster.connect();
    sockets = await Promise.all(EACH.map((index) => SocketClient.signedIn(cluster.replica(index).url, user.token)));
  });

  afterAll(async () => {
    await cluster?.stop();
  });

  it('start together on an empty database, which is migrated once', async () => {
    expect(await cluster.database.sql('select name from pgmigrations order by id')).toEqual(MIGRATIONS.sort(byName));
    for (const index of EACH) expect((await cluster.replica(index).call('/health/ready')).status).toBe(200);
  });

  it('all receive requests', () => cluster.balanced());

  it('show each other’s accounts', async () => {
    for (const index of EACH) {
      const { body } = await cluster.replica(index).call('/auth/workspace/accounts', { token: user.token });
      expect(body.accounts).toMatchObject([{ id: user.accountId, email: user.email }]);
    }
  });

  it('send every event to the sockets of each, once and in order', async () => {
    const { accountId } = await cluster.connect({ token: user.token });
    await cluster.service.call(`/auth/workspace/accounts/${accountId}`, { method: 'DELETE', token: user.token });
    for (const socket of sockets) {
      await socket.event('account.disconnected');
      const about = socket.events.filter(({ data }) => data.account === accountId);
      expect(about.map(({ event }) => event)).toEqual(['account.connected', 'account.disconnected']);
    }
  });

  it('revoke disconnected accounts, by a job that one of them runs', async () => {
    const before = cluster.provider.revoked.length;
    const { accountId } = await cluster.connect({ token: user.token });
    const token = cluster.provider.issued.at(-1);
    await cluster.service.call(`/auth/workspace/accounts/${accountId}`, { method: 'DELETE', token: user.token });
    await eventually(() => cluster.provider.revoked.slice(before).includes(token ?? ''));
    await eventually(async () => (await cluster.database.sql('select id from revocations')).length === 0);
  });

  it('reload the integrations when one of them receives the request', async () => {
    cluster.writeIntegrations(integrations('Second.'));
    expect((await cluster.replica(1).call('/update_integrations')).body).toEqual({ status: 'success' });
    const described = async (socket: SocketClient) => JSON.stringify((await socket.request({ type: 'list' })).data).includes('Second.');
    await eventually(async () => (await Promise.all(sockets.map(described))).every((isNew) => isNew));
  });

  it('run a call once that was requested on one and approved on all', async () => {
    const call = { type: 'call', action: 'mail.send', input: { to: ['ana@example.org'], subject: 'Lunch', body: 'Noon?' } };
    const { error } = await sockets[0]!.request({ ...call, idempotencyKey: 'lunch' });
    expect(error).toMatchObject({ code: 'approval_required' });
    const approve = { type: 'approve', approvalId: error.approvalId, approved: true };
    const responses = await Promise.all([...sockets, ...sockets].map((socket) => socket.request(approve)));
    expect(responses.filter(({ type }) => type === 'result')).toHaveLength(1);
    expect(new Set(responses.filter(({ type }) => type === 'error').map((response) => response.error.code))).toEqual(new Set(['conflict']));
    expect(reached.get(SEND)).toBe(1);
    for (const socket of sockets) expect((await socket.event('approval.decided')).data).toMatchObject({ approved: true });
  });

  it('run a change once under one idempotency key, whichever receives the request', async () => {
    const call = { type: 'call', action: 'calendar.create', input: { title: 'New year', start: '2030-01-01' }, idempotencyKey: 'noon' };
    const first = await Promise.all(sockets.map((socket) => socket.request(call)));
    const codes = first.flatMap((response) => (response.type === 'error' ? [response.error.code] : []));
    expect(codes.filter((code) => code !== 'conflict')).toEqual([]);
    expect(codes.length).toBeLessThan(REPLICAS);
    for (const socket of sockets) expect(await socket.request(call)).toMatchObject({ type: 'result' });
    expect(reached.get(INSERT)).toBe(1);
  });

  it('use the client’s address as the balancer sees it', async () => {
    const asked = (localAddress: string, claimed: string) => statusOf(cluster.balancer.url, localAddress, claimed);
    const statuses = await Promise.all(Array.from({ length: REPLICAS * 5 + 10 }, (_, index) => asked('127.0.0.1', `10.0.0.${index}`)));
    expect(statuses).toContain(429);
    // At most one for each replica, however requests are balanced.
    expect(await asked('127.0.0.2', '127.0.0.1')).toBe(200);
  });
});

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** The response to a waitlist entry, sent from this local address. */
function statusOf(url: string, localAddress: string, claimed: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': claimed };
    httpsRequest(`${url}/waitlist`, { method: 'POST', localAddress, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end('email=ana@example.com');
  });
}
