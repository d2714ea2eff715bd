import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { makeAutomation } from '../../support/scenes/automations.ts';
import { linkBank, newName } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());

/** Time for another look passes, also the time for which a change may still be the service's own. */
async function look(milliseconds = 70_000): Promise<void> {
  steward.clock.setBy(milliseconds);
  await steward.tick();
  await steward.context.automations.looked();
}

/** Occurrences of the runs of an automation, without their accounts. */
async function runsOf(id: string): Promise<string[]> {
  const rows = await steward.sql<{ occurrence: string }>('select occurrence from automation_runs where automation_id = $1', [id]);
  return rows.map(({ occurrence }) => occurrence.replace(/^([a-z]+):[0-9a-f-]{36}:/, '$1:')).sort();
}

async function on(token: string, account: string, event: string, rest: object = {}): Promise<string> {
  return makeAutomation(steward, token, { trigger: { type: 'event', event, account, ...rest }, does: { type: 'notify' } });
}

describe('a look at a calendar or a drive', () => {
  let me: Person;
  let account: string;

  beforeEach(async () => {
    await steward.sql('delete from watches');
    me = await newPerson(steward);
    const [row] = await steward.sql<{ id: string }>('select id from workspace_accounts where email = $1', [me.email]);
    account = row?.id as string;
  });

  const happens = (what: string, given: object) => steward.control(what, { email: me.email, ...given });

  it('starts what waits for a change by others, a deletion too, and nothing that was there before', async () => {
    const id = await on(me.token, account, 'calendar.changed');
    await look();
    expect(await runsOf(id)).toEqual([]);
    const { id: event } = await happens('event', { change: 'create', starts_in_minutes: 5_000 });
    await look();
    expect(await runsOf(id)).toEqual([expect.stringMatching(`^calendar:${event}:`)]);
    await happens('event', { change: 'cancel', event_id: event });
    await look();
    expect(await runsOf(id)).toHaveLength(2);
    await look();
    expect(await runsOf(id)).toHaveLength(2);
  });

  it('loses and repeats nothing when the sync token has ended', async () => {
    const id = await on(me.token, account, 'calendar.changed');
    await look();
    await happens('event', { change: 'create', starts_in_minutes: 5_000 });
    await look();
    await happens('event', { change: 'create', starts_in_minutes: 6_000 });
    await steward.control('workspace/end-tokens', { email: me.email, api: 'calendar' });
    await look();
    expect(await runsOf(id)).toHaveLength(2);
    await happens('event', { change: 'create', starts_in_minutes: 7_000 });
    await look();
    expect(await runsOf(id)).toHaveLength(3);
  });

  it('starts nothing for what was written through the service, until somebody else changes it', async () => {
    const id = await on(me.token, account, 'calendar.changed');
    await look();
    const made = await me.act('calendar.create', { title: 'made', start: '2027-03-01T09:00', end: '2027-03-01T10:00' });
    await look();
    expect(await runsOf(id)).toEqual([]);
    await happens('event', { change: 'move', event_id: made.id, starts_in_minutes: 5_000 });
    await look();
    expect(await runsOf(id)).toEqual([expect.stringMatching(`^calendar:${made.id}:`)]);
  });

  it('starts what waits for an event minutes before it begins, once', async () => {
    const id = await on(me.token, account, 'calendar.starting', { minutes_before: 10, filter: { title: 'Planning' } });
    await look();
    const { id: event } = await happens('event', { change: 'create', title: 'Planning', starts_in_minutes: 20 });
    await look();
    expect(await runsOf(id)).toEqual([]);
    for (let looks = 0; looks < 3; looks += 1) await look(5 * 60_000);
    expect(await runsOf(id)).toEqual([expect.stringMatching(`^starting:${event}:`)]);
  });

  it('starts what waits for files, also once the page token has ended, but not for its own', async () => {
    const id = await on(me.token, account, 'drive.changed');
    await look();
    const { id: shared } = await happens('drive', { change: 'create', name: 'Plan.txt' });
    await look();
    expect(await runsOf(id)).toEqual([expect.stringMatching(`^drive:${shared}:`)]);
    await me.act('documents.create', { title: 'own' });
    await look();
    expect(await runsOf(id)).toHaveLength(1);
    await happens('drive', { change: 'edit', name: 'Plan.txt' });
    await steward.control('workspace/end-tokens', { email: me.email, api: 'drive' });
    await look();
    expect(await runsOf(id)).toHaveLength(2);
    await happens('drive', { change: 'trash', name: 'Plan.txt' });
    await look();
    expect(await runsOf(id)).toHaveLength(2);
  });
});

describe('a look at a bank', () => {
  it('starts what waits for a payment once, pending and posted', async () => {
    const token = await steward.signIn(newName());
    expect((await linkBank(steward, token)).status).toBe(200);
    const { item_id: item } = (await steward.control('bank/state')).items.at(-1);
    const [entry] = (await steward.call('/auth/bank/accounts', { token })).body.accounts;
    await callAction(steward, 'bank.changes', { cursor: '' }, { token });
    const id = await on(token, entry.id, 'bank.transaction', { filter: { amount_over: 500 } });
    await look();
    await look();
    expect(await runsOf(id)).toEqual([]);
    await steward.control('transaction', { item_id: item, amount: 600, state: 'pending' });
    await steward.control('transaction', { item_id: item, amount: 400, state: 'posted' });
    await look();
    expect(await runsOf(id)).toHaveLength(1);
    await steward.control('transaction', { item_id: item, state: 'post' });
    await look();
    expect(await runsOf(id)).toHaveLength(1);
    const [row] = await steward.sql('select is_tainted, is_financial from automation_runs where automation_id = $1', [id]);
    expect(row).toEqual({ is_tainted: true, is_financial: true });
  });

  it('starts what waits for the status of an account, once for each change', async () => {
    const token = await steward.signIn(newName());
    expect((await linkBank(steward, token)).status).toBe(200);
    const { item_id: item } = (await steward.control('bank/state')).items.at(-1);
    const id = await makeAutomation(steward, token, { trigger: { type: 'event', event: 'account.status' }, does: { type: 'notify' } });
    await steward.control('bank/reset-login', { item_id: item });
    const calls = [1, 2].map(() => callAction(steward, 'bank.balances', {}, { token }).catch(() => undefined));
    await Promise.all(calls);
    expect(await runsOf(id)).toEqual([expect.stringMatching(/^status:relink_required:/)]);
  });
});
