import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHANNELS, NotificationsScene } from '../../support/scenes/notifications-scene.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const DAY_MS = 24 * 3_600_000;

let scene: NotificationsScene;
let user: { token: string; userId: string; name: string };

beforeAll(async () => {
  scene = await NotificationsScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  user = await scene.user();
});

const browserOf = ({ token }: { token: string }) => sessionOf(scene.steward, token);
/** Adds an address. @returns the path of the link that was sent to it */
async function link(address = `${user.name}@example.com`): Promise<string> {
  const { body } = await scene.add(user.token, { type: 'mail', address });
  expect(body).toMatchObject({ type: 'mail', label: address, confirmed: false, error: null });
  const [mail] = scene.mailbox.mails.slice(-1);
  expect(mail?.to).toEqual([address]);
  return /\/notifications\/confirm\/[\w-]{43}/.exec(mail?.text ?? '')?.[0] ?? '';
}
const confirmed = async () => (await scene.channels(user.token)).map((channel) => channel.confirmed);

describe('the link to a mail address', () => {
  it('confirms it by the form of its page, once', async () => {
    const path = await link();
    const browser = await browserOf(user);
    const page = await browser.visit(path);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining(`${user.name}@example.com`) });
    expect(await confirmed()).toEqual([false]);
    const done = await browser.submit(page, path, () => {}, { 'sec-fetch-site': 'same-origin' });
    expect(done).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Address confirmed</h1>') });
    expect(await confirmed()).toEqual([true]);
    const again = await browser.submit(page, path, () => {}, { 'sec-fetch-site': 'same-origin' });
    expect(again).toMatchObject({ status: 404, text: expect.stringContaining('used already') });
  });

  it('decides nothing when programs open it, with or without the session', async () => {
    const path = await link();
    const browser = await browserOf(user);
    for (const options of [{ method: 'HEAD' }, { headers: { 'sec-purpose': 'prefetch' } }, { headers: { accept: '*/*' } }, {}]) {
      await browser.visit(path, options);
      await scene.steward.call(path, options);
    }
    expect((await scene.steward.call(path, { method: 'POST', form: {} })).status).toBe(401);
    expect(await confirmed()).toEqual([false]);
    expect((await browser.visit(path)).status).toBe(200);
  });

  it('leads who is signed out to the sign-in, and back', async () => {
    const path = await link();
    const response = await scene.steward.call(path, { headers: { accept: 'text/html' } });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(`/sign-in?return_to=${encodeURIComponent(path)}`);
  });

  it('is of no use to another user, to whom it was forwarded', async () => {
    const path = await link();
    const other = await browserOf(await scene.user());
    const page = await other.visit(path);
    expect(page).toMatchObject({ status: 404, text: expect.stringContaining('for another user') });
    expect(page.text).not.toContain(user.name);
    const own = await (await browserOf(user)).visit(path);
    const csrf = /name="csrf" value="([^"]*)"/.exec((await other.visit('/approvals')).text)?.[1] ?? '';
    const forged = await other.submit(own, path, (fields) => fields.set('csrf', csrf), { 'sec-fetch-site': 'same-origin' });
    expect(forged.status).toBe(404);
    expect(await confirmed()).toEqual([false]);
  });

  it('needs the form of the same session', async () => {
    const path = await link();
    const browser = await browserOf(user);
    const page = await browser.visit(path);
    const bare = await browser.submit(page, path, (fields) => fields.delete('csrf'), { 'sec-fetch-site': 'same-origin' });
    expect(bare.status).toBe(403);
    const elsewhere = await browser.submit(page, path, () => {}, { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' });
    expect(elsewhere.status).toBe(403);
    expectError(await scene.post(user.token, path), 'forbidden');
    expect(await confirmed()).toEqual([false]);
  });

  it('is the only mail to it until then, names nobody, and is not in the logs', async () => {
    const path = await link();
    await scene.tell(user.userId);
    expect(scene.mailbox.mails).toHaveLength(1);
    const [{ text, headers } = expect.unreachable()] = scene.mailbox.mails;
    expect(text + headers.subject).not.toContain(user.name);
    await (await browserOf(user)).visit(path);
    expect(scene.steward.logs.join('')).not.toContain(path.split('/').at(-1));
  });

  it('is replaced by a newer one', async () => {
    const first = await link();
    const [{ id } = {}] = await scene.channels(user.token);
    expect((await scene.post(user.token, `${CHANNELS}/${id}/test`)).body).toMatchObject({ confirmed: false, error: null });
    expect(scene.mailbox.mails).toHaveLength(2);
    expect((await (await browserOf(user)).visit(first)).status).toBe(404);
  });

  it('is sent to an address three times a day at most, whoever asks', async () => {
    const address = `bombed-${user.name}@example.com`;
    for (let index = 0; index < 3; index += 1) {
      await scene.add(user.token, { type: 'mail', address });
      user = await scene.user();
    }
    expectError(
      await scene.add(user.token, { type: 'mail', address: address.toUpperCase().replace('EXAMPLE', 'example') }),
      'rate_limited',
    );
    expect(scene.mailbox.mails).toHaveLength(3);
    expect(await scene.channels(user.token)).toEqual([]);
  });

  it('expires after 24 hours', async () => {
    const path = await link();
    await scene.steward.sql(
      "update notification_channels set confirmation_until = confirmation_until - interval '24 hours' where user_id = $1",
      [user.userId],
    );
    expect((await (await browserOf(user)).visit(path)).status).toBe(404);
    expect(await confirmed()).toEqual([false]);
    const [row] = await scene.steward.sql<{ until: Date }>(
      'select confirmation_until as until from notification_channels where user_id = $1',
      [user.userId],
    );
    expect(scene.steward.clock.now() - Number(row?.until)).toBeLessThan(DAY_MS);
  });
});
