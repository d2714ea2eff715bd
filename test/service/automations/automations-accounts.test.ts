import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BRIEF, callAutomations, makeAutomation } from '../../support/scenes/automations.ts';
import { connect, newName, workspaceAccounts } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';

let steward: TestSteward;
let token: string;
let first: string;
let second: string;

beforeAll(async () => {
  steward = await startSteward();
});

beforeEach(async () => {
  const name = newName();
  token = await steward.signIn(name);
  await connect(steward, { token, email: `${name}@example.com` });
  await connect(steward, { token, email: `${newName()}@example.com` });
  [first = '', second = ''] = (await workspaceAccounts(steward, token)).map(({ id }) => id);
});

afterAll(() => steward.stop());

const mailOf = (account: string) => ({ type: 'event', event: 'mail.received', account });
const disconnect = (id: string) => steward.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token });
const read = async (id: string) => (await callAutomations(steward, token, 'GET', `/${id}`)).body;

describe('an account that is disconnected', () => {
  it('pauses the automations that name it, and no others', async () => {
    const draft = { type: 'action', action: 'mail.draft', account: first, input: { to: ['a@example.com'], subject: 'Hi', body: 'Hello.' } };
    const naming = [
      await makeAutomation(steward, token, { trigger: mailOf(first), does: { type: 'notify' } }),
      await makeAutomation(steward, token, { accounts: [second, first] }),
      await makeAutomation(steward, token, { does: draft, actions: ['mail.draft'] }),
    ];
    const others = [
      await makeAutomation(steward, token),
      await makeAutomation(steward, token, { trigger: mailOf(second), accounts: [second] }),
    ];
    const paused = await makeAutomation(steward, token, { accounts: [first], state: 'paused' });
    await steward.sql(
      `insert into automation_runs (id, user_id, automation_id, occurrence, planned_at)
       select gen_random_uuid(), user_id, id, 'schedule:x', now() from automations where id = any($1::uuid[])`,
      [[naming[1], others[0]]],
    );
    expect((await disconnect(first)).status).toBe(200);
    for (const id of naming) expect(await read(id)).toMatchObject({ state: 'paused', paused_by: 'account', next_run_at: null });
    for (const id of others) expect(await read(id)).toMatchObject({ state: 'active', paused_by: null });
    expect(await read(paused)).toMatchObject({ state: 'paused', paused_by: 'user' });
    expect((await read(naming[1] ?? '')).last_run.status).toBe('cancelled');
    expect((await read(others[0] ?? '')).last_run.status).toBe('due');
    const told = await steward.sql<{ data: object }>(
      `select data from events where event = 'automation.paused' and data ->> 'automation' = any($1)`,
      [[...naming, ...others, paused]],
    );
    expect(told.map(({ data }) => data)).toEqual(expect.arrayContaining(naming.map((automation) => ({ automation, reason: 'account' }))));
    expect(told).toHaveLength(naming.length);
  });

  it('is no reason to run again until they name another one', async () => {
    const id = await makeAutomation(steward, token, { trigger: mailOf(first) });
    await disconnect(first);
    const patch = (body: object) => callAutomations(steward, token, 'PATCH', `/${id}`, body);
    expectError(await patch({ state: 'active' }), 'invalid_request', /^trigger\.account: no such account is connected/);
    expect((await patch({ name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', state: 'paused', paused_by: 'account' });
    expect((await patch({ trigger: mailOf(second), state: 'active' })).body).toMatchObject({ state: 'active', paused_by: null });
  });
});

describe('automations of a user', () => {
  it('are in their export, in words, and end with them', async () => {
    const id = await makeAutomation(steward, token, { name: 'Invoices', trigger: mailOf(first) });
    const [row] = await steward.sql<{ definition: Buffer }>('select definition from automations where id = $1', [id]);
    expect(row?.definition.includes('Invoices')).toBe(false);
    const exported = await steward.call('/user/export', { token });
    expect(exported.body.automations).toMatchObject([
      { id, kind: 'mail.received', account_id: first, named_accounts: [first], definition: { name: 'Invoices', does: BRIEF.does } },
    ]);
    expect((await steward.call('/user', { method: 'DELETE', token })).status).toBe(200);
    expect(await steward.sql('select 1 from automations where id = $1', [id])).toEqual([]);
  });
});
