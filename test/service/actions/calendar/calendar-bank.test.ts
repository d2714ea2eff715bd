import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../../support/emulators/workspace-content.ts';
import { linkBank } from '../../../support/scenes/flows.ts';
import { newToken } from '../../../support/scenes/mcp-scene.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';

const EVENTS = '/calendar/v3/calendars/primary/events';
const JSON_TYPE = { 'content-type': 'application/json' };

let steward: TestSteward;
let me: Person;
let client: string;
let invitation: string;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
  await linkBank(steward, me.token);
  client = (await newToken(steward, me)).token;
  const { items } = await me.act('calendar.list', { query: 'Vertragsgespräch', from: '2020-01-01', to: '2030-01-01' });
  invitation = items[0].id;
});

const call = async (action: string, input: object, token = client) =>
  (await steward.call(`/agents/${action}`, { token, body: JSON.stringify(input), headers: JSON_TYPE })).body;
const ownAnswer = async () => {
  const { attendees } = (await me.google('GET', `${EVENTS}/${invitation}`)).body;
  return attendees.find(({ self }: any) => self).responseStatus;
};

describe('an answer to an invitation', () => {
  it('runs unasked, also after text of others was read', async () => {
    await call('calendar.get', { id: invitation });
    expect(await call('calendar.respond', { id: invitation, answer: 'accepted' })).toMatchObject({ data: { my_answer: 'accepted' } });
  });

  it.each(['accepted', 'declined', 'tentative', 'none'])(
    'carries nothing to its organizer after a bank’s data was read: %s',
    async (answer) => {
      const { meta } = await call('calendar.respond', { id: invitation, answer: 'accepted' });
      await call('bank.balances', {});
      expect(await call('calendar.respond', { id: invitation, answer })).toMatchObject({ code: 'forbidden' });
      expect(await call(meta.undo.action, meta.undo.input)).toMatchObject({ code: 'forbidden' });
      expect(await ownAnswer()).toBe('accepted');
    },
  );

  it('is asked about if the user in person gives it, and names who sees it', async () => {
    await call('bank.balances', {}, me.token);
    const asked = await call('calendar.respond', { id: invitation, answer: 'accepted' }, me.token);
    expect(asked).toMatchObject({ code: 'approval_required' });
    expect(asked.details.audience).toContainEqual(expect.objectContaining({ address: 'carla@partner.example' }));
    expect(await ownAnswer()).toBe('needsAction');
  });
});

describe('an event that is written after a bank’s data was read', () => {
  it('is private', async () => {
    await call('bank.balances', {});
    const made = await call('calendar.create', { title: 'Rent', start: '2027-03-21T09:00', end: '2027-03-21T10:00' });
    expect(made).toMatchObject({ data: { private: true } });
  });
});
