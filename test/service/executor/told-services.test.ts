import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { callAction } from '../../support/users/agents.ts';
import { newThread } from '../../support/users/new-thread.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const SEARCH = 'test.search';
const FILE = 'test.file';
const HOUR_MS = 3_600_000;

let scene: ExecutorScene;
/** With two accounts: `other` is the one whose server is asked. */
let user: ConnectedGrant;
let other: ConnectedGrant;
let thread: string;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  for (const action of [SEARCH, FILE]) scene.policies.set(action, { approval: 'destructive' });
  user = await scene.connect();
  other = await scene.connect({ token: user.token, email: `other.${user.email}` });
  thread = await newThread(scene.steward, user.userId);
});

const inThread = () => ({ thread, account: other.accountId });
const search = (query: string, options: object = inThread()) => scene.call(user, SEARCH, { query }, options);
const asksAbout = (query: string, action = SEARCH) => scene.ask(user, action, { query }, inThread());
const readMail = () => scene.call(user, 'test.read', {}, { thread, account: user.accountId });

describe('a read that tells its arguments to another server', () => {
  it('runs as long as nothing else was read: a list, then one of them', async () => {
    await search('open');
    await search('12');
    expect(scene.told).toEqual(['open', '12']);
  });

  it('asks once something of another account was read, and says who receives what', async () => {
    await readMail();
    const { audience, notices } = await asksAbout('door code 4711');
    expect(audience).toEqual([{ kind: 'service', host: 'tickets.example', name: 'Tickets' }]);
    expect(notices).toContain('Before this, text by “someone@example.com” was read. It may have caused this request.');
    expect(scene.told).toEqual([]);
  });

  it('asks also where what was read is the user’s own', async () => {
    scene.returned = { note: 'The door code is 4711.' };
    await scene.call(user, 'test.change', {}, { thread, account: user.accountId });
    const { notices } = await asksAbout('4711');
    expect(notices).toEqual(['Before this, something of yours was read that “Tickets” does not know. The details may repeat it.']);
    expect(scene.told).toEqual([]);
  });

  it('asks under every approval rule, and is refused where the operator denies it', async () => {
    scene.policies.set(SEARCH, { approval: 'never' });
    await search('open');
    await readMail();
    await asksAbout('4711');
    scene.policies.set(SEARCH, { approval: 'never', tainted: 'deny' });
    await rejectedWith(search('4712'), 'forbidden');
    expect(scene.told).toEqual(['open']);
  });

  it('runs if the operator answers for the server, but for a bank’s data', async () => {
    scene.isTrusted = true;
    await readMail();
    await search('4711');
    expect(scene.told).toEqual(['4711']);
    await linkBank(scene.steward, user.token);
    await callAction(scene.steward, 'bank.balances', {}, { token: user.token });
    await scene.ask(user, SEARCH, { query: '4712' }, { account: other.accountId });
    expect(scene.told).toEqual(['4711']);
  });

  it('is refused after a bank’s data was read, and asks the user in person', async () => {
    await linkBank(scene.steward, user.token);
    await scene.call(user, 'bank.balances', {}, { thread });
    const { message } = await rejectedWith(search('balance 100'), 'forbidden');
    expect(message).toBe('A bank’s data was read in this conversation, so “Tickets” may be told only what is on the action’s allow-list.');
    await scene.call(user, 'bank.balances', {});
    await scene.ask(user, SEARCH, { query: 'balance 100' }, { account: other.accountId });
    expect(scene.told).toEqual([]);
  });

  it('runs with arguments that an allow-list has as they are, and with no others', async () => {
    scene.policies.set(SEARCH, { approval: 'destructive', allow: { query: ['is open', 'code *'] } });
    await readMail();
    await search('is open');
    await asksAbout('code 4711');
    await scene.ask(user, SEARCH, { query: 'is open', open: true }, inThread());
    await rejectedWith(search('4711'), 'forbidden');
    expect(scene.told).toEqual(['is open']);
  });

  it('runs as the user has allowed it in advance: with the same arguments only', async () => {
    await readMail();
    const { approvalId } = await asksAbout('is open');
    await scene.decide(user, approvalId, { rememberFor: 7 });
    // In the same conversation, the same call is the approved one for a while.
    thread = await newThread(scene.steward, user.userId);
    await readMail();
    await search('is open');
    expect(scene.told).toEqual(['is open', 'is open']);
    await asksAbout('4711');
    const { allowances } = (await scene.steward.call('/allowances', { token: user.token })).body;
    expect(allowances).toMatchObject([
      { recipients: [], services: ['tickets.example'], arguments: [{ name: 'query', values: ['is open'] }] },
    ]);
  });

  it('is of its own context: another conversation and a client have read nothing', async () => {
    await readMail();
    thread = await newThread(scene.steward, user.userId);
    await search('open');
    const { grant } = await scene.steward.context.clientTokens.create(user.userId, {
      name: 'script',
      actions: ['*'],
      access: 'read',
      days: 30,
    });
    await scene.call({ userId: user.userId, clientId: grant.id }, SEARCH, { query: 'client' }, { account: other.accountId });
    expect(scene.told).toEqual(['open', 'client']);
  });

  it('asks in the user’s front ends for an hour after the last read', async () => {
    const here = { account: other.accountId };
    await scene.call(user, 'test.read', {}, { account: user.accountId });
    await scene.ask(user, SEARCH, { query: '1' }, here);
    await scene.steward.clock.advance(HOUR_MS + 6 * 60_000);
    await scene.steward.sql('delete from contexts where user_id = $1', [user.userId]);
    await scene.steward.sql('delete from context_origins where user_id = $1', [user.userId]);
    await search('2', here);
    expect(scene.told).toEqual(['2']);
  });

  it('asks where it isn’t known whose text was read', async () => {
    await search('open');
    await scene.steward.sql('delete from context_origins where user_id = $1', [user.userId]);
    await asksAbout('4711');
  });

  it('is asked about after the approved read of another account gave its result', async () => {
    scene.policies.set('test.read', { approval: 'always' });
    const { approvalId } = await scene.ask(user, 'test.read', {}, { thread, account: user.accountId });
    await search('before');
    await scene.decide(user, approvalId);
    await asksAbout('after');
    expect(scene.told).toEqual(['before']);
  });
});

describe('a change that tells its arguments to another server', () => {
  it('asks like one that others see, and after others’ text whatever was allowed', async () => {
    const { approvalId } = await asksAbout('A', FILE);
    await scene.decide(user, approvalId, { rememberFor: 7 });
    await scene.call(user, FILE, { query: 'B' }, inThread());
    expect(scene.told).toEqual(['A', 'B']);
    await readMail();
    await asksAbout('C', FILE);
  });
});
