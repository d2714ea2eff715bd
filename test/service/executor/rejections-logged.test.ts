import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({ ALLOWED_ORIGINS: 'https://app.example.com' });
});

afterAll(() => steward.stop());

/** The lines since then with a variable's name. */
async function told(variable: string, act: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  // Each line is logged once a minute.
  await steward.clock.advance(61_000);
  const before = steward.logs.length;
  await act();
  return steward.logs
    .slice(before)
    .filter((line) => line.includes(variable))
    .map((line) => JSON.parse(line));
}

describe('rejections by the configuration are logged', () => {
  it('for a page’s origin, of requests and sockets, once a minute, with the variable', async () => {
    const call = (origin: string) => steward.call('/integrations', { headers: { origin } });
    const lines = await told('ALLOWED_ORIGINS', async () => {
      await call('https://other.example:8443');
      await call('https://third.example');
      await call('https://app.example.com');
    });
    expect(lines).toMatchObject([{ level: 30, origin: 'https://other.example:8443' }]);
    const [line] = await told('ALLOWED_ORIGINS', () => new SocketClient(steward.url, { origin: 'https://socket.example' }).ended);
    expect(line).toMatchObject({ level: 30, origin: 'https://socket.example' });
    expect(await told('ALLOWED_ORIGINS', () => call('https://app.example.com'))).toEqual([]);
  });

  it.each([
    ['https://user:secret@other.example/path?query-canary#x', 'https://other.example/path'],
    ['null', 'no address'],
    [`https://${'a'.repeat(60)}.example/${'long/'.repeat(500)}`, expect.stringMatching(/^https:\/\/a{60}\.example\/.{1,150}$/)],
    ['javascript:alert(1)', 'javascript:'],
    ['level":60,"x', 'no address'],
  ])('for an origin of any form in one line without secrets: %s', async (origin, shown) => {
    const lines = await told('ALLOWED_ORIGINS', () => steward.call('/integrations', { headers: { origin } }));
    expect(lines).toMatchObject([{ level: 30, origin: shown }]);
    expect(JSON.stringify(lines)).not.toMatch(/secret|canary/);
  });

  it('for a redirect_uri, without its query and possible tokens', async () => {
    const token = await steward.signIn();
    const ask = (redirect: string) =>
      steward.call('/workspace_access_request', { token, form: { email: 'demo@example.com', redirect_uri: redirect } });
    const lines = await told('ALLOWED_REDIRECT_URIS', async () => {
      expect((await ask('https://other.example/back/eyJhbGciOiJub25lIn0?token=query-canary')).status).toBe(400);
      expect((await ask('https://third.example/')).status).toBe(400);
    });
    expect(lines).toMatchObject([{ level: 30, redirect_uri: 'https://other.example/back/…' }]);
    expect(JSON.stringify(lines)).not.toMatch(/eyJ|canary/);
  });
});
