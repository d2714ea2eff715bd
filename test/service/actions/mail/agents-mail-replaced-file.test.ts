import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiScene, startApiScene } from '../../../support/scenes/api-scene.ts';
import { mailUser } from '../../../support/scenes/mail.ts';
import { respond } from '../../../support/servers/scripted-server.ts';

let scene: ApiScene;
beforeAll(async () => {
  scene = await startApiScene();
});
afterAll(() => scene.stop());

it('a file that someone replaces during its download is not sent', async () => {
  const { api } = scene;
  let revision = 'r1';
  let replacement = 'r2';
  api.on('/drive/v3/files/f1', (response, { query }) => {
    const file = { id: 'f1', name: 'a.txt', mimeType: 'text/plain', size: '5', md5Checksum: revision, headRevisionId: revision };
    const isDownload = query.get('alt') === 'media';
    if (isDownload) revision = replacement;
    respond(response, { body: isDownload ? 'Other' : file });
  });
  for (const root of ['', '/upload']) api.on(`${root}/gmail/v1/users/me/messages/send`, { body: { id: 'm1', threadId: 't1' } });
  const sent = () => api.calls.filter(({ path }) => path.endsWith('/send')).length;

  const { token, email } = await scene.connect();
  const user = mailUser(scene.steward, token, email);
  const mail = { to: ['ana@example.org'], subject: 's', body: 'b', files: ['f1'] };
  await expect(user.approved('mail.send', mail)).rejects.toThrow('conflict');
  expect(sent()).toBe(0);

  // Nobody replaces it this time.
  replacement = revision;
  expect(await user.approved('mail.send', mail)).toMatchObject({ id: 'm1' });
  expect(sent()).toBe(1);
});
