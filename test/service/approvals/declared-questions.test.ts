import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { rejectedWith } from '../../support/scenes/executor-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';

/** Named as the built-in action, of which the operator has an own version. */
const FILE = `version: 1
agents:
  drive:
    provider: workspace
    description: Files.
    scopes: [drive]
    actions:
      create: { use: drive.create }
      trash:
        call: drive.files.update
        description: Lock a file.
        effect: destructive
        input: { type: object, required: [id], properties: { id: { type: string } } }
        with: { fileId: $input.id, description: Locked. }
`;

let steward: TestSteward;
let me: Person;

beforeAll(async () => {
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(FILE) });
  me = await newPerson(steward);
});
afterAll(() => steward.stop());

it('a declared action with the name of a built-in one is not shown as that one', async () => {
  const { id } = await me.act('drive.create', { name: 'Budget.csv', content: 'a' });
  const { details } = await rejectedWith(callAction(steward, 'drive.trash', { id }, { token: me.token }), 'approval_required');
  const { display } = details as { display: { title: string; fields: unknown[] } };
  expect(display.title).toMatch(/^Lock a file/);
  expect(display.fields).toMatchObject([{ name: 'id', text: id }]);
});
