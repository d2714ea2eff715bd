import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Catalog } from '../../../src/integrations/catalog.ts';
import { BRIEF, callAutomations, makeAutomation } from '../../support/scenes/automations.ts';
import { connect, linkBank, newName } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';

let steward: TestSteward;
/** Of a user with both accounts. */
let token: string;
let other: string;
let accounts: { workspace: string; bank: string };

beforeAll(async () => {
  steward = await startSteward({}, { catalog: withoutNumbers });
  const name = newName();
  token = await steward.signIn(name);
  await connect(steward, { token, email: `${name}@example.com` });
  await linkBank(steward, token);
  const idOf = async (path: string) => (await steward.call(path, { token })).body.accounts[0].id;
  accounts = { workspace: await idOf('/auth/workspace/accounts'), bank: await idOf('/auth/bank/accounts') };
});

beforeEach(async () => {
  other = await steward.signIn(newName());
  await steward.sql('delete from automations');
});

afterAll(() => steward.stop());

/** The operator has switched one action off. */
function withoutNumbers(catalog: Catalog): Catalog {
  const [[name, numbers] = []] = [...catalog.actions].filter(([action]) => action === 'bank.numbers');
  if (name === undefined || numbers === undefined) return catalog;
  return { ...catalog, actions: new Map(catalog.actions).set(name, { ...numbers, policy: { ...numbers.policy, enabled: false } }) };
}

const call = (method: string, path?: string, body?: unknown, as = token) => callAutomations(steward, as, method, path, body);
const mailOf = (account: string, filter: object = {}) => ({ type: 'event', event: 'mail.received', account, filter });
const draft = (account: string | null = null) => ({
  type: 'action',
  action: 'mail.draft',
  account,
  input: { to: ['a@example.com'], subject: 'Hi', body: 'Hello.' },
});

/** A run that no replica begins. */
const insertRun = (automation: string, occurrence: string, plannedAt = '2026-01-01T08:00:00Z') =>
  steward.sql(
    `insert into automation_runs (id, user_id, automation_id, occurrence, planned_at)
     select gen_random_uuid(), user_id, id, $2, $3 from automations where id = $1`,
    [automation, occurrence, plannedAt],
  );

describe('POST /automations', () => {
  it('is protected, and for the user in person', async () => {
    expectError(await call('POST', '', BRIEF, ''), 'invalid_token');
    const { userId } = await steward.context.authenticateFirstParty(token);
    const made = await steward.context.clientTokens.create(userId, { name: 'script', actions: ['*'], access: 'write', days: 1 });
    const paths: [string, string][] = [
      ['GET', ''],
      ['POST', ''],
      ['GET', `/${randomUUID()}`],
      ['PATCH', `/${randomUUID()}`],
      ['DELETE', `/${randomUUID()}`],
      ['POST', `/${randomUUID()}/run`],
      ['GET', `/${randomUUID()}/runs`],
    ];
    for (const [method, path] of paths)
      expectError(await call(method, path, method === 'GET' ? undefined : BRIEF, `Bearer ${made.token}`), 'forbidden');
  });

  it('makes one, with what it leaves out', async () => {
    const made = await call('POST', '', BRIEF);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      ...BRIEF,
      actions: [],
      accounts: null,
      when_asked: 'wait',
      budget: { steps: 12, tokens: 200_000, cost: null, runs_per_hour: 12, runs_per_day: 100 },
      state: 'active',
      paused_by: null,
      next_run_at: expect.stringMatching(/T0[67]:00:00.000Z$/),
      last_looked_at: null,
      look_error: null,
      last_run: null,
      failures: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await call('GET', `/${made.body.id}`)).body).toEqual(made.body);
    expect((await call('GET')).body).toEqual({ automations: [made.body] });
  });

  it('takes events of own accounts, with what their filters say', async () => {
    const { body } = await call('POST', '', {
      ...BRIEF,
      trigger: mailOf(accounts.workspace, { from: '@Müller.example', subject: '  invoice ' }),
    });
    expect(body.trigger.filter).toEqual({ from: '@xn--mller-kva.example', subject: 'invoice' });
    expect(body.next_run_at).toBeNull();
    const bank = await call('POST', '', { ...BRIEF, trigger: { type: 'event', event: 'bank.transaction', account: accounts.bank } });
    expect(bank.body.trigger.filter).toEqual({ direction: 'out' });
    const status = await call('POST', '', { ...BRIEF, trigger: { type: 'event', event: 'account.status' } });
    expect(status.body.trigger).toEqual({ type: 'event', event: 'account.status', account: null });
  });

  it('takes a filter that matches everything, and one that matches nothing', async () => {
    for (const filter of [{}, { from: 'nobody@nowhere.example', to: '@nowhere.example', subject: 'x'.repeat(200), has_attachment: true }])
      expect((await call('POST', '', { ...BRIEF, trigger: mailOf(accounts.workspace, filter) })).status).toBe(201);
  });

  it('takes a fixed call of an action that it may use', async () => {
    const does = { type: 'action', action: 'mail.draft', input: { to: ['a@example.com'], subject: 'Hi', body: 'Hello.' } };
    const made = await call('POST', '', { ...BRIEF, does, actions: ['mail.*'], accounts: [accounts.workspace] });
    expect(made.body).toMatchObject({ does: { ...does, account: null }, actions: ['mail.*'], accounts: [accounts.workspace] });
  });

  it.each<[string, object | (() => object), RegExp]>([
    ['an unknown zone', { trigger: { ...BRIEF.trigger, time_zone: 'Mars/Olympus' } }, /^trigger\.time_zone: must be a time zone such as/],
    ['an offset as zone', { trigger: { ...BRIEF.trigger, time_zone: '+02:00' } }, /^trigger\.time_zone: must be a time zone/],
    ['no time', { trigger: { ...BRIEF.trigger, at: undefined } }, /^trigger\.at: is required/],
    ['a time there is not', { trigger: { ...BRIEF.trigger, at: '24:00' } }, /^trigger\.at: must be a time such as 08:00/],
    ['an hour for each hour', { trigger: { ...BRIEF.trigger, every: 'hour' } }, /^trigger\.at: must be the minute of an hour/],
    ['another interval', { trigger: { ...BRIEF.trigger, every: 'second' } }, /^trigger\.every: must be one of hour, day/],
    ['a week without its day', { trigger: { ...BRIEF.trigger, every: 'week' } }, /^trigger\.on: /],
    ['a 32nd', { trigger: { ...BRIEF.trigger, every: 'month', on: 32 } }, /^trigger\.on: must be at most 31/],
    ['an unknown event', { trigger: { type: 'event', event: 'mail.sent' } }, /^trigger\.event: must be one of mail\.received/],
    ['a trigger of null', { trigger: null }, /^trigger: must be an object/],
    ['an event of no account', { trigger: { type: 'event', event: 'mail.received' } }, /^trigger\.account: is required/],
    ['an account of somebody else', () => ({ trigger: mailOf(randomUUID()) }), /^trigger\.account: no such account is connected/],
    ['mail of a bank', () => ({ trigger: mailOf(accounts.bank) }), /^trigger\.account: must be a workspace account/],
    [
      'payments of a mailbox',
      () => ({ trigger: { type: 'event', event: 'bank.transaction', account: accounts.workspace } }),
      /^trigger\.account: must be a bank/,
    ],
    ['a filter of null', () => ({ trigger: { ...mailOf(accounts.workspace), filter: null } }), /^trigger\.filter: must be an object/],
    ['an unknown filter', () => ({ trigger: mailOf(accounts.workspace, { body: 'x' }) }), /^trigger\.filter\.body: is unknown/],
    [
      'a sender that is none',
      () => ({ trigger: mailOf(accounts.workspace, { from: 'x' }) }),
      /^trigger\.filter\.from: must be a mail address/,
    ],
    ['an empty subject', () => ({ trigger: mailOf(accounts.workspace, { subject: ' ' }) }), /^trigger\.filter\.subject: must not be empty/],
    ['a long subject', () => ({ trigger: mailOf(accounts.workspace, { subject: 'x'.repeat(201) }) }), /at most 200/],
    [
      'an amount that is none',
      () => ({ trigger: { type: 'event', event: 'bank.transaction', account: accounts.bank, filter: { amount_over: -1 } } }),
      /^trigger\.filter\.amount_over: /,
    ],
    [
      'minutes beyond a day',
      () => ({ trigger: { type: 'event', event: 'calendar.starting', account: accounts.workspace, minutes_before: 1_441 } }),
      /^trigger\.minutes_before: must be at most 1440/,
    ],
    ['no prompt', { does: { type: 'prompt' } }, /^does\.prompt: is required/],
    ['a long prompt', { does: { type: 'prompt', prompt: 'x'.repeat(4_001) } }, /^does\.prompt: must have at most 4000/],
    ['a prompt with control characters', { does: { type: 'prompt', prompt: 'a\u0007b' } }, /^does\.prompt: must not contain control/],
    ['an unknown action', { actions: ['mail.serch'] }, /^actions: no action is called mail\.serch; did you mean mail\.search\?/],
    ['an action switched off', { actions: ['bank.numbers'] }, /^actions: the operator has switched bank\.numbers off/],
    ['no action', { actions: ['mail'] }, /^actions\.0: must be \*, all actions of an agent/],
    ['null for actions', { actions: null }, /^actions: must be a list/],
    ['51 actions', { actions: Array.from({ length: 51 }, () => 'mail.search') }, /^actions: must have at most 50/],
    [
      'a call that it may not make',
      () => ({ does: draft(), actions: ['mail.search'] }),
      /^does\.action: actions does not have mail\.draft/,
    ],
    ['a call of no action', () => ({ does: { ...draft(), action: 'mail.nothing' }, actions: ['*'] }), /^does\.action: no action is called/],
    ['a call with wrong arguments', () => ({ does: { ...draft(), input: { to: 'nobody', sbject: 1 } }, actions: ['*'] }), /^does\.input: /],
    [
      'a call with an account of another kind',
      () => ({ does: draft(accounts.bank), actions: ['*'] }),
      /^does\.account: must be an account that/,
    ],
    ['a call with an unknown account', () => ({ does: draft(randomUUID()), actions: ['*'] }), /^does\.account: no such account/],
    [
      'a call without an account for it',
      () => ({ does: draft(), actions: ['*'], accounts: [accounts.bank] }),
      /^does\.action: no account is connected that mail\.draft may use/,
    ],
    ['accounts of others', () => ({ accounts: [randomUUID()] }), /^accounts: no such account is connected/],
    ['no accounts', { accounts: [] }, /^accounts: must not be empty/],
    ['approval without asking', { when_asked: 'approve' }, /^when_asked: must be one of wait, skip, draft/],
    ['no steps', { budget: { steps: 0 } }, /^budget\.steps: must be at least 1/],
    ['a budget of null', { budget: null }, /^budget: must be an object/],
    ['an unknown budget', { budget: { stpes: 5 } }, /^budget\.stpes: is unknown \(did you mean steps\?\)/],
    ['no name', { name: null }, /^name: must be a string/],
    ['an empty name', { name: ' ' }, /^name: must not be empty/],
    ['a long name', { name: 'x'.repeat(101) }, /^name: must have at most 100/],
    ['a name with control characters', { name: 'a\u0000b' }, /^name: must not contain hidden or control characters/],
    ['a name with hidden characters', { name: 'a\u202eb' }, /^name: must not contain hidden or control characters/],
    ['half a character', { name: 'a\ud800' }, /^name: /],
    ['the name of the service', { name: 'Stewаrd' }, /^name: must not be, or look like, the name of this service/],
    ['a field too many', { owner: 'me' }, /^owner: is unknown/],
  ])('rejects %s', async (_, changed, message) => {
    expectError(await call('POST', '', { ...BRIEF, ...(typeof changed === 'function' ? changed() : changed) }), 'invalid_request', message);
    expect((await call('GET')).body.automations.filter(({ name }: { name: string }) => name !== BRIEF.name)).toEqual([]);
  });

  it('rejects what is no automation, and 12 MB of it', async () => {
    for (const body of [null, [], 'text', 1, {}]) expectError(await call('POST', '', body), 'invalid_request');
    expectError(await call('POST', '', { ...BRIEF, name: 'x'.repeat(12_000_000) }), 'too_large');
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const headers = { 'content-type': 'application/json' };
    expectError(await steward.call('/automations', { token, body: `{"name":${deep}}`, headers }), 'invalid_request');
  });

  it('makes 50 of 60 at once', async () => {
    const made = await Promise.all(Array.from({ length: 60 }, () => call('POST', '', BRIEF, other)));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(50);
    for (const response of made.filter(({ status }) => status !== 201)) expectError(response, 'conflict', /There are 50 automations/);
    expect((await call('GET', '', undefined, other)).body.automations).toHaveLength(50);
  });
});

describe('an automation of somebody else', () => {
  it('is not found, whatever is asked of it', async () => {
    const id = await makeAutomation(steward, token);
    const asked: [string, string, unknown?][] = [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { name: 'Mine' }],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/run`],
      ['GET', `/${id}/runs`],
    ];
    for (const [method, path, body] of asked) expectError(await call(method, path, body, other), 'not_found');
    expect((await call('GET', `/${id}`)).body.name).toBe(BRIEF.name);
  });
});

describe('PATCH /automations/{id}', () => {
  it('changes what it names, and in the budget too', async () => {
    const id = await makeAutomation(steward, token, { budget: { steps: 5 }, actions: ['mail.search'] });
    const before = (await call('GET', `/${id}`)).body;
    const patched = await call('PATCH', `/${id}`, { name: 'Evening brief', budget: { tokens: 9_000 }, when_asked: 'skip' });
    expect(patched.body).toEqual({
      ...before,
      name: 'Evening brief',
      budget: { ...before.budget, tokens: 9_000 },
      when_asked: 'skip',
      updated_at: expect.any(String),
    });
    expect((await call('PATCH', `/${id}`, {})).body).toEqual({ ...patched.body, updated_at: expect.any(String) });
  });

  it('plans anew with another trigger', async () => {
    const id = await makeAutomation(steward, token);
    const next = async (trigger: object) => (await call('PATCH', `/${id}`, { trigger })).body.next_run_at;
    expect(await next({ ...BRIEF.trigger, at: '23:59', time_zone: 'UTC' })).toMatch(/T23:59:00\.000Z$/);
    expect(await next(mailOf(accounts.workspace))).toBeNull();
    const [row] = await steward.sql<object>('select kind, account_id, named_accounts, due_at from automations where id = $1', [id]);
    expect(row).toEqual({ kind: 'mail.received', account_id: accounts.workspace, named_accounts: [accounts.workspace], due_at: null });
  });

  it('pauses and resumes: from now on, and with its failures forgotten', async () => {
    const id = await makeAutomation(steward, token);
    expect((await call('PATCH', `/${id}`, { state: 'paused' })).body).toMatchObject({
      state: 'paused',
      paused_by: 'user',
      next_run_at: null,
    });
    await steward.sql(`update automations set failures = 5, paused_by = 'failures' where id = $1`, [id]);
    expect((await call('PATCH', `/${id}`, { name: 'Other', state: 'paused' })).body).toMatchObject({ paused_by: 'failures', failures: 5 });
    const { body } = await call('PATCH', `/${id}`, { state: 'active' });
    expect(body).toMatchObject({ state: 'active', paused_by: null, failures: 0 });
    const ahead = Date.parse(body.next_run_at) - steward.clock.now();
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThanOrEqual(25 * 3_600_000);
  });

  it('cancels what has not begun when it is paused', async () => {
    const id = await makeAutomation(steward, token);
    await insertRun(id, 'schedule:x');
    await call('PATCH', `/${id}`, { state: 'paused' });
    expect((await call('GET', `/${id}/runs`)).body.runs).toMatchObject([{ status: 'cancelled', ended_at: expect.any(String) }]);
  });

  it('checks what it changes as a new one is', async () => {
    const id = await makeAutomation(steward, token);
    const before = (await call('GET', `/${id}`)).body;
    const wrong: [object, RegExp][] = [
      [{ trigger: { ...BRIEF.trigger, time_zone: 'Mars/Olympus' } }, /^trigger\.time_zone/],
      [{ actions: ['mail.nothing'] }, /^actions: no action/],
      [{ accounts: [randomUUID()] }, /^accounts: no such account/],
      [{ does: draft() }, /^does\.action: actions does not have/],
      [{ name: null }, /^name: must be a string/],
      [{ budget: { steps: null } }, /^budget\.steps: must be/],
      [{ state: 'done' }, /^state: must be one of active, paused/],
      [{ paused_by: null }, /^paused_by: is unknown/],
    ];
    for (const [patch, message] of wrong) expectError(await call('PATCH', `/${id}`, patch), 'invalid_request', message);
    expectError(await call('PATCH', `/${id}`, { name: 'x'.repeat(12_000_000) }), 'too_large');
    expect((await call('GET', `/${id}`)).body).toEqual(before);
  });

  it('loses none of the changes made at the same time', async () => {
    const id = await makeAutomation(steward, token);
    const changes = [
      { name: 'A' },
      { when_asked: 'draft' },
      { actions: ['mail.search'] },
      { budget: { steps: 3 } },
      { budget: { tokens: 5_000 } },
    ];
    const done = await Promise.all(changes.map((change) => call('PATCH', `/${id}`, change)));
    expect(done.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect((await call('GET', `/${id}`)).body).toMatchObject({
      name: 'A',
      when_asked: 'draft',
      actions: ['mail.search'],
      budget: { steps: 3, tokens: 5_000 },
    });
    const [row] = await steward.sql<{ revision: number }>('select revision from automations where id = $1', [id]);
    expect(row?.revision).toBe(1 + changes.length);
  });
});

describe('DELETE /automations/{id}', () => {
  it('deletes it with its runs', async () => {
    const id = await makeAutomation(steward, token);
    await insertRun(id, 'schedule:x');
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
    expectError(await call('GET', `/${id}`), 'not_found');
    expectError(await call('DELETE', `/${id}`), 'not_found');
    expect(await steward.sql('select 1 from automation_runs where automation_id = $1', [id])).toEqual([]);
  });
});

describe('POST /automations/{id}/run', () => {
  it('adds a run for now, also of a paused automation, and not two that have not begun', async () => {
    const id = await makeAutomation(steward, token, { state: 'paused', does: { type: 'notify' } });
    await insertRun(id, 'manual:x');
    expectError(await call('POST', `/${id}/run`), 'conflict', /about to run/);
    await steward.sql(`update automation_runs set status = 'done', ended_at = now() where automation_id = $1`, [id]);
    const { status, body } = await call('POST', `/${id}/run`);
    expect(status).toBe(202);
    expect(body).toEqual({
      id: expect.any(String),
      automation_id: id,
      status: 'due',
      planned_at: expect.any(String),
      started_at: null,
      ended_at: null,
      late: false,
      thread_id: null,
      error: null,
    });
    await eventually(async () => (await call('GET', `/${id}`)).body.last_run?.status === 'done');
    expect((await call('GET', `/${id}`)).body.last_run.id).toBe(body.id);
  });
});

describe('GET /automations/{id}/runs', () => {
  it('pages through the runs, the latest first', async () => {
    const id = await makeAutomation(steward, token);
    for (let day = 10; day < 15; day += 1) await insertRun(id, `schedule:${day}`, `2026-01-${day}T08:00:00Z`);
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const { body } = await call('GET', `/${id}/runs?limit=2${next === '' ? '' : `&before=${next}`}`);
      expect(body.runs.length).toBeLessThanOrEqual(2);
      seen.push(...body.runs.map((run: { planned_at: string }) => run.planned_at.slice(0, 10)));
      next = body.next;
    }
    expect(seen).toEqual(['2026-01-14', '2026-01-13', '2026-01-12', '2026-01-11', '2026-01-10']);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'before=', 'before=1', 'before=1.x', 'page=2'])('rejects %s', async (query) => {
    expectError(
      await call(
        'GET',
        `/${await makeAutomation(steward, other, { name: 'One' }).catch(() => randomUUID())}/runs?${query}`,
        undefined,
        other,
      ),
      'invalid_request',
    );
  });
});
