import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/errors.ts';
import { newPerson } from '../../support/emulators/workspace-content.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { linkBank } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';

const invite = (name: string, allow: string) => `
      ${name}:
        call: calendar.events.insert
        description: Invite.
        effect: destructive
        policy: { allow: { ${allow} } }
        input: { type: object, required: [to, note], properties: { to: { type: string }, note: { type: string } } }
        with:
          calendarId: primary
          summary: $input.note
          visibility: private
          start: { dateTime: '2027-03-21T09:00:00Z' }
          end: { dateTime: '2027-03-21T10:00:00Z' }
          attendees: [{ email: $input.to }]`;
const FILE = `version: 1
agents:
  bank:
    provider: bank
    description: Bank.
    products: [transactions]
    actions:
      balances: { use: bank.balances }
  a:
    provider: workspace
    description: A.
    scopes: [calendar.events.owned]
    actions:${invite('guests', "to: ['*@partner.example']")}${invite('anyone', "to: ['*']")}${invite('notes', "note: ['*@*']")}
`;

let steward: TestSteward;
let token: string;

beforeAll(async () => {
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(FILE) });
  const me = await newPerson(steward);
  await linkBank(steward, me.token);
  const { userId } = await steward.context.sessions.authenticate(me.token);
  ({ token } = await steward.context.clientTokens.create(userId, { name: 'script', actions: ['*'], access: 'write', days: 1 }));
  await callAction(steward, 'bank.balances', {}, { token });
});
afterAll(() => steward.stop());

describe('an allow-list, after a bank’s data was read', () => {
  it.each([
    ['guests', { to: 'ana@partner.example', note: 'x' }, 'approval_required', 'of the people who see the call'],
    ['guests', { to: 'Ana@Partner.Example', note: 'x' }, 'approval_required', 'whatever the case'],
    ['anyone', { to: 'ana@partner.example', note: 'x' }, 'forbidden', 'that names nobody'],
    ['notes', { to: 'ana@partner.example', note: 'for ben@partner.example' }, 'forbidden', 'on another argument'],
  ])('%s of %j: %s, for one %s', async (action, input, code) => {
    const error = await callAction(steward, `a.${action}`, input, { token }).catch((thrown: AppError) => thrown);
    expect(error).toMatchObject({ code });
  });
});
