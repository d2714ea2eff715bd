import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { type ClientCall, codeOf, financialAndOther } from '../../../support/scenes/labelled-clients.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';

const SECRET = 'Balance 1,234.00';

let steward: TestSteward;
let me: Person;
let financial: ClientCall;
let other: ClientCall;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
  ({ financial, other } = await financialAndOther(steward, me));
});

const mayStillSend = () => codeOf(other('mail.send', { to: ['ana@partner.example'], subject: 'x', body: 'x' }));

describe('a draft that was written after a bank’s data was read', () => {
  it.each([
    [
      'edited',
      async ({ id, thread }: { id: string; thread: string }) => {
        const raw = Buffer.from(`To: ${me.email}\r\nSubject: Okapi\r\n\r\n${SECRET}`).toString('base64url');
        return (await me.google('PUT', `/gmail/v1/users/me/drafts/${id}`, { message: { raw, threadId: thread } })).body.message;
      },
    ],
    ['sent', async ({ id }: { id: string }) => (await me.google('POST', '/gmail/v1/users/me/drafts/send', { id })).body],
  ] as const)('keeps its label when the user has %s it in the mail service', async (_what, change) => {
    const draft = (await financial('mail.draft', { to: [me.email], subject: 'Okapi', body: SECRET })).data;
    const { id, threadId } = await change(draft);
    expect(id).not.toBe(draft.message);
    const read = await other('mail.read', { thread: threadId });
    expect(JSON.stringify(read.data)).toContain(SECRET);
    expect(read.meta.labels.confidentiality).toBe('financial');
    expect(await mayStillSend()).toBe('forbidden');
  });

  it('is found with its label, and what others wrote in its thread without it', async () => {
    const [{ id }] = (await me.google('GET', '/gmail/v1/users/me/messages?q=in:inbox&maxResults=1')).body.messages;
    const draft = (await financial('mail.draft', { to: [me.email], reply_to: id, body: SECRET })).data;
    expect((await other('mail.read', { message: id })).meta.labels.confidentiality).toBe('private');
    expect(await mayStillSend()).toBe('approval_required');
    await me.google('POST', '/gmail/v1/users/me/drafts/send', { id: draft.id });
    const found = await other('mail.search', { query: 'in:sent' });
    expect(JSON.stringify(found.data)).toContain(SECRET);
    expect(found.meta.labels.confidentiality).toBe('financial');
  });
});
