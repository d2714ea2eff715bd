import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MailUser, newMailUser, startMail } from '../../../support/scenes/mail.ts';
import type { TestSteward } from '../../../support/steward.ts';
import { callAction } from '../../../support/users/agents.ts';

let steward: TestSteward;
let user: MailUser;

beforeAll(async () => {
  steward = await startMail();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  user = await newMailUser(steward);
});

const MAIL = { to: ['Ana <ana@example.org>'], subject: 'Plan', body: 'At noon?' };

const run = (action: string, input: object): Promise<any> => callAction(steward, action, input, { token: user.token });
const labelsOf = async (ids: readonly string[]) =>
  Promise.all(ids.map(async (message) => (await user.run('mail.read', { message })).messages[0].labels.toSorted()));
const newest = async (max: number) =>
  (await user.run('mail.search', { query: 'in:inbox -label:Travel', max })).items.map(({ id }: any) => id);

async function undo({ meta }: any): Promise<any> {
  expect(meta.undo).toEqual({ action: expect.any(String), input: expect.any(Object), summary: expect.stringMatching(/^[^\n]+$/) });
  return run(meta.undo.action, meta.undo.input);
}

describe('what reverts mail.label', () => {
  it('restores the labels of the messages that it changed, and of no other', async () => {
    const ids = await newest(3);
    await user.run('mail.label', { ids: [ids[0]], add: ['Travel'] });
    const before = await labelsOf(ids);
    const result = await run('mail.label', { ids, add: ['Travel'] });
    expect(result.meta.undo).toEqual({
      action: 'mail.label',
      input: { ids: ids.slice(1), add: [], remove: [expect.stringMatching(/^Label_/)] },
      summary: 'Label 2 messages as before: add none, remove “Travel”',
    });
    await undo(result);
    expect(await labelsOf(ids)).toEqual(before);
  });

  it('puts archived messages back into the inbox', async () => {
    const ids = await newest(2);
    const before = await labelsOf(ids);
    await undo(await run('mail.label', { ids, remove: ['INBOX'] }));
    expect(await labelsOf(ids)).toEqual(before);
  });

  it('isn’t named where nothing changed, or messages changed differently', async () => {
    const ids = await newest(2);
    await user.run('mail.label', { ids: [ids[0]], add: ['Travel'] });
    expect((await run('mail.label', { ids: [ids[0]], add: ['Travel'] })).meta.undo).toBeUndefined();
    expect((await run('mail.label', { ids, add: ['Travel', 'Home'] })).meta.undo).toBeUndefined();
  });

  it.each(['TRASH', 'SPAM'])('isn’t named where it would move messages back to where they are deleted: %s', async (label) => {
    const id = await user.find(`in:${label.toLowerCase()}`);
    const { data, meta } = await run('mail.label', { ids: [id], remove: [label] });
    expect(data.removed).toEqual([label]);
    expect(meta.undo).toBeUndefined();
  });
});

describe('what reverts mail.draft_update', () => {
  it('holds text that others may have written, and the result says so', async () => {
    const { id } = await user.run('mail.draft', MAIL);
    const { meta } = await run('mail.draft_update', { id, body: 'At one?' });
    expect(meta.undo.input).toMatchObject({ body: 'At noon?' });
    expect(meta.labels.integrity).toBe('others');
  });
});

describe('what reverts mail.trash', () => {
  it('takes messages and threads out of the trash, and back into the inbox if they were there', async () => {
    const [first, second] = await newest(2);
    await user.run('mail.label', { ids: [second], remove: ['INBOX'] });
    const { items } = await user.run('mail.search', { query: 'subject:Übergabe' });
    const { messages } = await user.run('mail.read', { thread: items[0].thread });
    const ids = [first, second, ...messages.map(({ id }: any) => id)];
    const before = await labelsOf(ids);
    const result = await run('mail.trash', { ids: [first, second], threads: [items[0].thread] }).catch(() => undefined);
    const trashed = result ?? (await approvedResult('mail.trash', { ids: [first, second], threads: [items[0].thread] }));
    expect(trashed.meta.undo.summary).toBe(`Take ${ids.length} messages out of the trash`);
    for (const labels of await labelsOf(ids)) expect(labels).toContain('TRASH');
    await undo(trashed);
    expect(await labelsOf(ids)).toEqual(before);
  });

  it('leaves what was in the trash before', async () => {
    const [id] = await newest(1);
    const input = { ids: [await user.find('in:trash'), id] };
    const { data, meta } = await run('mail.trash', input).catch(() => approvedResult('mail.trash', input));
    expect(data.trashed.toSorted()).toEqual(input.ids.toSorted());
    expect(meta.undo).toMatchObject({ input: { ids: [id], inbox: [id] }, summary: 'Take 1 message out of the trash' });
  });
});

describe('what reverts a draft', () => {
  it('deletes a new one, with the user’s approval', async () => {
    const { meta, data } = await run('mail.draft', { ...MAIL, subject: 'Hi”\u00a0– “nobody' });
    expect(meta.undo).toEqual({
      action: 'mail.draft_delete',
      input: { id: data.id },
      summary: expect.stringMatching(/^Delete the draft to “Ana” <ana@example\.org>: “Hi'.– 'nobody”$/),
    });
    await user.approved(meta.undo.action, meta.undo.input);
    expect((await user.run('mail.drafts')).items).toEqual([]);
  });

  it('restores the former values of those fields that changed', async () => {
    const { id } = await user.run('mail.draft', { ...MAIL, cc: ['ben@example.org'] });
    const result = await run('mail.draft_update', { id, to: ['eve@example.net'], body: 'At one?' });
    expect(result.meta.undo).toEqual({
      action: 'mail.draft_update',
      input: { id, to: ['Ana <ana@example.org>'], body: 'At noon?' },
      summary: 'Restore to, body of the draft “Plan”, without formatting',
    });
    const { data } = await undo(result);
    expect((await user.run('mail.read', { message: data.message })).messages[0]).toMatchObject({
      to: 'Ana <ana@example.org>',
      cc: 'ben@example.org',
      subject: 'Plan',
      text: expect.stringMatching(/^At noon\?\s*$/),
    });
  });
});

describe('what can’t be reverted', () => {
  it.each(['mail.send', 'mail.draft_send', 'mail.draft_delete'])('has none: %s', async (action) => {
    const { id } = await user.run('mail.draft', MAIL);
    const input = action === 'mail.send' ? MAIL : { id };
    const result = await run(action, input).catch(() => approvedResult(action, input));
    expect(result.data).toBeDefined();
    expect(result.meta.undo).toBeUndefined();
  });
});

async function approvedResult(action: string, input: object): Promise<any> {
  const { details } = await user.refusal(action, input);
  const caller = await steward.context.sessions.authenticate(user.token);
  const decision = { user: caller, surface: 'socket', approvalId: String(details?.approvalId), approved: true };
  return steward.context.executor.approve({ ...decision, signal: new AbortController().signal });
}
