import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toolOutput } from '../../../src/tools/tool-output.ts';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { rejectedWith } from '../../support/scenes/executor-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { type GivenGrant, grantedThread } from '../../support/users/granted-thread.ts';

/** Drafts have another name, and may be switched off or asked about. */
const fileWith = (draft: string) => `version: 1
defaults: { policy: { approval: destructive, rate: 1000/min } }
agents:
  mail:
    provider: workspace
    description: Mail.
    scopes: [mail.modify]
    actions:
      send: { use: mail.send }
      search: { use: mail.search }
      delete_draft: { use: mail.draft_delete }
      note: { use: mail.draft, policy: { ${draft} } }
  calendar: { provider: workspace, description: Events., scopes: [calendar.events.owned] }
`;
const MAIL = { to: ['new-to-me@example.org'], subject: 'Invoice', body: 'It is paid.' };

let steward: TestSteward;
let me: Person;
let userId: string;

const start = async (draft: string) => {
  await steward?.stop();
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(fileWith(draft)) });
};
beforeAll(() => start('approval: never'));
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
  ({ userId } = await steward.context.sessions.authenticate(me.token));
});

const granted = (grant: GivenGrant) => grantedThread(steward, userId, grant);
const call = (thread: string, action: string, input: object, idempotencyKey?: string) =>
  steward.context.executor.invoke({
    user: { userId },
    surface: 'assistant',
    thread,
    action,
    input,
    signal: new AbortController().signal,
    ...(idempotencyKey && { idempotencyKey }),
  });
const drafts = async () => ((await me.google('GET', '/gmail/v1/users/me/drafts')).body.drafts ?? []).length;
const waiting = async () => (await steward.context.executor.approvals(userId)).length;
const sent = async () =>
  ((await me.google('GET', '/gmail/v1/users/me/messages?labelIds=SENT&q=to:new-to-me@example.org')).body.messages ?? []).length;
const trail = async () =>
  (
    await steward.sql<Record<string, string>>('select action, decision, outcome from audit_log where user_id = $1 order by id', [userId])
  ).map(({ action, decision, outcome }) => `${action} ${decision} ${outcome}`);

describe('a call of a run that the user would be asked about', () => {
  it('waits, by default', async () => {
    await rejectedWith(call(await granted({ actions: ['mail.send'] }), 'mail.send', MAIL), 'approval_required');
    expect([await waiting(), await drafts(), await sent()]).toEqual([1, 0, 0]);
  });

  it('is left out where the automation skips such calls, and nobody is asked', async () => {
    const thread = await granted({ actions: ['mail.send', 'mail.search'], whenAsked: 'skip' });
    const error = await rejectedWith(call(thread, 'mail.send', MAIL), 'forbidden');
    expect(error).toMatchObject({
      message: 'The user would be asked about this call, and this automation leaves out such calls. Nothing was done.',
      details: { reason: 'skipped' },
    });
    // What nobody is asked about runs.
    await call(thread, 'mail.search', {});
    expect([await waiting(), await drafts(), await sent()]).toEqual([0, 0, 0]);
    expect(await trail()).toEqual(['mail.send refused forbidden', 'mail.search allowed ok']);
  });

  it('becomes a draft of the mail, which needs no grant but that of sending, once for each idempotency key', async () => {
    const thread = await granted({ actions: ['mail.send'], whenAsked: 'draft' });
    const result = await call(thread, 'mail_send', MAIL, 'k1');
    expect(result).toMatchObject({ data: { id: expect.any(String) }, meta: { drafted: true, account: me.email } });
    expect(toolOutput(result, () => undefined).drafted).toBe(
      'The mail was not sent: the user would be asked first. It was saved as a draft, which this is about.',
    );
    expect((await call(thread, 'mail_send', MAIL, 'k1')).data).toEqual(result.data);
    expect([await waiting(), await drafts(), await sent()]).toEqual([0, 1, 0]);
    expect((await trail()).slice(0, 3)).toEqual(['mail.send refused forbidden', 'mail.note started ok', 'mail.note allowed ok']);
    await rejectedWith(call(thread, 'mail.note', MAIL), 'forbidden');
  });

  it('of another action is left out, where drafts are wanted', async () => {
    const thread = await granted({ whenAsked: 'draft' });
    const event = { title: 'Lunch', start: '2027-03-22T12:00', end: '2027-03-22T13:00', zone: 'UTC', attendees: ['zoe@example.org'] };
    const error = await rejectedWith(call(thread, 'calendar.create', event), 'forbidden');
    expect([error.details?.reason, await waiting()]).toEqual(['skipped', 0]);
  });

  it('runs where the user has allowed it in advance', async () => {
    const asked = await rejectedWith(call(await granted({ actions: ['mail.send'] }), 'mail.send', MAIL), 'approval_required');
    const approve = { user: { userId }, surface: 'http', approvalId: String(asked.details?.approvalId), approved: true, rememberFor: 1 };
    await steward.context.executor.approve({ ...approve, signal: new AbortController().signal });
    for (const whenAsked of ['wait', 'skip', 'draft'] as const) {
      await call(await granted({ actions: ['mail.send'], whenAsked }), 'mail.send', { ...MAIL, body: whenAsked });
    }
    expect([await waiting(), await drafts(), await sent()]).toEqual([0, 0, 4]);
  });
});

describe('a mail that would become a draft', () => {
  it.each(['enabled: false', 'approval: always'])('is left out where drafts are configured with %s', async (policy) => {
    await start(policy);
    me = await newPerson(steward);
    ({ userId } = await steward.context.sessions.authenticate(me.token));
    const error = await rejectedWith(call(await granted({ actions: ['mail.send'], whenAsked: 'draft' }), 'mail.send', MAIL), 'forbidden');
    expect([error.details?.reason, await waiting(), await drafts()]).toEqual(['skipped', 0, 0]);
  });
});
