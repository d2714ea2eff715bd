import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NotificationsScene } from '../../support/scenes/notifications-scene.ts';
import { PushReceiver } from '../../support/servers/push-receiver.ts';

let scene: NotificationsScene;

beforeAll(async () => {
  scene = await NotificationsScene.start();
});
afterAll(() => scene.stop());
beforeEach(() => scene.reset());

async function subscribed(path: string) {
  const [user, receiver] = [await scene.user(), new PushReceiver()];
  const subscription = { endpoint: scene.host.url + path, keys: receiver.keys };
  const { status } = await scene.add(user.token, { type: 'push', label: 'Firefox on Linux', subscription });
  expect(status).toBe(200);
  return { ...user, receiver };
}

describe('web push', () => {
  it('is decrypted with the vector of RFC 8291, 5', () => {
    const receiver = new PushReceiver({ privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', auth: 'BTBZMqHH6r4Tts7J_aSIgg' });
    const body =
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';
    expect(receiver.decrypt(Buffer.from(body, 'base64url'))).toBe('When I grow up, I want to be a watermelon');
  });

  it('is encrypted for the browser, and signed with the key of this service', async () => {
    const { userId, receiver } = await subscribed('/push/1');
    await scene.tell(userId, scene.finished({ path: '/#automations/1' }));
    const [{ headers, body } = expect.unreachable()] = scene.received;
    expect(JSON.parse(receiver.decrypt(body))).toEqual({
      id: expect.any(String),
      title: 'An automation has finished',
      body: 'An automation has finished.',
      path: '/#automations/1',
    });
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '259200', topic: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const [row] = await scene.steward.sql<{ key: string }>('select public_key as key from push_keys');
    expect(headers.authorization).toMatch(/^vapid t=/);
    expect(headers.authorization).toContain(`k=${row?.key}`);
  });

  it('is not added with a key that nothing can be encrypted for', async () => {
    const { token } = await scene.user();
    const keys = { ...new PushReceiver().keys, p256dh: Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]).toString('base64url') };
    const subscription = { endpoint: `${scene.host.url}/push/1`, keys };
    const { status, body } = await scene.add(token, { type: 'push', label: 'Firefox on Linux', subscription });
    expect([status, body.message]).toEqual([400, expect.stringContaining('p256dh')]);
  });

  it.each([404, 410])('is off when the push service answers %i', async (status) => {
    const { token, userId } = await subscribed(`/push/${status}`);
    scene.respond = (response) => response.writeHead(status).end();
    await scene.tell(userId);
    expect(await scene.channels(token)).toMatchObject([{ state: 'off', error: 'gone' }]);
  });
});
