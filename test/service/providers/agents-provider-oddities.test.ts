import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiScene, startApiScene } from '../../support/scenes/api-scene.ts';
import { callAction } from '../../support/users/agents.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

/** Valid and invalid responses of providers that the sandbox never sends. */
let scene: ApiScene;
let user: ConnectedGrant;

beforeAll(async () => {
  scene = await startApiScene();
});

afterAll(() => scene.stop());

beforeEach(async () => {
  scene.api.reset();
  user = await scene.connect();
});

const run = async (action: string, input: object): Promise<any> =>
  (await callAction(scene.steward, action, input, { token: user.token })).data;

describe('a response of the provider', () => {
  it('may have null for absent values', async () => {
    const times = { start: { dateTime: '2026-03-02T10:00:00Z', date: null }, end: { dateTime: '2026-03-02T11:00:00Z', timeZone: null } };
    const event = { id: 'e1', summary: null, status: 'confirmed', description: null, attendees: null, recurringEventId: null, ...times };
    scene.api.on('/calendar/v3/calendars/primary/events', { body: { timeZone: 'UTC', items: [event], nextPageToken: null } });
    const { items } = await run('calendar.list', { from: '2026-03-01', to: '2026-03-03' });
    expect(items).toMatchObject([{ id: 'e1' }]);
  });

  it('that is empty is not an empty list', async () => {
    for (const response of [{ body: '' }, { status: 204 }]) {
      scene.api.on('/gmail/v1/users/me/messages', response);
      await expect(run('mail.search', {})).rejects.toMatchObject({ code: 'provider_error' });
    }
  });
});

describe('mail.draft', () => {
  const drafts = '/gmail/v1/users/me/drafts';

  it('ends every line with CRLF', async () => {
    scene.api.on(drafts, { body: { id: 'd1', message: { id: 'm1', threadId: 't1' } } });
    await run('mail.draft', { to: ['ana@example.org'], subject: 'Grüße', body: 'one\ntwo\r\nthree\rfour' });
    const raw = Buffer.from(scene.api.calls.find(({ path }) => path === drafts)!.body.message.raw, 'base64url').toString();
    expect(raw.match(/(?<!\r)\n|\r(?!\n)/g)).toBeNull();
    expect(raw).toContain('one\r\ntwo\r\nthree\r\nfour');
  });
});

describe('mail.send as a reply', () => {
  it('does not show the input’s subject in the approval, because another one is sent', async () => {
    scene.api.on('/gmail/v1/users/me/messages/m1', {
      body: { threadId: 't1', payload: { headers: [{ name: 'Subject', value: 'Lunch' }] } },
    });
    const input = { to: ['ana@example.org'], subject: 'Something else', body: 'Yes', reply_to: 'm1' };
    const error = await run('mail.send', input).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'approval_required', details: { summary: expect.stringContaining('Re: Lunch') } });
    expect(JSON.stringify(error.details)).not.toContain('Something else');
  });
});
