import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newName } from '../../support/scenes/flows.ts';
import { Authorization, newClient, register } from '../../support/scenes/oauth-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const UNNAMED = 'An app without a name';

let steward: TestSteward;
let document: object;

beforeAll(async () => {
  steward = await startSteward({ LIMIT_OAUTH_DOCUMENTS_PER_MINUTE: '1000' }, { fetchDocument: async () => Response.json(document) });
});
afterAll(() => steward.stop());

/** The entry of an app that a user has let in, and its consent page. */
async function connected(client: { client_id: string }, redirect: string): Promise<any> {
  const token = await steward.signIn(newName());
  const browser = await sessionOf(steward, token);
  const authorization = new Authorization(client, browser, { redirect_uri: redirect });
  const consent = await authorization.begin();
  const { text } = await browser.visit(consent);
  await authorization.decide(consent);
  const { body } = await steward.call('/clients', { token });
  return { ...body.clients[0], consent: text };
}

describe('the name of an app', () => {
  it.each(['Steward', 'ꜱᴛᴇᴡᴀʀᴅ', 'ꓢꓔꓰꓪꓮꓣꓓ', 'ՏTEWARD', 'Stewarđ', 'draw\u202eets'])(
    'is not registered if it is, or may look like, the service’s: %j',
    async (name) => {
      const { status, body } = await register(steward, { client_name: name });
      expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
    },
  );

  it.each(['https://steward.approvals.example/callback', 'com.steward.security:/callback'])(
    'is not taken from an address that has the service’s in it: %s',
    async (redirect) => {
      const client = await newClient(steward, { client_name: undefined, redirect_uris: [redirect] });
      expect((await connected(client, redirect)).name).toBe(UNNAMED);
    },
  );

  it('is not taken from the host of a document that has the service’s in it', async () => {
    const id = 'https://steward-security.example/app.json';
    const redirect = 'https://app.example.com/callback';
    document = { client_id: id, redirect_uris: [redirect] };
    expect((await connected({ client_id: id }, redirect)).name).toBe('app.example.com');
  });
});

describe('the host of a published app', () => {
  it('has its port wherever its user reads it', async () => {
    const id = 'https://shared.example.com:8443/app.json';
    const redirect = 'https://shared.example.com:8443/callback';
    document = { client_id: id, client_name: 'Notes', redirect_uris: [redirect] };
    const { consent, host, about } = await connected({ client_id: id }, redirect);
    expect(consent).toContain('Published at <strong><bdi>shared.example.com:8443</bdi></strong>, which has been verified');
    expect({ host, about }).toEqual({ host: 'shared.example.com:8443', about: 'From shared.example.com:8443.' });
  });
});
