import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { ASKERS, type Asker, approve } from '../../support/users/askers.ts';

const ANA = 'ana@partner.example';
const FILES = '/drive/v3/files';
const EVENTS = '/calendar/v3/calendars/primary/events';
const FOLDER = 'application/vnd.google-apps.folder';
const DOCUMENT = 'application/vnd.google-apps.document';
const MANY_LEVELS = 11;
const INTEGRATIONS = `version: 1
defaults:
  policy: { rate: 1000/min }
agents:
  drive: { provider: workspace, description: Files., scopes: [drive] }
  documents: { provider: workspace, description: Documents., scopes: [documents] }
  bank: { provider: bank, description: Bank., products: [transactions, auth] }
  declared:
    provider: workspace
    description: Declared.
    scopes: [drive, calendar.events.owned]
    actions:
      put: { call: drive.files.update, description: Move., effect: destructive, input: { type: object, required: [id, to], properties: { id: { type: string }, to: { type: string } } }, with: { fileId: $input.id, addParents: $input.to, removeParents: root } }
      title: { call: calendar.events.patch, description: Rename., effect: destructive, input: { type: object, required: [id], properties: { id: { type: string } } }, with: { calendarId: primary, eventId: $input.id, summary: Supper } }
`;

let steward: TestSteward;
let me: Person;
let client: Asker;

const newClient = () => (ASKERS.http as (typeof ASKERS)[string])(steward, me.token);

beforeAll(async () => {
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(INTEGRATIONS) });
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
  client = await newClient();
});

const create = async (mimeType: string, parent = 'root'): Promise<string> =>
  (await me.google('POST', FILES, { name: 'Plan', mimeType, parents: [parent] })).body.id;

/** Folders within each other, outermost first. */
async function folders(levels: number): Promise<{ top: string; deepest: string }> {
  const top = await create(FOLDER);
  let deepest = top;
  for (let level = 1; level < levels; level += 1) deepest = await create(FOLDER, deepest);
  return { top, deepest };
}

async function sharedFolder(): Promise<string> {
  const id = await create(FOLDER);
  await me.google('POST', `${FILES}/${id}/permissions`, { type: 'user', role: 'reader', emailAddress: ANA });
  return id;
}

describe('a folder that holds, far below, what was written after a bank’s data', () => {
  it.each([
    ['3 levels', 3],
    ['more levels than are read', MANY_LEVELS],
  ])('goes to nobody else for another client: %s', async (_what, levels) => {
    await linkBank(steward, me.token);
    const financial = await newClient();
    await financial.call('bank.balances', {});
    const { top, deepest } = await folders(levels);
    expect((await financial.call('drive.create', { name: 'x.txt', content: '1,234.00', folder: deepest })).outcome).toBe('done');
    const shared = await sharedFolder();
    expect((await client.call('drive.share', { id: top, email: ANA })).outcome).toBe('forbidden');
    expect((await client.call('drive.move', { id: top, folder: shared })).outcome).toBe('forbidden');
    expect((await client.call('declared.put', { id: top, to: shared })).outcome).toBe('forbidden');
    // What is in another folder is asked about as ever.
    expect((await client.call('declared.put', { id: (await folders(3)).top, to: shared })).outcome).toBe('approval_required');
  });
});

describe('while the user is asked about a declared call', () => {
  it('what is far below in the folder that it moves isn’t changed unasked', async () => {
    const { top, deepest } = await folders(3);
    const inside = await create(DOCUMENT, deepest);
    expect((await client.call('declared.put', { id: top, to: await sharedFolder() })).outcome).toBe('approval_required');
    expect((await client.call('documents.append', { id: inside, text: 'IBAN' })).outcome).toBe('approval_required');
    expect((await client.call('documents.append', { id: await create(DOCUMENT), text: 'Menu' })).outcome).toBe('done');
  });

  it.each([
    ['one event of the series is another', { description: 'IBAN DE02 1203 0000 0000 2020 51' }, 'instance'],
    ['it has another place', { location: 'Harbour' }, 'series'],
    ['its guests may invite others', { guestsCanInviteOthers: false }, 'series'],
  ] as const)('it ends if %s by then', async (_what, change, of) => {
    const at = (time: string) => ({ dateTime: `2027-03-21T${time}:00`, timeZone: 'Europe/Berlin' });
    const series = { summary: 'Lunch', start: at('12:00'), end: at('13:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
    const { id } = (await me.google('POST', EVENTS, { ...series, attendees: [{ email: ANA }] })).body;
    const instance = (await me.google('GET', `${EVENTS}/${id}/instances`)).body.items[1].id;
    const { outcome, approvalId } = await client.call('declared.title', { id });
    expect(outcome).toBe('approval_required');
    expect((await me.google('PATCH', `${EVENTS}/${of === 'series' ? id : instance}`, change)).status).toBe(200);
    expect(await approve(steward, me.token, approvalId)).toBe(409);
    const again = await client.call('declared.title', { id });
    expect(await approve(steward, me.token, again.approvalId)).toBe(200);
  });
});
