import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callAutomations } from '../../support/scenes/automations.ts';
import { connect, newName } from '../../support/scenes/flows.ts';
import { newToken } from '../../support/scenes/mcp-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { callAction } from '../../support/users/agents.ts';
import { ASKERS, approve } from '../../support/users/askers.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const ACTION = 'automations.propose';
const JSON_TYPE = { 'content-type': 'application/json' };
const BRIEF = {
  name: 'Morning brief',
  every: 'weekday',
  at: '08:00',
  time_zone: 'Europe/Berlin',
  prompt: 'Tell me what my day looks like.',
  actions: ['calendar_list', 'mail.search'],
};

let steward: TestSteward;
let token: string;
let accountId: string;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  token = await steward.signIn(newName());
  await connect(steward, { token });
  const { body } = await steward.call('/auth/workspace/accounts', { token });
  accountId = body.accounts[0].id;
});

const automations = async () => (await callAutomations(steward, token, 'GET')).body.automations;
const questions = async () => (await steward.call('/approvals', { token })).body.approvals;
const propose = (input: object) => callAction(steward, ACTION, input, { token });
const decide = (id: string, decision: object, as = token) =>
  steward.call(`/approvals/${id}`, { token: as, body: JSON.stringify(decision), headers: JSON_TYPE });
const fieldsOf = ({ display }: any) => Object.fromEntries(display.fields.map((field: any) => [field.name, field]));

async function asked(input: object): Promise<any> {
  await expect(propose(input)).rejects.toMatchObject({ code: 'approval_required' });
  return (await questions()).at(-1);
}

describe.each(Object.keys(ASKERS))('a proposal by %s', (name) => {
  it('makes nothing before the user has approved it, and one automation then', async () => {
    const asker = await ASKERS[name]?.(steward, token);
    const first = await asker?.call(ACTION, BRIEF);
    expect(first?.outcome).toBe('approval_required');
    for (let times = 0; times < 10; times += 1) expect((await asker?.call(ACTION, BRIEF))?.outcome).toBe('approval_required');
    expect(await questions()).toHaveLength(1);
    expect(await automations()).toEqual([]);
    expect(await approve(steward, token, first?.approvalId ?? '')).toBe(200);
    expect(await automations()).toMatchObject([
      {
        name: 'Morning brief',
        trigger: { type: 'schedule', every: 'weekday', at: '08:00', time_zone: 'Europe/Berlin' },
        does: { type: 'prompt', prompt: BRIEF.prompt },
        actions: ['calendar.list', 'mail.search'],
        accounts: null,
        when_asked: 'wait',
        state: 'active',
      },
    ]);
  });
});

describe('the question', () => {
  it('says in words when it runs, what it does and what it may do', async () => {
    const question = await asked({ ...BRIEF, actions: ['calendar.list', 'mail.*', 'mail.send'], when_asked: 'draft' });
    expect(question).toMatchObject({ action: ACTION, account: '', audience: [], display: { title: 'Make an automation', viewers: [] } });
    expect(question.summary).toBe('Make the automation “Morning brief”: every weekday at 08:00 (Berlin time)');
    const fields = fieldsOf(question);
    expect(fields).toMatchObject({
      name: { text: 'Morning brief' },
      trigger: { label: 'Runs', text: 'Every weekday at 08:00 (Berlin time)' },
      prompt: { text: BRIEF.prompt },
      later: { text: 'What is added later to Mail' },
      accounts: { text: 'All, also those that you connect later' },
      when_asked: { text: 'A mail becomes a draft; anything else is left out' },
      budget: { text: expect.stringContaining('12 runs an hour, 100 a day') },
    });
    const texts = (name: string) => fields[name].items.map(({ text }: any) => text);
    expect(texts('reads')).toEqual(expect.arrayContaining(['List events', 'Read a mail']));
    expect(texts('reads')).not.toContain('Send a mail');
    expect(texts('changes')).toEqual(expect.arrayContaining(['Send a mail', 'Move mail to the trash']));
  });

  it('names accounts by their labels, and what starts it', async () => {
    const [{ label }] = (await steward.call('/auth/workspace/accounts', { token })).body.accounts.map((one: any) => ({ label: one.email }));
    const question = await asked({ name: 'Bills', event: 'mail.received', from: '@acme.example', account: label, accounts: [label] });
    expect(fieldsOf(question)).toMatchObject({
      trigger: { text: `When a mail from @acme.example arrives in ${label}` },
      does: { text: 'Only tells you' },
      reads: { text: 'Nothing' },
      changes: { text: 'Nothing' },
      accounts: { items: [{ text: label }] },
    });
    expect((await decide(question.id, { approved: true, shown: question.shown })).status).toBe(200);
    expect(await automations()).toMatchObject([
      { trigger: { event: 'mail.received', account: accountId, filter: { from: '@acme.example' } }, accounts: [accountId] },
    ]);
  });

  it('has a page without an account, on which it is approved', async () => {
    const { id } = await asked(BRIEF);
    const browser = await sessionOf(steward, token);
    const page = await browser.visit(`/approvals/${id}`);
    expect(page.text).toContain('Every weekday at 08:00 (Berlin time)');
    expect(page.text).toContain('<h1><bdi>Make an automation</bdi></h1>');
    expect(page.text).not.toMatch(/With |Allow calls like this/);
    const form = { ...page, text: `<form${page.text.split('<form id="approve"')[1]}` };
    const end = await browser.submit(form, `/approvals/${id}`, () => {}, { 'sec-fetch-site': 'same-origin' });
    expect(end.text).toContain('<h1>Done</h1>');
    expect(await automations()).toMatchObject([{ name: 'Morning brief' }]);
    expect((await browser.visit(`/approvals/${id}`)).text).toContain('It was made.');
  });

  it('says what was read before it', async () => {
    const { data } = await callAction(steward, 'mail.search', { max: 1 }, { token });
    const [{ id }] = (data as any).items;
    await callAction(steward, 'mail.read', { message: id }, { token });
    const { notices } = await asked(BRIEF);
    expect(notices).toContainEqual(expect.stringMatching(/^Before this, text by “.+” was read/));
  });

  it('is decided by the user only', async () => {
    const question = await asked(BRIEF);
    const client = await newToken(steward, { token });
    expectError(await decide(question.id, { approved: true }, client.token), 'forbidden');
    expect(await automations()).toEqual([]);
  });

  it('can be changed', async () => {
    const question = await asked(BRIEF);
    const { body } = await steward.call(`/approvals/${question.id}`, { token });
    expect(body.form).toEqual(expect.arrayContaining([expect.objectContaining({ path: 'at', value: '08:00' })]));
    const changed = await decide(question.id, { approved: true, input: { ...BRIEF, at: '07:15', prompt: 'What is new?' } });
    expect(changed.status).toBe(200);
    expect(await automations()).toMatchObject([{ trigger: { at: '07:15' }, does: { prompt: 'What is new?' } }]);
  });

  it('is asked anew if the change lets it do something else', async () => {
    const question = await asked(BRIEF);
    const changed = await decide(question.id, { approved: true, input: { ...BRIEF, actions: ['mail.send'] } });
    expect(changed).toMatchObject({ status: 409, body: { code: 'approval_required' } });
    expect(await automations()).toEqual([]);
    expect(fieldsOf((await questions())[0]).changes.items).toEqual([{ text: 'Send a mail' }]);
    expect((await decide(question.id, { approved: true })).status).toBe(200);
    expect(await automations()).toMatchObject([{ actions: ['mail.send'] }]);
  });

  it('makes nothing once it is denied, or has expired', async () => {
    const denied = await asked(BRIEF);
    expect((await decide(denied.id, { approved: false })).status).toBe(200);
    const expired = await asked({ ...BRIEF, name: 'Another one' });
    await steward.sql(`update approvals set expires_at = now() - interval '1 minute' where id = $1`, [expired.id]);
    expect((await decide(expired.id, { approved: true })).status).toBe(409);
    expect(await automations()).toEqual([]);
  });

  it('is about what it was: not made if an account that it names is gone', async () => {
    const question = await asked({ ...BRIEF, accounts: [accountId] });
    await steward.call(`/auth/workspace/accounts/${accountId}`, { method: 'DELETE', token });
    expect((await decide(question.id, { approved: true })).status).not.toBe(200);
    expect(await automations()).toEqual([]);
  });
});

describe('a proposal', () => {
  it.each([
    ['without a time', { every: 'day', at: undefined }, 'at'],
    ['with a time that is none', { at: '25:00' }, 'at: must be a time'],
    ['with a zone that is none', { time_zone: 'Mars/Base' }, 'time_zone'],
    ['with neither', { every: undefined }, 'every'],
    ['with both', { event: 'mail.received' }, 'every: is unknown'],
    ['with an unknown action', { actions: ['mail.fly'] }, 'actions'],
    ['with an unknown account', { accounts: ['nobody@example.com'] }, 'account'],
    ['with the service’s name', { name: 'Steward' }, 'name'],
    ['of a bank that is not connected', { every: undefined, at: undefined, time_zone: undefined, event: 'bank.transaction' }, 'bank'],
  ])('%s is rejected, and not asked about', async (_what, change, word) => {
    const error = await propose({ ...BRIEF, ...change }).then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(error?.code).toMatch(/^(?:invalid_request|not_found)$/);
    expect(error?.message).toContain(word);
    expect(await questions()).toEqual([]);
  });

  it('needs a token that names it and may change something', async () => {
    const by = async (grant: object) => {
      const made = await newToken(steward, { token }, grant);
      return callAction(steward, ACTION, BRIEF, { token: made.token });
    };
    await expect(by({ access: 'read' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(by({ actions: ['mail.*'] })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(by({ actions: ['automations.*'], accounts: [accountId] })).rejects.toMatchObject({ code: 'approval_required' });
  });

  it('is no reason to count what is said later as others’ text', async () => {
    await expect(propose({ ...BRIEF, at: 'late' })).rejects.toMatchObject({ code: 'invalid_request' });
    const { userId } = await steward.context.authenticateFirstParty(token);
    expect(await steward.sql('select name from contexts where user_id = $1', [userId])).toEqual([]);
  });

  it('is made though that takes longer than between two looks at the accounts in use', async () => {
    const { id } = await asked(BRIEF);
    const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'relation'`;
    const approved = await steward.context.db.transaction(async (tx) => {
      await tx.query('lock table automations in share mode');
      const approving = decide(id, { approved: true });
      await eventually(async () => (await steward.sql(waits)).length > 0);
      await steward.clock.advance(1_000);
      await steward.context.polls.tick();
      return { approving };
    });
    expect((await approved.approving).status).toBe(200);
    expect(await automations()).toHaveLength(1);
  });

  it('is audited without an account', async () => {
    const question = await asked(BRIEF);
    await decide(question.id, { approved: false });
    const rows = await steward.sql('select distinct account_id from audit_log where action = $1', [ACTION]);
    expect(rows).toEqual([{ account_id: null }]);
  });

  it('uses its zone where none is said', async () => {
    await steward.call('/user/preferences', {
      method: 'PATCH',
      token,
      body: JSON.stringify({ time_zone: 'Asia/Tokyo' }),
      headers: JSON_TYPE,
    });
    const { time_zone: _, ...input } = BRIEF;
    expect(fieldsOf(await asked(input)).trigger.text).toBe('Every weekday at 08:00 (Tokyo time)');
  });
});
