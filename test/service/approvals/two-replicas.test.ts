import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../support/database/postgres.ts';
import { rejectedWith } from '../../support/scenes/executor-scene.ts';
import { type Replicas, startReplicas } from '../../support/scenes/mcp-scene.ts';
import { newClient } from '../../support/users/new-client.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const ACTION = 'test.notify';
const DECISIONS = [0, 1, 2, 5];

describe.skipIf(!hasPostgres)('the questions of two replicas', () => {
  let replicas: Replicas;
  let user: ConnectedGrant;
  let client: { userId: string; clientId: string };
  let texts = 0;

  beforeAll(async () => {
    replicas = await startReplicas();
  });
  afterAll(() => replicas?.stop());
  beforeEach(async () => {
    const { scene } = replicas;
    scene.reset();
    scene.sending(200);
    scene.policies.set(ACTION, { approval: 'always' });
    user = await scene.connect();
    client = { userId: user.userId, clientId: await newClient(scene, user, 'Notes') };
  });

  const input = () => {
    texts += 1;
    return { to: ['ana@example.com'], text: `Text ${texts}.` };
  };

  it('are decided once, whatever is decided and repeated on both at the same moment', async () => {
    const { scene, other } = replicas;
    const given = input();
    const { approvalId } = await scene.ask(client, ACTION, given, { idempotencyKey: 'k' });
    const repeat = (on: typeof other, key: string) => scene.call(client, ACTION, given, { idempotencyKey: key }, on);
    const ends = await Promise.allSettled([
      scene.decide(user, approvalId),
      scene.decide(user, approvalId, { approved: false }, other),
      scene.decide(user, approvalId, { input: input() }, other),
      repeat(scene.steward, 'k'),
      repeat(other, 'k2'),
      scene.decide(user, approvalId, {}, other),
      repeat(other, 'k'),
    ]);
    expect(ends.filter(({ status }, index) => status === 'fulfilled' && DECISIONS.includes(index))).toHaveLength(1);
    expect(scene.sent).toBeLessThanOrEqual(1);
    const started = (await scene.audit(user)).filter(({ decision }) => decision === 'started');
    expect(started).toHaveLength(scene.sent);
  });

  it('have ten places for one client on both together', async () => {
    const { scene, other } = replicas;
    const ends = await Promise.allSettled(
      Array.from({ length: 24 }, (_, index) => scene.call(client, ACTION, input(), {}, index % 2 === 0 ? other : scene.steward)),
    );
    const codes = ends.map((end) => (end.status === 'rejected' ? end.reason.code : 'ok'));
    expect(codes.filter((code) => code === 'approval_required')).toHaveLength(10);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(14);
    expect(await scene.steward.context.executor.approvals(user.userId)).toHaveLength(10);
  });

  it('end with the client that asked on one, when it is revoked on the other', async () => {
    const { scene, other } = replicas;
    const { approvalId } = await scene.ask(client, ACTION, input());
    await other.context.clientGrants.revoke(user.userId, client.clientId);
    await rejectedWith(scene.decide(user, approvalId), 'conflict');
    expect(scene.sent).toBe(0);
  });
});
