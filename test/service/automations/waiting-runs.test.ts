import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callsTools, says } from '../../support/emulators/scripted-model.ts';
import { AutomationScene, type AutomationUser } from '../../support/scenes/automation-scene.ts';
import { eventually } from '../../support/time/eventually.ts';

const MAIL = { to: ['ana@example.com'], subject: 'Numbers', body: 'Here they are.' };
const SENDING = { actions: ['mail.*'] };

let scene: AutomationScene;
let user: AutomationUser;

beforeAll(async () => {
  scene = await AutomationScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  await scene.reset();
  user = await scene.user();
});

async function ask(given: object = SENDING) {
  const id = await scene.automation(user, given);
  scene.model.script(callsTools([{ name: 'mail_send', input: MAIL }]));
  const run = await scene.nextRun(user, id, 'waiting');
  const [question] = await scene.questions(user);
  return { id, run, question };
}
const decide = (approval: string | undefined, approved: boolean) => scene.send(user, 'POST', `/approvals/${approval}`, { approved });
const sent = async () => (await scene.send(user, 'POST', '/agents/mail.search', { query: 'in:sent subject:Numbers' })).body;

describe('a run that needs the user', () => {
  it('waits, and goes on from its conversation once the user has approved', async () => {
    const { id, run, question } = await ask();
    expect(question).toMatchObject({ action: 'mail.send', thread: run.thread });
    scene.model.script(says('It is sent.'));
    expect((await decide(question?.approvalId ?? question?.id, true)).status).toBe(200);
    await scene.until(user, id, 'done');
    const { body } = await scene.call(user, `/threads/${run.thread}`);
    expect(body.messages.at(-1).parts.at(-1).text).toBe('It is sent.');
    expect(JSON.stringify(await sent())).toContain('Numbers');
    expect(await scene.runs(user, id)).toHaveLength(1);
  });

  it('goes on without the call once the user has denied it', async () => {
    const { id, question } = await ask();
    scene.model.script(says('Then not.'));
    await decide(question?.approvalId ?? question?.id, false);
    await scene.until(user, id, 'done');
    expect(JSON.stringify(await sent())).not.toContain('Numbers');
  });

  it('is looked at once, and then only when something is decided', async () => {
    const { id } = await ask();
    const acts = async () =>
      (await scene.steward.sql<{ at: Date | null }>('select act_at as at from automation_runs where automation_id = $1', [id]))[0]?.at;
    await eventually(async () => {
      await scene.steward.tick();
      return (await acts()) === null;
    });
    expect((await scene.runs(user, id))[0]?.status).toBe('waiting');
  });

  it('does not make a call that its automation may not make any more', async () => {
    const { id, question } = await ask();
    scene.model.script(says('I may not.'));
    expect((await scene.send(user, 'PATCH', `/automations/${id}`, { actions: ['mail.search'] })).status).toBe(200);
    expect(await decide(question?.id, true)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(JSON.stringify(await sent())).not.toContain('Numbers');
  });

  it('calls only what it was given', async () => {
    const id = await scene.automation(user, { actions: ['mail.search'] });
    scene.model.script(callsTools([{ name: 'mail_send', input: MAIL }]), says('I may not.'));
    await scene.nextRun(user, id, 'done');
    expect(await scene.questions(user)).toEqual([]);
    expect(scene.model.requests[0]?.tools?.map(({ function: { name } }: Record<string, any>) => name)).toEqual(['mail_search']);
  });
});

describe('a fixed action', () => {
  const does = { type: 'action', action: 'mail.send', input: MAIL };

  it('is asked about, and made once the user has approved, without a model', async () => {
    const id = await scene.automation(user, { ...SENDING, does });
    await scene.nextRun(user, id, 'waiting');
    const [question] = await scene.questions(user);
    await decide(question?.approvalId ?? question?.id, true);
    await scene.until(user, id, 'done');
    expect(JSON.stringify(await sent())).toContain('Numbers');
    expect(scene.model.requests).toEqual([]);
  });

  it('is left out, or becomes a draft, where its user wants so', async () => {
    const left = await scene.automation(user, { ...SENDING, does, when_asked: 'skip' });
    expect(await scene.nextRun(user, left, 'done')).toMatchObject({ error: null });
    const drafted = await scene.automation(user, { ...SENDING, does, when_asked: 'draft' });
    await scene.nextRun(user, drafted, 'done');
    expect(await scene.questions(user)).toEqual([]);
    expect(JSON.stringify(await sent())).not.toContain('Numbers');
    const { body } = await scene.send(user, 'POST', '/agents/mail.drafts', {});
    expect(body.data.items.filter(({ subject }: { subject: string }) => subject === MAIL.subject)).toHaveLength(1);
  });

  it('fails with the code of its call', async () => {
    const id = await scene.automation(user, {
      actions: ['mail.read'],
      does: { type: 'action', action: 'mail.read', input: { message: '18f0000000000000' } },
    });
    expect(await scene.nextRun(user, id, 'failed')).toMatchObject({ error: 'not_found' });
  });
});
