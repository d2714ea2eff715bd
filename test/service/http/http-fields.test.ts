import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveSchema } from '../../support/openapi/openapi-schema.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';

let steward: TestSteward;
let token: string;

beforeAll(async () => {
  steward = await startSteward();
  token = await steward.signIn();
});

afterAll(() => steward.stop());

const EMAIL = 'demo@example.com';

describe('a field that an endpoint doesn’t know', () => {
  it.each<[string, Record<string, string>, string]>([
    [
      '/workspace_access_request',
      { email: EMAIL, redirect_url: 'https://app.example.com/' },
      'redirect_url: is unknown (did you mean redirect_uri?)',
    ],
    ['/workspace_access_request', { emial: EMAIL }, 'emial: is unknown (did you mean email?)'],
    ['/auth/bank/create_link_token', { acount_id: 'x' }, 'acount_id: is unknown (did you mean account_id?)'],
    ['/auth/bank/set_access_token', { public_token: 'x', publictoken: 'x' }, 'publictoken: is unknown'],
    ['/waitlist', { email: EMAIL, colour: 'red' }, 'colour: is unknown'],
    ['/email', { mail: EMAIL }, 'mail: is unknown (did you mean email?)'],
  ])('%s %j is rejected by name, as a form and as JSON', async (path, fields, message) => {
    const json = { body: JSON.stringify(fields), headers: { 'content-type': 'application/json' } };
    for (const response of [
      await request(steward.url).post(path).set('Authorization', token).type('form').send(fields),
      await steward.call(path, { token, ...json }),
    ]) {
      expectError(response, 'invalid_request');
      expect(response.body.message).toBe(message);
    }
  });

  it.each([
    ['/auth/workspace/login?token=x&redirect_url=https://app.example.com/', 'redirect_url: is unknown (did you mean redirect_uri?)'],
    ['/user/audit?limt=5', 'limt: is unknown (did you mean limit?)'],
  ])('%s is rejected by name', async (path, message) => {
    const response = await request(steward.url).get(path).set('Authorization', token);
    expectError(response, 'invalid_request');
    expect(response.body.message).toBe(message);
  });

  it('is accepted in the provider’s callback', async () => {
    const response = await request(steward.url).get(
      '/auth/workspace/callback?state=unknown&code=x&scope=a&authuser=0&prompt=consent&hd=example.com',
    );
    expect(response.body?.message ?? '').not.toContain('is unknown');
  });

  it('is excluded in the OpenAPI document', async () => {
    const { body: document } = await request(steward.url).get('/openapi.json');
    const { content } = document.paths['/workspace_access_request'].post.requestBody;
    for (const { schema } of Object.values<any>(content)) expect(resolveSchema(document, schema).additionalProperties).toBe(false);
  });
});
