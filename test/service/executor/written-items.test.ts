import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/errors.ts';
import { MAX_LEVELS } from '../../../src/providers/workspace/folder-contents.ts';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { type ClientCall, codeOf, financialAndOther } from '../../support/scenes/labelled-clients.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';

const AT = { start: '2027-03-21T09:00', end: '2027-03-21T10:00' };
const STRANGER = 'ana@partner.example';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());

type Call = ClientCall;

async function clients(): Promise<{ me: Person; financial: Call; other: Call }> {
  const me = await newPerson(steward);
  return { me, ...(await financialAndOther(steward, me)) };
}

describe('a question about what the same client has changed', () => {
  const noticesOf = async (call: Promise<unknown>) => ((await call.catch((thrown) => thrown)) as AppError).details?.approvalId as string;
  const shown = async ({ token }: Person, approvalId: string) => {
    const { userId } = await steward.context.sessions.authenticate(token);
    return (await steward.context.executor.approvals(userId)).find((one) => one.approvalId === approvalId)?.notices ?? [];
  };
  const CHANGED =
    /^The app that asks changed what this is about, or put something into it, at \w{3}, \d{1,2} \w{3} \d{4}, \d\d:\d\d Tokyo time\.$/;

  it('says so, with the time in the user’s zone', async () => {
    const me = await newPerson(steward);
    const zone = JSON.stringify({ time_zone: 'Asia/Tokyo' });
    const headers = { 'content-type': 'application/merge-patch+json' };
    await steward.call('/user/preferences', { method: 'PATCH', token: me.token, body: zone, headers });
    const { userId } = await steward.context.sessions.authenticate(me.token);
    const request = { name: 'script', actions: ['*'], access: 'write' as const, days: 1 };
    const { token } = await steward.context.clientTokens.create(userId, request);
    const client: Call = (action, input) => callAction(steward, action, input, { token });
    const own: Call = (action, input) => callAction(steward, action, input, { token: me.token });
    const [file, folder] = [
      (await own('drive.create', { name: 'Plan.txt', content: 'x' })).data,
      (await own('drive.create', { name: 'Plans', type: 'folder' })).data,
    ];
    const before = await noticesOf(client('drive.share', { id: file.id, email: STRANGER }));
    expect((await shown(me, before)).filter((notice) => CHANGED.test(notice))).toEqual([]);
    await own('drive.rename', { id: folder.id, name: 'Shared plans' });
    await client('drive.create', { name: 'Other.txt', content: 'x', folder: folder.id });
    const after = await noticesOf(client('drive.share', { id: folder.id, email: STRANGER }));
    expect((await shown(me, after)).filter((notice) => CHANGED.test(notice))).toHaveLength(1);
  });
});

describe('what repeats others’ text', () => {
  it('is others’ for a client that has read nothing: a copy of a shared file, a saved attachment', async () => {
    const me = await newPerson(steward);
    const { userId } = await steward.context.sessions.authenticate(me.token);
    const anew = async (action: string, input: object) => {
      const request = { name: 'script', actions: ['*'], access: 'write' as const, days: 1 };
      const { token } = await steward.context.clientTokens.create(userId, request);
      return (await callAction(steward, action, input, { token })) as any;
    };
    const files = '/drive/v3/files';
    const [own, shared] = [
      (await me.google('POST', files, { name: 'Own.txt', mimeType: 'text/plain' })).body.id,
      (await me.google('POST', files, { name: 'Shared.txt', mimeType: 'text/plain' })).body.id,
    ];
    await me.google('POST', `${files}/${shared}/permissions`, { type: 'user', role: 'writer', emailAddress: STRANGER });
    const message = (await me.act('mail.search', { query: 'has:attachment filename:txt' })).items[0].id;
    const copy = await anew('drive.copy', { id: shared });
    const saved = await anew('mail.save_attachment', { message, attachment: '1' });
    const integrityOf = async (id: string) => (await anew('drive.info', { id })).meta.labels.integrity;
    expect([await integrityOf(own), await integrityOf(copy.data.id), await integrityOf(saved.data.id)]).toEqual([
      'own',
      'others',
      'others',
    ]);
  });
});

describe('what a client wrote after it had read a bank’s data', () => {
  it('is not sent, shared or copied to others by another client, which is marked once it has read it', async () => {
    const { financial, other } = await clients();
    const file = (await financial('drive.create', { name: 'Okapi.txt', content: 'Balance: 1,234.00' })).data;
    const draft = (await financial('mail.draft', { to: [STRANGER], subject: 'Okapi', body: '1,234.00', files: [file.id] })).data;
    expect(await codeOf(other('mail.draft_send', { id: draft.id }))).toBe('forbidden');
    expect(await codeOf(other('drive.share', { id: file.id, email: STRANGER }))).toBe('forbidden');
    expect(await codeOf(other('mail.send', { to: [STRANGER], subject: 'x', body: 'x', files: [file.id] }))).toBe('forbidden');
    const listed = await other('mail.drafts', {});
    expect(listed.meta.labels).toMatchObject({ integrity: 'others', confidentiality: 'financial' });
    expect(await codeOf(other('mail.send', { to: [STRANGER], subject: 'x', body: 'x' }))).toBe('forbidden');
  });

  it('is held by the folder that it is put or moved into', async () => {
    const { financial, other } = await clients();
    const [folder, second] = [
      (await other('drive.create', { name: 'One', type: 'folder' })).data,
      (await other('drive.create', { name: 'Two', type: 'folder' })).data,
    ];
    const file = (await financial('drive.create', { name: 'Okapi.txt', content: '1,234.00', folder: folder.id })).data;
    expect(await codeOf(other('drive.share', { id: folder.id, email: STRANGER }))).toBe('forbidden');
    await codeOf(other('drive.move', { id: file.id, folder: second.id }));
    expect(await codeOf(other('drive.share', { id: second.id, email: STRANGER }))).toBe('forbidden');
  });

  it('is held by a folder whose contents are too many to read, and by the folders above it', async () => {
    const { financial, other } = await clients();
    const [top, clean] = [
      (await other('drive.create', { name: 'Top', type: 'folder' })).data,
      (await other('drive.create', { name: 'Clean', type: 'folder' })).data,
    ];
    let folder = top;
    for (let level = 0; level <= MAX_LEVELS; level += 1) {
      folder = (await other('drive.create', { name: `Level ${level}`, type: 'folder', folder: folder.id })).data;
    }
    await financial('drive.create', { name: 'Okapi.txt', content: '1,234.00', folder: folder.id });
    expect(await codeOf(other('drive.share', { id: top.id, email: STRANGER }))).toBe('forbidden');
    expect(await codeOf(other('drive.share', { id: clean.id, email: STRANGER }))).toBe('approval_required');
  });

  it('is known by the series, whichever event names it', async () => {
    const { financial, other } = await clients();
    const series = (
      await other('calendar.create', { ...AT, title: 'Series', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'], zone: 'Europe/Berlin' })
    ).data;
    const range = { from: '2027-03-20T00:00', to: '2027-03-25T00:00', query: 'Series' };
    const [first, second] = (await other('calendar.list', range)).data.items.filter((event: any) => event.series === series.id);
    await financial('calendar.update', { id: first.id, scope: 'series', title: 'Series of 1,234.00' });
    for (const id of [series.id, second.id]) {
      expect((await other('calendar.get', { id })).meta.labels).toMatchObject({ integrity: 'others', confidentiality: 'financial' });
    }
    const invite = { add_attendees: [STRANGER], scope: 'series', id: second.id };
    expect(await codeOf(other('calendar.update', invite))).toBe('forbidden');
  });

  it('is known by the series that another of its events names', async () => {
    const { financial, other } = await clients();
    const rule = { zone: 'Europe/Berlin', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
    const series = (await other('calendar.create', { ...AT, ...rule, title: 'Series' })).data;
    const range = { from: '2027-03-20T00:00', to: '2027-03-25T00:00', query: 'Series' };
    const [first, second] = (await other('calendar.list', range)).data.items.filter((event: any) => event.series === series.id);
    await financial('calendar.update', { id: first.id, title: 'Balance 1,234.00' });
    for (const id of [series.id, second.id]) {
      expect(await codeOf(other('calendar.update', { id, scope: 'series', add_attendees: [STRANGER] }))).toBe('forbidden');
    }
  });

  it('is known in the times of its events', async () => {
    const { me, financial, other } = await clients();
    const range = { from: '2027-03-21T00:00', to: '2027-03-22T00:00', zone: 'Europe/Berlin' };
    await financial('calendar.create', { ...AT, title: 'Okapi', zone: 'Europe/Berlin' });
    for (const [action, input] of [
      ['calendar.free', range],
      ['calendar.busy', { ...range, people: [me.email] }],
    ] as const) {
      const read = await other(action, input);
      expect(read.meta.labels).toMatchObject({ integrity: 'others', confidentiality: 'financial' });
    }
    const elsewhere = { from: '2027-04-21T00:00', to: '2027-04-22T00:00' };
    expect((await other('calendar.free', elsewhere)).meta.labels).toMatchObject({ integrity: 'own', confidentiality: 'private' });
  });

  it('is known in the mailbox that it was sent to', async () => {
    const { me, financial, other } = await clients();
    const mail = { to: [me.email], subject: 'Okapi', body: '1,234.00' };
    const { details } = (await financial('mail.send', mail).catch((thrown) => thrown)) as any;
    const { approve } = await steward.context.sessions.authenticate(me.token).then((user) => ({
      approve: () =>
        steward.context.executor.approve({
          user,
          surface: 'socket',
          approvalId: details.approvalId,
          approved: true,
          signal: new AbortController().signal,
        }),
    }));
    const sent = (await approve()).data as any;
    expect((await other('mail.read', { message: sent.id })).meta.labels).toMatchObject({ confidentiality: 'financial' });
  });
});
