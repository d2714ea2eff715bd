import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiScene, startApiScene } from '../../support/scenes/api-scene.ts';
import { type ClientCall, codeOf, financialAndOther } from '../../support/scenes/labelled-clients.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const STRANGER = 'ana@partner.example';
const SECRET = 'Balance 1,234.00';

let scene: ApiScene;
let me: ConnectedGrant;
let financial: ClientCall;
let other: ClientCall;

beforeAll(async () => {
  scene = await startApiScene({});
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.api.reset();
  me = await scene.connect();
  ({ financial, other } = await financialAndOther(scene.steward, me));
});

const ownFile = (id: string, mimeType: string) => ({
  ...{ id, name: SECRET, mimeType, parents: ['root'] },
  ...{ shared: false, ownedByMe: true, owners: [{ me: true }] },
});

describe('what a client wrote after it had read a bank’s data, though it never learnt the outcome', () => {
  it('is known as a file when another client finds or shares it', async () => {
    for (const path of ['/drive/v3/files', '/upload/drive/v3/files']) scene.api.on(path, { body: '<p>Maintenance</p>' });
    expect(await codeOf(financial('drive.create', { name: SECRET, content: SECRET }))).toBe('outcome_unknown');
    scene.api.on('/drive/v3/files', { body: { files: [ownFile('f9', 'text/plain')] } });
    scene.api.on('/drive/v3/files/f9', { body: ownFile('f9', 'text/plain') });
    expect(await codeOf(other('drive.share', { id: 'f9', email: STRANGER }))).toBe('forbidden');
    expect((await other('drive.search', {})).meta.labels.confidentiality).toBe('financial');
    expect(await codeOf(other('mail.send', { to: [STRANGER], subject: 'x', body: 'x' }))).toBe('forbidden');
  });

  it('is known as a draft when another client sends it', async () => {
    scene.api.on('/gmail/v1/users/me/drafts', (response) => response.destroy());
    expect(await codeOf(financial('mail.draft', { to: [STRANGER], subject: 'x', body: SECRET }))).toBe('outcome_unknown');
    const data = Buffer.from(SECRET).toString('base64url');
    const payload = { mimeType: 'text/plain', headers: [{ name: 'To', value: STRANGER }], body: { size: data.length, data } };
    const message = { id: 'm9', threadId: 'm9', internalDate: '1', payload };
    scene.api.on('/gmail/v1/users/me/drafts/d9', { body: { id: 'd9', message } });
    expect(await codeOf(other('mail.draft_send', { id: 'd9' }))).toBe('forbidden');
  });

  it('is known as a document whose text took too long', async () => {
    scene.api.on('/v1/documents', { body: { documentId: 'doc9' } });
    const filling = Promise.withResolvers<void>();
    scene.api.on('/v1/documents/doc9', () => filling.resolve());
    const creating = codeOf(financial('documents.create', { title: SECRET, text: SECRET }));
    await filling.promise;
    await scene.steward.clock.advance(31_000);
    expect(await creating).toBe('outcome_unknown');
    scene.api.on('/drive/v3/files/doc9', { body: ownFile('doc9', 'application/vnd.google-apps.document') });
    expect(await codeOf(other('drive.share', { id: 'doc9', email: STRANGER }))).toBe('forbidden');
  });

  it('labels nothing if it wasn’t sent', async () => {
    expect(await codeOf(financial('drive.create', { name: SECRET, content: SECRET, folder: 'gone' }))).toBe('not_found');
    scene.api.on('/drive/v3/files/f9', { body: ownFile('f9', 'text/plain') });
    expect(await codeOf(other('drive.share', { id: 'f9', email: STRANGER }))).toBe('approval_required');
  });
});
