import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Invocation } from '../../../src/executor/executor.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { type FaultyDatabase, startFaultyDatabase } from '../../support/servers/database-proxy.ts';
import { advancing } from '../../support/time/advancing.ts';
import { eventually } from '../../support/time/eventually.ts';
import { McpClient } from '../../support/users/mcp-client.ts';
import { newClient } from '../../support/users/new-client.ts';
import { newThread } from '../../support/users/new-thread.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

/** Each statement that follows from a run of `test.copy`, and which time it is sent: the audit row after that of the start. */
const REMEMBER = { words: 'items-remember', time: 1 };
const STORE = { words: 'update idempotency_keys', time: 1 };
const OUTCOME = { words: 'update approvals set outcome', time: 1 };
const AUDIT = { words: 'audit-insert', time: 2 };
/** Of the start. */
const COMMIT = { words: 'commit', time: 1 };
const MARK_UNKNOWN = STORE;
const RELEASE = { words: 'delete from idempotency_keys', time: 1 };
const SECONDS = [1, 5, 20] as const;
const WHENS = ['before', 'after'] as const;
const KEY = { idempotencyKey: 'k1' };

let database: FaultyDatabase;
let scene: ExecutorScene;
let user: ConnectedGrant;

beforeAll(async () => {
  database = await startFaultyDatabase();
  scene = await ExecutorScene.start(database.env);
});
afterAll(async () => {
  await scene.stop();
  await database.stop();
});
beforeEach(async () => {
  // One that failed may have left it cut.
  await back();
  scene.reset();
  scene.sending(200, { id: 'copy-1' });
  user = await scene.connect();
  // A tainted context: what it writes has to be remembered. And every connection has its statements prepared.
  await scene.call(user, 'test.read');
});

/** Cuts the database at a statement, for so many seconds of the service's clock; 0: its connections only. @returns whether it was cut */
function cutting(at: { words: string; time: number }, when: 'before' | 'after', seconds: number): () => boolean {
  let isCut = false;
  database.cutAt({ ...at, when }, () => {
    isCut = true;
    if (seconds === 0) database.restore();
    else scene.steward.clock.after(seconds * 1_000, () => database.restore());
  });
  return () => isCut;
}

/** Waits until the database responds again. */
async function back(): Promise<void> {
  database.restore();
  await eventually(() => scene.steward.sql('select 1'));
}

const copy = (options: object = KEY, of: Invocation['user'] = user) => scene.call(of, 'test.copy', {}, options);
const settled = (call: Promise<unknown>) => call.catch(({ code }: { code: string }) => code);
/** Last audit rows of the user's calls that change something. */
const rowsOf = async (action = 'test.copy') =>
  (await scene.audit(user)).filter((row) => row.action === action).map(({ decision, outcome }) => `${decision} ${outcome}`);

/** What was written is others' text for every context. */
async function expectRemembered(): Promise<void> {
  const other = { userId: user.userId, clientId: await newClient(scene, user, 'Another') };
  await scene.ask(other, 'test.forward', { id: 'copy-1' }, {});
}

const cases = (statements: Record<string, { words: string; time: number }>) =>
  Object.entries(statements).flatMap(([name, at]) => WHENS.flatMap((when) => SECONDS.map((seconds) => ({ name, at, when, seconds }))));

describe('a change under a key, with the database away for', () => {
  it.each(cases({ 'what was written': REMEMBER, 'the result of the key': STORE, 'the audit row': AUDIT }))(
    '$seconds s $when $name is stored',
    async ({ at, when, seconds }) => {
      scene.policies.set('test.forward', { approval: 'never' });
      const isCut = cutting(at, when, seconds);
      const result = await advancing(scene.steward.clock, copy());
      expect(isCut()).toBe(true);
      expect(result.data).toEqual({ id: 'copy-1' });
      await back();
      expect(await copy()).toEqual(result);
      expect(scene.sent).toBe(1);
      expect(await rowsOf()).toEqual(['started ok', 'allowed ok', 'allowed ok']);
      await expectRemembered();
    },
  );
});

describe('a change without a key, with the database away for', () => {
  it.each(cases({ 'what was written': REMEMBER, 'the audit row': AUDIT }))(
    '$seconds s $when $name is stored',
    async ({ at, when, seconds }) => {
      scene.policies.set('test.forward', { approval: 'never' });
      const isCut = cutting(at, when, seconds);
      expect((await advancing(scene.steward.clock, copy({}))).data).toEqual({ id: 'copy-1' });
      expect(isCut()).toBe(true);
      await back();
      expect(await rowsOf()).toEqual(['started ok', 'allowed ok']);
      await expectRemembered();
    },
  );
});

describe('an approved call of a client, with the database away for', () => {
  // Rows: the approval, the start, the end.
  it.each(
    cases({ 'what was written': REMEMBER, 'the result of the key': STORE, 'the outcome': OUTCOME, 'the audit row': { ...AUDIT, time: 3 } }),
  )('$seconds s $when $name is stored', async ({ at, when, seconds }) => {
    const { executor } = scene.steward.context;
    scene.policies.set('test.copy', { approval: 'always' });
    scene.policies.set('test.forward', { approval: 'never' });
    const client = { userId: user.userId, clientId: await newClient(scene, user, 'One') };
    await scene.call(client, 'test.read');
    const { approvalId } = await scene.ask(client, 'test.copy', {}, KEY);
    const isCut = cutting(at, when, seconds);
    const result = await advancing(scene.steward.clock, scene.decide(user, approvalId));
    expect(isCut()).toBe(true);
    expect(result.data).toEqual({ id: 'copy-1' });
    await back();
    expect(await executor.outcome(client, approvalId)).toEqual({ status: 'done', result });
    expect(await copy(KEY, client)).toEqual(result);
    expect(scene.sent).toBe(1);
    expect((await rowsOf()).slice(0, 4)).toEqual(['approval_required approval_required', 'approved ok', 'started ok', 'allowed ok']);
    await expectRemembered();
  });
});

describe('a change of unknown outcome, with the database away for', () => {
  it.each(cases({ 'its mark': MARK_UNKNOWN, 'the audit row': AUDIT }))(
    '$seconds s $when $name is recorded as such',
    async ({ at, when, seconds }) => {
      scene.sending(500, {});
      const isCut = cutting(at, when, seconds);
      expect(await advancing(scene.steward.clock, settled(copy()))).toBe('outcome_unknown');
      expect(isCut()).toBe(true);
      await back();
      expect(await settled(copy())).toBe('outcome_unknown');
      expect(scene.sent).toBe(1);
      expect((await rowsOf()).slice(0, 2)).toEqual(['started ok', 'allowed outcome_unknown']);
    },
  );
});

describe('a change that the provider has rejected, with the database away for', () => {
  it.each(cases({ 'the release of its key': RELEASE, 'the audit row': AUDIT }))(
    '$seconds s $when $name can be repeated',
    async ({ at, when, seconds }) => {
      scene.sending(404, {});
      const isCut = cutting(at, when, seconds);
      expect(await advancing(scene.steward.clock, settled(copy()))).toBe('not_found');
      expect(isCut()).toBe(true);
      await back();
      scene.sending(200, { id: 'copy-1' });
      expect((await copy()).data).toEqual({ id: 'copy-1' });
      expect((await rowsOf()).slice(0, 2)).toEqual(['started ok', 'allowed not_found']);
    },
  );
});

describe('a change whose target could not be remembered before it', () => {
  it.each(cases({ 'what it is about to write': REMEMBER }))(
    '$seconds s $when $name is not sent, and can be repeated',
    async ({ at, when, seconds }) => {
      const isCut = cutting(at, when, seconds);
      const into = () => scene.call(user, 'test.copy', { into: 'file-1' }, KEY);
      expect(await advancing(scene.steward.clock, settled(into()))).toBe('unavailable');
      expect(isCut()).toBe(true);
      expect(scene.sent).toBe(0);
      await back();
      expect((await into()).data).toEqual({ id: 'copy-1' });
      expect(await rowsOf()).toEqual(['started ok', 'allowed unavailable', 'started ok', 'allowed ok']);
    },
  );
});

describe('a change whose connection was lost while its start was being committed', () => {
  const atOnce = WHENS.map((when) => ({ name: 'the commit', at: COMMIT, when, seconds: 0 }));
  it.each([...atOnce, ...cases({ 'the commit': COMMIT })])(
    '$seconds s $when $name is not sent, and can be repeated',
    async ({ at, when, seconds }) => {
      const isCut = cutting(at, when, seconds);
      expect(await advancing(scene.steward.clock, settled(copy()))).toBe('unavailable');
      expect(isCut()).toBe(true);
      expect(scene.sent).toBe(0);
      await back();
      const isRecorded = when === 'after';
      expect(await rowsOf()).toEqual([...(isRecorded ? ['started ok'] : []), 'allowed unavailable']);
      expect((await copy()).data).toEqual({ id: 'copy-1' });
    },
  );

  it.each(WHENS)('%s the commit can be asked for again by the client, if the user had approved it', async (when) => {
    scene.policies.set('test.copy', { approval: 'always' });
    const client = { userId: user.userId, clientId: await newClient(scene, user, 'One') };
    const { approvalId } = await scene.ask(client, 'test.copy', {}, KEY);
    const isCut = cutting(COMMIT, when, 1);
    expect(await advancing(scene.steward.clock, settled(scene.decide(user, approvalId)))).toBe('unavailable');
    expect(isCut()).toBe(true);
    expect(scene.sent).toBe(0);
    await back();
    const { status, error } = await scene.steward.context.executor.outcome(client, approvalId);
    expect([status, error?.code]).toEqual(when === 'after' ? ['failed', 'unavailable'] : ['pending', undefined]);
    const again = await scene.ask(client, 'test.copy', {}, KEY);
    expect((await scene.decide(user, again.approvalId)).data).toEqual({ id: 'copy-1' });
    expect(await copy(KEY, client)).toMatchObject({ data: { id: 'copy-1' } });
    expect(scene.sent).toBe(1);
  });
});

describe('a call under an allowance, with the database away for', () => {
  it.each(cases({ 'the result of the key': STORE, 'the audit row': AUDIT }))(
    '$seconds s $when $name is stored',
    async ({ at, when, seconds }) => {
      const [person, input] = [await scene.connect(), { to: ['ana@example.com'] }];
      scene.policies.set('test.notify', { approval: 'destructive' });
      const { approvalId } = await scene.ask(person, 'test.notify', input);
      await scene.decide(person, approvalId, { rememberFor: 7 });
      scene.sending(200);
      const notify = () => scene.call(person, 'test.notify', input, KEY);
      const isCut = cutting(at, when, seconds);
      const result = await advancing(scene.steward.clock, notify());
      expect(isCut()).toBe(true);
      await back();
      expect(await notify()).toEqual(result);
      expect(scene.sent).toBe(1);
      expect((await scene.trail(person)).slice(-3)).toEqual(['started ok', 'allowance_used ok', 'allowed ok']);
    },
  );
});

describe('a paid call, with the database away for', () => {
  it.each(cases({ 'the audit row': AUDIT }))('$seconds s $when $name is stored', async ({ at, when, seconds }) => {
    const isCut = cutting(at, when, seconds);
    const { data } = await advancing(scene.steward.clock, scene.call(user, 'test.read', { live: true }));
    expect(isCut()).toBe(true);
    expect(data).toEqual({ emailAddress: 'someone@example.com' });
    await back();
    expect((await rowsOf('test.read')).slice(-2)).toEqual(['started ok', 'allowed ok']);
  });
});

describe('a call over MCP, with the database away for', () => {
  it.each(cases({ 'what was written': REMEMBER, 'the audit row': AUDIT }))(
    '$seconds s $when $name is stored',
    async ({ at, when, seconds }) => {
      scene.policies.set('test.forward', { approval: 'never' });
      const { clientTokens } = scene.steward.context;
      const { token } = await clientTokens.create(user.userId, { name: 'script', actions: ['*'], access: 'write', days: 30 });
      const mcp = new McpClient(scene.steward, token);
      await mcp.call('test_read');
      const isCut = cutting(at, when, seconds);
      const { message } = await advancing(scene.steward.clock, mcp.call('test_copy'));
      expect(isCut()).toBe(true);
      expect(message.result.structuredContent.data).toEqual({ id: 'copy-1' });
      await back();
      expect(scene.sent).toBe(1);
      expect(await rowsOf()).toEqual(['started ok', 'allowed ok']);
      await expectRemembered();
    },
  );
});

describe('a call of the assistant', () => {
  it('returns its result though the database was away for 20 s after it', async () => {
    const options = { ...KEY, thread: await newThread(scene.steward, user.userId) };
    await scene.call(user, 'test.read', {}, options);
    const isCut = cutting(REMEMBER, 'before', 20);
    const result = await advancing(scene.steward.clock, copy(options));
    expect(isCut()).toBe(true);
    await back();
    expect(await copy(options)).toEqual(result);
    expect(scene.sent).toBe(1);
  });
});

describe('a change whose record could not be stored within 30 s', () => {
  it('returns the result, which is known; its key ends as unknown, and nothing is sent again; what was written is remembered', async () => {
    scene.policies.set('test.forward', { approval: 'never' });
    const isCut = cutting(STORE, 'before', 3_600);
    expect((await advancing(scene.steward.clock, copy())).data).toEqual({ id: 'copy-1' });
    expect(isCut()).toBe(true);
    await back();
    await rejectedWith(copy(), 'conflict');
    await scene.steward.sql('update idempotency_keys set running_until = now() where user_id = $1', [user.userId]);
    await rejectedWith(copy(), 'outcome_unknown');
    expect(scene.sent).toBe(1);
    await expectRemembered();
  });
});

describe('a stop', () => {
  it('waits until what follows from a change is stored', async () => {
    const isCut = cutting(STORE, 'before', 20);
    const call = copy();
    await eventually(isCut);
    let isOver = false;
    const settling = scene.steward.context.executor.settle().then(() => {
      isOver = true;
    });
    await scene.steward.clock.advance(5_000);
    expect(isOver).toBe(false);
    await advancing(scene.steward.clock, settling);
    const result = await call;
    await back();
    expect(await copy()).toEqual(result);
  });
});
