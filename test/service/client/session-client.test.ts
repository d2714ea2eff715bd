import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import * as module from '../../../client/steward-client.js';
import { newName } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { SessionPage } from '../../support/users/session-page.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

// Its types are those of a browser.
const { StewardClient } = module as any;

type Why = 'connect' | 'renew' | 'refused';

let steward: TestSteward;
let name: string;
let page: SessionPage;
const clients: { close(): void }[] = [];

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(async () => {
  for (const client of clients) client.close();
  await steward.stop();
});
afterEach(() => {
  vi.unstubAllGlobals();
});
beforeEach(async () => {
  // As a browser's: it adds the page's origin, and the cookie that the page itself never sees.
  vi.stubGlobal(
    'WebSocket',
    class extends WebSocket {
      constructor(url: URL) {
        super(url, { origin: steward.url, headers: { cookie: page.cookie } });
      }
    },
  );
  name = newName();
  page = await SessionPage.open(steward, await steward.signIn(name));
});

/** A client of the page. @param session by default, the page's CSRF token whenever it is asked for */
function open(session: (why: Why) => string | undefined | Promise<string | undefined> = () => page.csrf) {
  const asked: Why[] = [];
  const client = new StewardClient({
    url: steward.url,
    clock: steward.clock,
    session: (why: Why) => {
      asked.push(why);
      return session(why);
    },
  });
  clients.push(client);
  const reasons: (string | undefined)[] = [];
  client.addEventListener('state', ({ detail }: { detail: { reason?: { code: string } } }) => reasons.push(detail.reason?.code));
  return { client, asked, reasons };
}

const newSession = async () => SessionPage.open(steward, await steward.signIn(name), await sessionOf(steward, await steward.signIn(name)));

describe('StewardClient with a session', () => {
  it('is that of the page’s user, and hears of what the page does', async () => {
    const { client, asked } = open();
    const heard: string[] = [];
    client.addEventListener('event', ({ detail }: { detail: { event: string } }) => heard.push(detail.event));
    expect((await client.list()).agents.length).toBeGreaterThan(0);
    expect(await client.approvals()).toEqual([]);
    expect((await page.json('/tokens', { name: 'Digest', actions: ['mail.*'], access: 'read' })).status).toBe(200);
    await eventually(() => heard.length > 0);
    expect(asked).toEqual(['connect']);
  });

  it('needs either a session or a token', () => {
    const url = steward.url;
    const one = () => 'x';
    expect(() => new StewardClient({ url })).toThrow('Either token or session is required.');
    expect(() => new StewardClient({ url, token: one, session: one })).toThrow('Either token or session is required.');
  });

  it('stops without one, before it connects', async () => {
    const { client, asked } = open(() => undefined);
    await expect(client.list()).rejects.toMatchObject({ code: 'signed_out' });
    expect([client.state, asked]).toEqual(['closed', ['connect']]);
  });

  it.each(['x'.repeat(43), 'x'])('asks again where the CSRF token is none of the session: %j', async (wrong) => {
    const { client, asked } = open((why) => (why === 'connect' ? wrong : page.csrf));
    expect(await client.approvals()).toEqual([]);
    expect(asked).toEqual(['connect', 'refused']);
  });

  it('asks again when its session has ended, and goes on with the next one of the browser', async () => {
    const { client, asked, reasons } = open();
    await client.connect();
    const ended = page;
    page = await newSession();
    expect((await ended.call('/auth/session', { method: 'DELETE' })).status).toBe(200);
    await eventually(() => asked.length === 2);
    expect(await client.approvals()).toEqual([]);
    expect([asked, reasons.at(-1)]).toEqual([['connect', 'refused'], undefined]);
  });

  it('stops when the user has signed out, or was deleted', async () => {
    const signedOut = open((why) => (why === 'refused' ? undefined : page.csrf));
    await signedOut.client.connect();
    expect((await page.call('/auth/session', { method: 'DELETE' })).status).toBe(200);
    await eventually(() => signedOut.client.state === 'closed');
    expect([signedOut.asked, signedOut.reasons.at(-1)]).toEqual([['connect', 'refused'], 'signed_out']);
    page = await newSession();
    const deleted = open();
    await deleted.client.connect();
    expect((await page.call('/user', { method: 'DELETE' })).status).toBe(200);
    await eventually(() => deleted.client.state === 'closed');
    expect(deleted.reasons.at(-1)).toBe('signed_out');
  });

  it('stops where the browser’s next session is another user’s, whose data it never receives', async () => {
    const { client, asked, reasons } = open();
    await client.connect();
    const [former, csrf] = [page, page.csrf];
    page = await SessionPage.open(steward, await steward.signIn(newName()));
    const stays = page.csrf;
    // The page still has the first user's token.
    page.csrf = csrf;
    expect((await former.call('/auth/session', { method: 'DELETE', headers: { 'x-csrf-token': csrf } })).status).toBe(200);
    await eventually(() => client.state === 'closed');
    expect([asked, reasons.at(-1)]).toEqual([['connect', 'refused'], 'signed_out']);
    expect(stays).not.toBe(csrf);
  });

  it('is renewed a minute before its session ends, by the session of then', async () => {
    await steward.sql(`update web_sessions set expires_at = now() + interval '2 minutes'`);
    const { client, asked } = open();
    await client.connect();
    page = await newSession();
    await steward.clock.advance(60_000);
    await eventually(() => asked.length === 2);
    // It is answered once the renewal has been.
    await client.approvals();
    await steward.clock.advance(61_000);
    expect(await client.approvals()).toEqual([]);
    expect([asked, client.state]).toEqual([['connect', 'renew'], 'open']);
    await steward.clock.advance(-121_000);
  });
});
