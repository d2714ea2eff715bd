import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPerson } from '../../support/emulators/workspace-content.ts';
import { codeOf, financialAndOther } from '../../support/scenes/labelled-clients.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

const STRANGER = 'ana@partner.example';
const SECRET = 'Balance 1,234.00';
const MAIL = { to: [STRANGER], subject: 'x', body: 'x' };

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());

it.each([
  ['drive.search', 'file', (shortcut: string) => ({ folder: shortcut })],
  ['drive.create', 'file', (shortcut: string) => ({ name: 'x', folder: shortcut })],
  ['drive.move', 'file', (shortcut: string, plain: string) => ({ id: plain, folder: shortcut })],
  ['drive.copy', 'folder', (shortcut: string) => ({ id: shortcut })],
  ['mail.send', 'folder', (shortcut: string) => ({ ...MAIL, files: [shortcut] })],
] as const)('an error of %s that names the %s behind a shortcut counts as having read the name', async (action, kind, inputOf) => {
  const me = await newPerson(steward);
  const { financial, other } = await financialAndOther(steward, me);
  const made = kind === 'folder' ? { name: 'T', type: 'folder' } : { name: 'T.txt', content: 'x' };
  const target = (await other('drive.create', made)).data;
  const plain = (await other('drive.create', { name: 'P.txt', content: 'x' })).data;
  const shortcut = { name: 'S', mimeType: 'application/vnd.google-apps.shortcut', shortcutDetails: { targetId: target.id } };
  const { id } = (await me.google('POST', '/drive/v3/files', shortcut)).body;
  await financial('drive.rename', { id: target.id, name: SECRET });
  const error = await other(action, inputOf(id, plain.id)).catch((thrown) => thrown);
  expect(error.message).toContain(SECRET);
  expect(await codeOf(other('mail.send', MAIL))).toBe('forbidden');
});
