import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { OF_TEST } from '../../support/sql/sent-statements.ts';
import { callAction } from '../../support/users/agents.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const ACTION = 'test.notify';
const ANA = 'ana@example.com';
const ZOE = 'zoe@example.com';

let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'destructive' });
  scene.sending(200);
  user = await scene.connect();
});

const ask = () => scene.ask(user, ACTION, { to: [ANA], text: 'Hello.' });
/** The response frame to the user's decision. */
async function approve(approvalId: string, decision: object): Promise<Record<string, any>> {
  const client = await SocketClient.signedIn(scene.steward.url, user.token);
  const response = await client.request({ type: 'approve', approvalId, approved: true, ...decision });
  client.close();
  return response;
}
const audited = (approvalId: string) =>
  scene.steward.sql<{ decision: string; hash: string }>(
    `select decision, encode(arguments_hash, 'hex') as hash from audit_log where call_id = $1 order by id`,
    [approvalId],
  );

describe('a call that the user changes', () => {
  it('runs with the arguments of the user, and both hashes are on record', async () => {
    const { approvalId } = await ask();
    expect(await approve(approvalId, { input: { to: [ANA], text: 'Good day.' } })).toMatchObject({ type: 'result', data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
    const rows = await audited(approvalId);
    expect(rows.map(({ decision }) => decision)).toEqual(['approval_required', 'edited', 'approved', 'started', 'allowed']);
    const [asked, edited, ...rest] = rows.map(({ hash }) => hash);
    expect(edited).toBe(asked);
    expect(new Set(rest).size).toBe(1);
    expect(rest[0]).not.toBe(asked);
    expect(await approve(approvalId, {})).toMatchObject({ type: 'error', error: { code: 'conflict' } });
  });

  it('is asked about again if it reaches someone else', async () => {
    const { approvalId } = await ask();
    const response = await approve(approvalId, { input: { to: [ANA, ZOE] } });
    expect(response).toMatchObject({
      type: 'error',
      error: { code: 'approval_required', approvalId, audience: [{ address: ANA }, { address: ZOE }], input: { to: [ANA, ZOE] } },
    });
    expect(scene.sent).toBe(0);
    expect(await scene.steward.context.executor.approvals(user.userId)).toMatchObject([{ approvalId, input: { to: [ANA, ZOE] } }]);
    expect(await approve(approvalId, {})).toMatchObject({ type: 'result' });
    expect(scene.sent).toBe(1);
  });

  it('passes every check again', async () => {
    scene.policies.set(ACTION, { approval: 'destructive', allow: { to: ['*@example.com'] } });
    const { approvalId } = await ask();
    expect(await approve(approvalId, { input: { to: ['eve@example.org'] } })).toMatchObject({ error: { code: 'forbidden' } });
    expect(await approve(approvalId, { input: { to: 'x' } })).toMatchObject({ error: { code: 'invalid_request' } });
    expect(await approve(approvalId, { input: [] })).toMatchObject({ error: { code: 'invalid_request' } });
    expect(await approve(approvalId, { approved: false, input: { to: [ANA] } })).toMatchObject({ error: { code: 'invalid_request' } });
    expect(scene.sent).toBe(0);
    expect(await approve(approvalId, {})).toMatchObject({ type: 'result' });
  });

  it('is not run with the arguments that were replaced while it was checked', async () => {
    const { approvalId } = await ask();
    let replacing: Promise<unknown> | undefined;
    // The transaction of an edit from another tab, which comes before that of the approval.
    scene.checked = () => {
      replacing ??= scene.steward.context.db.transaction(
        (tx) => tx.query(`${OF_TEST}update approvals set arguments_hash = decode('00', 'hex'), edited = true where id = $1`, [approvalId]),
        user.userId,
      );
    };
    await rejectedWith(scene.decide(user, approvalId), 'conflict');
    expect(replacing).toBeDefined();
    expect(scene.sent).toBe(0);
    expect((await scene.steward.sql<{ status: string }>('select status from approvals where id = $1', [approvalId]))[0]?.status).toBe(
      'pending',
    );
  });

  it('is not another user’s', async () => {
    const { approvalId } = await ask();
    const other = await scene.connect();
    const client = await SocketClient.signedIn(scene.steward.url, other.token);
    const response = await client.request({ type: 'approve', approvalId, approved: true, input: { to: [ZOE] } });
    client.close();
    expect(response).toMatchObject({ error: { code: 'not_found' } });
    await expect(callAction(scene.steward, ACTION, { to: [ANA], text: 'Hello.' }, { token: user.token })).rejects.toMatchObject({
      code: 'approval_required',
      details: { approvalId },
    });
  });
});
