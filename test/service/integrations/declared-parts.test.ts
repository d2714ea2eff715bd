import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { codeOf, financialAndOther, newClientCall } from '../../support/scenes/labelled-clients.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

const STRANGER = 'ana@partner.example';
const SECRET = 'Balance 1,234.00';
const RAW = Buffer.from(`To: ${STRANGER}\r\nSubject: Okapi\r\n\r\n${SECRET}`).toString('base64url');
const AT = { start: '2027-03-21T09:00', end: '2027-03-21T10:00', zone: 'Europe/Berlin' };
const text = (name: string) => `{ type: object, required: [${name}], properties: { ${name}: { type: string } } }`;
const FILE = `version: 1
defaults: { policy: { approval: destructive, rate: 1000/min } }
agents:
  bank: { provider: bank, description: Bank., products: [transactions], actions: { balances: { use: bank.balances } } }
  a:
    provider: workspace
    description: All.
    scopes: [mail.modify, mail.send, drive, calendar.events.owned]
    actions:
      share: { use: drive.share }
      info: { use: drive.info }
      event: { use: calendar.create }
      search: { use: mail.search }
      draft_send: { use: mail.draft_send }
      nameless: { call: drive.files.create, description: Make., effect: write, input: ${text('name')}, with: { name: $input.name, mimeType: text/plain, fields: name } }
      of_people: { call: drive.files.create, description: Make., effect: write, input: ${text('name')}, with: { name: $input.name, mimeType: text/plain, fields: "name,permissions(id)" } }
      listed: { call: drive.files.list, description: List., effect: read, with: { fields: "files(name,owners(permissionId))" } }
      titles: { call: calendar.events.list, description: Titles., effect: read, with: { calendarId: primary, singleEvents: true, timeMin: "2027-03-21T00:00:00Z", timeMax: "2027-03-22T00:00:00Z", fields: "items(summary,recurringEventId)" } }
      of_draft: { call: gmail.users.drafts.create, description: Write., effect: write, input: ${text('raw')}, with: { message: { raw: $input.raw }, fields: id } }
      of_message: { call: gmail.users.drafts.create, description: Write., effect: write, input: ${text('raw')}, with: { message: { raw: $input.raw }, fields: message(id) } }
      name: { call: drive.files.get, description: Name., effect: read, input: ${text('id')}, with: { fileId: $input.id, fields: name } }
      own: { call: drive.files.create, description: Make., effect: write, input: ${text('name')}, with: { name: $input.name, mimeType: text/plain, fields: id } }
`;

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(FILE) });
});
afterAll(() => steward.stop());

async function clients() {
  const me = await newPerson(steward);
  return { me, ...(await financialAndOther(steward, me)) };
}

async function fileNamed({ google }: Person, name: string): Promise<string> {
  return (await google('GET', `/drive/v3/files?q=${encodeURIComponent(`name contains '${name}'`)}`)).body.files[0].id;
}

describe('a part of a response that leaves out what it is of', () => {
  it.each(['of_draft', 'of_message'])('of a draft that was written: its message and its sending stay labelled: %s', async (action) => {
    const { me, financial, other } = await clients();
    await financial(`a.${action}`, { raw: RAW });
    const [{ id }] = (await me.google('GET', '/gmail/v1/users/me/drafts?q=Okapi')).body.drafts;
    expect(await codeOf(other('a.draft_send', { id }))).toBe('forbidden');
    const found = await other('a.search', { query: 'in:drafts Okapi' });
    expect(JSON.stringify(found.data)).toContain(SECRET);
    expect(found.meta.labels.confidentiality).toBe('financial');
  });

  it('of a file that was created: it is shared with nobody', async () => {
    const { me, financial, other } = await clients();
    await financial('a.of_people', { name: SECRET });
    expect(await codeOf(other('a.share', { id: await fileNamed(me, 'Balance'), email: STRANGER }))).toBe('forbidden');
  });

  it.each([
    ['files by their owners', 'a.listed', 'a.of_people', { name: SECRET }],
    ['events by their series', 'a.titles', 'a.event', { ...AT, title: SECRET }],
  ])('of a list, counts as any: %s', async (_what, list, write, input) => {
    const { financial, other } = await clients();
    await other('a.event', { ...AT, title: 'Series', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    await financial(write, input);
    const read = await other(list, {});
    expect(JSON.stringify(read.data)).toContain(SECRET);
    expect(read.meta.labels.confidentiality).toBe('financial');
  });

  it('is enough if it names the item', async () => {
    const { financial, other } = await clients();
    await financial('a.own', { name: SECRET });
    const { data } = await other('a.own', { name: 'Plan' });
    expect(await codeOf(other('a.share', { id: data.id, email: STRANGER }))).toBe('approval_required');
  });

  it('is enough of an item that the call names', async () => {
    const { financial, other } = await clients();
    const { data } = await other('a.own', { name: 'Plan' });
    await financial('a.own', { name: SECRET });
    expect((await other('a.name', { id: data.id })).meta.labels.confidentiality).toBe('private');
    expect((await other('a.listed', {})).meta.labels.confidentiality).toBe('financial');
  });

  it('is others’ text in every result if it was written after that was read', async () => {
    const me = await newPerson(steward);
    const [tainted, other] = [await newClientCall(steward, me), await newClientCall(steward, me)];
    await tainted('a.search', {});
    await tainted('a.nameless', { name: 'Okapi.txt' });
    expect((await other('a.info', { id: await fileNamed(me, 'Okapi') })).meta.labels.integrity).toBe('others');
  });
});
