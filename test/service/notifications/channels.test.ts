import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL_KINDS, CHANNELS, NotificationsScene } from '../../support/scenes/notifications-scene.ts';
import { expectError } from '../../support/users/expect-error.ts';

let scene: NotificationsScene;

beforeAll(async () => {
  scene = await NotificationsScene.start();
});
afterAll(() => scene.stop());
beforeEach(() => scene.reset());

/** The key of RFC 8291, 5. */
const SUBSCRIPTION = {
  endpoint: 'https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
};

describe('notification channels', () => {
  it('are made, listed and removed', async () => {
    const { token } = await scene.user();
    const hook = await scene.webhook(token, '/hook', { kinds: ['approval.waits'], summaries: true });
    expect(hook).toMatchObject({ type: 'webhook', label: new URL(scene.host.url).host, kinds: ['approval.waits'], summaries: true });
    expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    const push = await scene.add(token, {
      type: 'push',
      label: 'Firefox on Linux',
      subscription: { ...SUBSCRIPTION, expirationTime: null },
    });
    expect(push.body).toMatchObject({ type: 'push', label: 'Firefox on Linux', confirmed: true, summaries: false, state: 'active' });
    const { body } = await scene.steward.call(CHANNELS, { token });
    expect(body.types).toEqual(['mail', 'push', 'webhook']);
    expect(Buffer.from(body.push_key, 'base64url')).toHaveLength(65);
    expect(body.channels.map(({ id }: { id: string }) => id)).toEqual([push.body.id, hook.id]);
    // No credential is shown again.
    expect(JSON.stringify(body)).not.toMatch(/whsec_|BTBZMqHH6r4Tts7J|JzLQ3raZJf|\/hook/);
    expect((await scene.steward.call(`${CHANNELS}/${hook.id}`, { method: 'DELETE', token })).body).toEqual({ success: true });
    expectError(await scene.steward.call(`${CHANNELS}/${hook.id}`, { method: 'DELETE', token }), 'not_found');
    expect(await scene.channels(token)).toHaveLength(1);
  });

  it('have one key for push services, for all users and after a restart', async () => {
    const keys = [];
    for (let index = 0; index < 2; index += 1)
      keys.push((await scene.steward.call(CHANNELS, { token: (await scene.user()).token })).body.push_key);
    expect(new Set(keys).size).toBe(1);
    expect(await scene.steward.sql('select public_key from push_keys')).toEqual([{ public_key: keys[0] }]);
  });

  it('are for the user in person', async () => {
    const { token } = await scene.user();
    const made = await scene.post(token, '/tokens', { name: 'app', actions: ['*'], access: 'write' });
    expectError(await scene.steward.call(CHANNELS, { token: made.body.token }), 'forbidden');
    expectError(await scene.add(made.body.token, { type: 'webhook', url: scene.host.url }), 'forbidden');
    expectError(await scene.steward.call(CHANNELS), 'invalid_token');
  });

  it('are a user’s own', async () => {
    const [ana, bo] = [await scene.user(), await scene.user()];
    const { id } = await scene.webhook(ana.token);
    expect(await scene.channels(bo.token)).toEqual([]);
    expectError(await scene.post(bo.token, `${CHANNELS}/${id}/test`), 'not_found');
    expectError(await scene.steward.call(`${CHANNELS}/${id}`, { method: 'DELETE', token: bo.token }), 'not_found');
    await scene.tell(bo.userId);
    expect(scene.received).toEqual([]);
    expect((await scene.steward.call('/user', { method: 'DELETE', token: ana.token })).status).toBe(200);
    await scene.steward.tick();
    expect(await scene.steward.sql('select 1 from notification_channels where id = $1', [id])).toEqual([]);
  });

  it('are at most ten, each once', async () => {
    const { token } = await scene.user();
    const made = await Promise.all(
      Array.from({ length: 12 }, () => scene.add(token, { type: 'webhook', url: `${scene.host.url}/${randomUUID()}` })),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 409, 409]);
    const [{ id } = {}] = await scene.channels(token);
    await scene.steward.call(`${CHANNELS}/${id}`, { method: 'DELETE', token });
    await scene.webhook(token, '/twice');
    await scene.steward.call(`${CHANNELS}/${(await scene.channels(token))[1]?.id}`, { method: 'DELETE', token });
    expectError(await scene.add(token, { type: 'webhook', url: `${scene.host.url}/twice` }), 'conflict');
  });

  it.each<[string, object, string]>([
    ['no address', { type: 'mail' }, 'address'],
    ['a line break in an address', { type: 'mail', address: 'ana@example.com\r\nBcc: eve@example.com' }, 'address'],
    ['two addresses', { type: 'mail', address: 'ana@example.com, eve@example.com' }, 'address'],
    ['an address with a name', { type: 'mail', address: 'Ana <ana@example.com>' }, 'address'],
    ['a webhook of mail', { type: 'mail', address: 'ana@example.com', url: 'https://example.com/' }, 'url'],
    ['a file', { type: 'webhook', url: 'file:///etc/passwd' }, 'url'],
    ['half an address', { type: 'webhook', url: 'https://' }, 'url'],
    ['a script', { type: 'webhook', url: 'javascript:alert(1)' }, 'url'],
    ['a secret of one’s own', { type: 'webhook', url: 'https://example.com/', secret: 'whsec_AAAA' }, 'secret'],
    ['no browser', { type: 'push', label: 'x' }, 'subscription'],
    ['a name with a hidden character', { type: 'push', label: 'a\u202eb', subscription: SUBSCRIPTION }, 'label'],
    ['a short key', { type: 'push', label: 'x', subscription: { ...SUBSCRIPTION, keys: { ...SUBSCRIPTION.keys, auth: 'AAAA' } } }, 'auth'],
    ['no kind', { type: 'webhook', url: 'https://example.com/', kinds: [] }, 'kinds'],
    ['an unknown kind', { type: 'webhook', url: 'https://example.com/', kinds: ['everything'] }, 'kinds'],
    ['another type', { type: 'sms' }, 'type'],
    ['a constructor', { type: 'webhook', url: 'https://example.com/', constructor: 1 }, 'constructor'],
  ])('rejects %s', async (_what, body, field) => {
    const { token } = await scene.user();
    const response = await scene.add(token, body);
    expectError(response, 'invalid_request');
    expect(response.body.message).toContain(field);
    expect(await scene.channels(token)).toEqual([]);
  });

  it.each([
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00:ec2::254]/',
    'http://example.com/',
    'https://user:password@example.com/',
  ])('rejects the address %s', async (url) => {
    const { token } = await scene.user();
    expectError(await scene.add(token, { type: 'webhook', url }), 'forbidden');
    expectError(await scene.add(token, { type: 'push', label: 'x', subscription: { ...SUBSCRIPTION, endpoint: url } }), 'forbidden');
    expect(await scene.channels(token)).toEqual([]);
  });

  it('are in the export, and their credentials are encrypted', async () => {
    const { token, userId } = await scene.user();
    const { secret } = await scene.webhook(token, '/a-secret-path');
    const { body } = await scene.steward.call('/user/export', { token });
    expect(body.notification_channels).toMatchObject([{ type: 'webhook', kinds: ALL_KINDS, destination: { secret } }]);
    const [row] = await scene.steward.sql<{ text: string }>(
      `select encode(destination, 'escape') || row_to_json(c) as text from notification_channels c where user_id = $1`,
      [userId],
    );
    expect(row?.text).not.toMatch(/whsec_|a-secret-path/);
    expect(scene.steward.logs.join('')).not.toMatch(/whsec_|a-secret-path/);
  });

  it('send a test at once, five in a minute', async () => {
    const { token } = await scene.user();
    const { id } = await scene.webhook(token, '/test');
    expect((await scene.post(token, `${CHANNELS}/${id}/test`)).body).toMatchObject({ id, error: null });
    expect(JSON.parse(String(scene.received[0]?.body))).toMatchObject({ type: 'channel.test', data: { channel: id } });
    scene.respond = (response) => response.writeHead(500).end();
    expect((await scene.post(token, `${CHANNELS}/${id}/test`)).body).toMatchObject({ error: 'rejected', state: 'active' });
    const more = [];
    for (let index = 0; index < 4; index += 1) more.push((await scene.post(token, `${CHANNELS}/${id}/test`)).status);
    expect(more).toEqual([200, 200, 200, 429]);
  });

  it('are told nothing in a transaction that rolls back', async () => {
    const { token, userId } = await scene.user();
    await scene.webhook(token);
    const { db, notices } = scene.steward.context;
    const failing = db.transaction(async (tx) => {
      await notices.notify(tx, userId, scene.finished());
      throw new Error('it did not happen');
    });
    await expect(failing).rejects.toThrow('it did not happen');
    await scene.steward.tick();
    expect(scene.received).toEqual([]);
  });
});
