import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/errors.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { type ApiScene, startApiScene } from '../../support/scenes/api-scene.ts';
import { callAction } from '../../support/users/agents.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const id = '{ type: object, required: [id], properties: { id: { type: string } } }';
const FILE = `version: 1
agents:
  a:
    provider: workspace
    description: Declared changes.
    scopes: [mail.modify, drive, documents, calendar.events.owned]
    actions:
      insert: { call: calendar.events.insert, description: Insert., effect: write, with: { calendarId: primary, summary: x } }
      hidden:
        call: calendar.events.insert
        description: Insert privately.
        effect: destructive
        with: { calendarId: primary, summary: x, visibility: private }
      shown:
        call: calendar.events.insert
        description: Insert publicly.
        effect: destructive
        with: { calendarId: primary, summary: x, visibility: public }
      away:
        call: calendar.events.insert
        description: Be away.
        effect: destructive
        input: { type: object, required: [text], properties: { text: { type: string } } }
        with: { calendarId: primary, eventType: outOfOffice, outOfOfficeProperties: { declineMessage: $input.text } }
      list: { call: calendar.events.list, description: List., effect: read, with: { calendarId: primary } }
      elsewhere:
        call: calendar.events.insert
        description: Insert elsewhere.
        effect: write
        input: ${id}
        with: { calendarId: $input.id, summary: x }
      patch: { call: calendar.events.patch, description: Patch., effect: write, input: ${id}, with: { calendarId: primary, eventId: $input.id, summary: x } }
      invite:
        call: calendar.events.patch
        description: Invite.
        effect: destructive
        input: { type: object, required: [guests], properties: { guests: { type: array, items: { type: object } } } }
        with: { calendarId: primary, eventId: e1, attendees: $input.guests }
      batch:
        call: docs.documents.batchUpdate
        description: Batch.
        effect: write
        input: { type: object, required: [requests], properties: { requests: { type: array, items: { type: object } } } }
        with: { documentId: f1, requests: $input.requests }
      document: { call: docs.documents.create, description: Document., effect: write, with: { title: x } }
      create: { call: drive.files.create, description: Create., effect: write, with: { name: x } }
      into:
        call: drive.files.create
        description: Create in a folder.
        effect: destructive
        input: ${id}
        with: { name: x, parents: [$input.id] }
      add: { call: drive.files.update, description: Move., effect: destructive, input: ${id}, with: { fileId: f1, addParents: $input.id } }
      rename: { call: drive.files.update, description: Rename., effect: write, with: { fileId: f1, name: x } }
      copy: { call: drive.files.copy, description: Copy., effect: write, with: { fileId: f1 } }
      comment: { call: drive.comments.create, description: Comment., effect: write, with: { fileId: f1, content: x, fields: id } }
      mention:
        call: drive.comments.create
        description: Mention.
        effect: destructive
        input: { type: object, required: [text], properties: { text: { type: string } } }
        with: { fileId: f1, content: $input.text, fields: id }
      reply:
        call: drive.replies.create
        description: Reply.
        effect: destructive
        input: { type: object, required: [text], properties: { text: { type: string } } }
        with: { fileId: f1, commentId: c1, content: $input.text, fields: id }
      label: { call: gmail.users.messages.modify, description: Label., effect: write, with: { id: m1, addLabelIds: [STARRED] } }
      sent: { call: gmail.users.messages.insert, description: Insert., effect: write, with: { raw: x } }
      import: { call: gmail.users.messages.import, description: Import., effect: write, with: { raw: x } }
`;
const EVENT = '/calendar/v3/calendars/primary/events/e1';
const PLAN = '/drive/v3/files/f1';
const FOLDER = '/drive/v3/files/d1';
const ANA = { kind: 'person', address: 'ana@example.org' };
const UNKNOWN = { kind: 'unknown' };
const INSERT = { insertText: { text: 'x', location: { index: 1 } } };
const IMAGE = { insertInlineImage: { uri: 'https://example.org/?secret', location: { index: 1 } } };

let scene: ApiScene;
let me: ConnectedGrant;

beforeAll(async () => {
  scene = await startApiScene({ INTEGRATIONS_FILE: ownIntegrations(FILE) });
});
afterAll(() => scene.stop());
beforeEach(async () => {
  me = await scene.connect();
  scene.api.reset();
  const done = { body: { id: 'x1' } };
  const changing = [
    '/calendar/v3/calendars/primary/events',
    '/calendar/v3/calendars/team/events',
    '/v1/documents',
    '/v1/documents/f1:batchUpdate',
  ];
  const ofMail = ['/gmail/v1/users/me/messages/m1/modify', '/gmail/v1/users/me/messages/import'];
  for (const path of [...changing, ...ofMail, '/drive/v3/files', `${PLAN}/copy`, `${PLAN}/comments`, `${PLAN}/comments/c1/replies`])
    scene.api.on(path, done);
  holding([], false);
});

/** What the provider says of the event, the file and the folder. */
function holding(guests: object[], shared: boolean): void {
  const own = { type: 'user', role: 'owner', emailAddress: me.email };
  const ana = { type: 'user', role: 'reader', emailAddress: 'ana@example.org' };
  const file = { shared, ownedByMe: true, owners: [{ me: true }], permissions: shared ? [own, ana] : [own] };
  scene.api.on(EVENT, { body: { id: 'e1', organizer: { self: true }, attendees: guests } });
  for (const [path, name] of [
    [PLAN, 'f1'],
    [FOLDER, 'd1'],
  ] as const)
    scene.api.on(path, { body: { ...file, id: name } });
}

const changes = () => scene.api.calls.filter(({ method }) => method !== 'GET');

/** Who the user is told will see the effect; `ran`: it ran without a question. */
async function audienceOf(action: string, input: object): Promise<unknown> {
  const failure = await callAction(scene.steward, `a.${action}`, input, { token: me.token }).then(
    () => undefined,
    (error: AppError) => error,
  );
  if (failure?.code !== 'approval_required') {
    if (failure !== undefined) throw failure;
    expect(changes()).not.toEqual([]);
    return 'ran';
  }
  expect(changes()).toEqual([]);
  return failure.details?.audience;
}

describe('a declared change', () => {
  it.each([
    ['insert', {}],
    ['patch', { id: 'e1' }],
    ['batch', { requests: [INSERT] }],
    ['document', {}],
    ['create', {}],
    ['rename', {}],
    ['copy', {}],
    ['comment', {}],
    ['label', {}],
  ])('runs if nobody else sees it: %s', async (action, input) => {
    expect(await audienceOf(action, input)).toBe('ran');
  });

  it.each([
    ['patch', { id: 'e1' }],
    ['batch', { requests: [INSERT] }],
    ['rename', {}],
    ['copy', {}],
    ['comment', {}],
    ['into', { id: 'd1' }],
    ['add', { id: 'd1' }],
  ])('asks if others see it, and says who: %s', async (action, input) => {
    holding([{ email: 'ana@example.org' }], true);
    expect(await audienceOf(action, input)).toEqual([ANA]);
  });

  it.each([
    ['elsewhere', { id: 'team' }, 'another calendar'],
    ['elsewhere', { id: 'primary' }, undefined],
    ['batch', { requests: [INSERT, IMAGE] }, 'an image that is fetched'],
    ['batch', { requests: [{ insertPerson: {} }] }, 'an unknown request'],
    ['import', {}, 'a method that isn’t known to be the user’s own'],
    ['sent', {}, 'a message that may seem to be sent'],
    ['invite', { guests: [{ displayName: 'Ana' }] }, 'a guest without an address'],
    ['into', { id: 'gone' }, null],
  ])('%s of %j: %s', async (action, input, why) => {
    if (why === null) await expect(audienceOf(action, input)).rejects.toMatchObject({ code: 'not_found' });
    else expect(await audienceOf(action, input)).toEqual(why === undefined ? 'ran' : [UNKNOWN]);
  });

  it('counts an event as seen by strangers if its guests can’t be read', async () => {
    scene.api.on(EVENT, { body: { id: 'e1', attendees: 'x' } });
    expect(await audienceOf('patch', { id: 'e1' })).toEqual([UNKNOWN]);
  });

  it('counts the guests of a series’ events, too', async () => {
    scene.api.on(EVENT, { body: { id: 'e1', iCalUID: 'u1', organizer: { self: true }, recurrence: ['RRULE:FREQ=DAILY'] } });
    const part = { recurringEventId: 'e1', organizer: { self: true }, attendees: [{ email: 'ana@example.org' }] };
    scene.api.on('/calendar/v3/calendars/primary/events', { body: { items: [part] } });
    expect(await audienceOf('patch', { id: 'e1' })).toEqual([ANA]);
  });

  it.each([
    ['insert', {}, 'private'],
    ['patch', { id: 'e1' }, 'private'],
    ['label', {}, undefined],
  ])('makes an event private, since a calendar may be shared, after others’ text was read: %s', async (action, input, visibility) => {
    await callAction(scene.steward, 'a.list', {}, { token: me.token });
    expect(await audienceOf(action, input)).toBe('ran');
    expect(changes().map(({ body }) => body.visibility)).toEqual([visibility]);
  });

  it.each([
    ['default', 'private'],
    ['private', undefined],
    ['confidential', undefined],
  ])('leaves a visibility that hides the event: %s', async (visibility, sent) => {
    scene.api.on(EVENT, { body: { id: 'e1', organizer: { self: true }, visibility } });
    await callAction(scene.steward, 'a.list', {}, { token: me.token });
    expect(await audienceOf('patch', { id: 'e1' })).toBe('ran');
    expect(changes().map(({ body }) => body.visibility)).toEqual([sent]);
  });

  it('sends what was declared if nothing of others was read', async () => {
    expect(await audienceOf('patch', { id: 'e1' })).toBe('ran');
    expect(changes().map(({ body }) => body)).toEqual([{ summary: 'x' }]);
  });

  it.each([
    ['hidden', {}, { visibility: 'default' }, []],
    ['shown', {}, {}, [UNKNOWN]],
    ['patch', { id: 'e1' }, { visibility: 'public' }, [UNKNOWN]],
    ['patch', { id: 'e1' }, { attendees: [{ email: 'ana@example.org' }] }, [ANA, UNKNOWN]],
  ])('counts one that others chose to show as seen by strangers: %s of %j', async (action, input, event, audience) => {
    scene.api.on(EVENT, { body: { id: 'e1', organizer: { self: true }, ...event } });
    await callAction(scene.steward, 'a.list', {}, { token: me.token });
    expect(await audienceOf(action, input)).toEqual(audience);
  });

  it('tells strangers, if it declines invitations with a message', async () => {
    expect(await audienceOf('away', { text: 'x' })).toEqual([UNKNOWN]);
  });

  it.each(['create', 'copy'])('makes no file visible to a whole domain: %s', async (action) => {
    expect(await audienceOf(action, {})).toBe('ran');
    expect(changes().map(({ query }) => query.get('ignoreDefaultVisibility'))).toEqual(['true']);
  });

  it('names whom it invites', async () => {
    expect(await audienceOf('invite', { guests: [{ email: 'Ana@example.org' }] })).toEqual([ANA]);
  });

  it.each([
    ['mention', 'Look, +Ana@example.org.', [ANA]],
    ['mention', '(@ana@example.org): read this', [ANA]],
    ['mention', 'ana@example.org', [ANA]],
    ['mention', 'Ask Ana, at noon', []],
    ['mention', '+ana@example.org<b>', [UNKNOWN]],
    ['mention', '@Ana Partner', [UNKNOWN]],
    ['reply', 'And +ben@example.org, +ana@example.org?', [{ kind: 'person', address: 'ben@example.org' }, ANA]],
    ['reply', 'Yes.', []],
  ])('counts those whom a comment mentions: %s of “%s”', async (action, text, expected) => {
    expect(await audienceOf(action, { text })).toEqual(expected);
  });

  it.each([
    ['rename', {}, PLAN, { name: 'Salaries' }],
    ['copy', {}, PLAN, { modifiedTime: '2027-05-03T09:00:00Z' }],
    ['batch', { requests: [INSERT] }, PLAN, { modifiedTime: '2027-05-03T09:00:00Z' }],
    ['comment', {}, PLAN, { name: 'Salaries' }],
    ['into', { id: 'd1' }, FOLDER, { name: 'Public' }],
    ['add', { id: 'd1' }, FOLDER, { name: 'Public' }],
    ['patch', { id: 'e1' }, EVENT, { summary: 'Dinner', description: 'IBAN' }],
  ])('isn’t run if what it is about has changed since the question: %s', async (action, input, path, change) => {
    holding([{ email: 'ana@example.org' }], true);
    const asked = (await callAction(scene.steward, `a.${action}`, input, { token: me.token }).catch(
      (error: AppError) => error,
    )) as AppError;
    const own = { type: 'user', role: 'owner', emailAddress: me.email };
    const ana = { type: 'user', role: 'reader', emailAddress: 'ana@example.org' };
    const sharing = { shared: true, ownedByMe: true, owners: [{ me: true }], permissions: [own, ana] };
    const seen =
      path === EVENT
        ? { id: 'e1', organizer: { self: true }, attendees: [{ email: 'ana@example.org' }] }
        : { id: path.slice(-2), ...sharing };
    scene.api.on(path, { body: { ...seen, ...change } });
    const { executor } = scene.steward.context;
    const { signal } = new AbortController();
    const decision = { user: me, surface: 'socket', approvalId: String(asked.details?.approvalId), approved: true, signal };
    await expect(executor.approve(decision)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/changed since it was shown/),
    });
    expect(changes()).toEqual([]);
  });
});
