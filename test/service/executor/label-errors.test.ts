import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { type ApiScene, startApiScene } from '../../support/scenes/api-scene.ts';
import { codeOf, financialAndOther } from '../../support/scenes/labelled-clients.ts';

const SECRET = 'Balance 1,234.00';
const LABELS = '/gmail/v1/users/me/labels';
const FILE = `version: 1
defaults: { policy: { approval: destructive } }
agents:
  bank: { provider: bank, description: Bank., products: [transactions], actions: { balances: { use: bank.balances } } }
  mail:
    provider: workspace
    description: Mail.
    scopes: [mail.modify, mail.send]
    actions:
      send: { use: mail.send }
      label: { use: mail.label }
      name:
        call: gmail.users.labels.create
        description: Name a label.
        effect: write
        input: { type: object, required: [name], properties: { name: { type: string } } }
        with: { name: $input.name }
`;

let scene: ApiScene;

beforeAll(async () => {
  scene = await startApiScene({ INTEGRATIONS_FILE: ownIntegrations(FILE) });
});
afterAll(() => scene.stop());

it('an error that lists labels counts as having read their names', async () => {
  const { financial, other } = await financialAndOther(scene.steward, await scene.connect());
  const label = { id: 'Label_9', name: SECRET };
  scene.api.on(LABELS, { body: { ...label, labels: [{ ...label, type: 'user' }] } });
  expect(await codeOf(financial('mail.name', { name: SECRET }))).toBe('done');
  const error = await other('mail.label', { ids: ['m1'], add: ['nope'] }).catch((thrown) => thrown);
  expect(error.details.choices).toEqual([SECRET]);
  expect(await codeOf(other('mail.send', { to: ['ana@partner.example'], subject: 'x', body: 'x' }))).toBe('forbidden');
});
