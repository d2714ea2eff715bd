import { createTransport } from 'nodemailer';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import webPush from 'web-push';
import { systemClock } from '../../src/clock/clock.ts';
import { hostSandbox, type SandboxHost, temporaryDirectory } from '../support/emulators/sandbox-host.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let host: SandboxHost;

beforeEach(async () => {
  directory = temporaryDirectory();
  host = await hostSandbox(directory.path);
});
afterEach(async () => {
  await host.stop();
  directory.remove();
});

const sent = async (): Promise<any> => (await fetch(`${host.url}/sandbox/control/notifications`)).json();
const page = async () => (await fetch(`${host.url}/sandbox/notifications`)).text();

describe('the mail server', () => {
  const send = async (to = 'demo@example.com', text = `Open ${host.url}/approvals/1 or https://other.example/x <b>`) => {
    const { host: name, port, from } = await host.sandbox.smtp();
    const transport = createTransport({ host: name, port });
    return transport.sendMail({ from, to, subject: 'Größe', text }).finally(() => transport.close());
  };

  it('keeps mails for nobody but its page, which follows links to the service only', async () => {
    await send();
    expect((await sent()).mails).toMatchObject([{ from: 'steward@sandbox.example', to: ['demo@example.com'], subject: 'Größe' }]);
    const html = await page();
    expect(html).toContain('Größe');
    expect([...html.matchAll(/href="(http[^"]+)"/g)].map(([, to]) => to)).toEqual([`${host.url}/approvals/1`]);
    expect(html).toContain('&lt;b&gt;');
    await host.control('notifications/clear', {});
    expect((await sent()).mails).toEqual([]);
  });

  it('refuses for now or for good, as often as a control says', async () => {
    await host.control('faults', { part: 'smtp', kind: 'status', times: 1 });
    await expect(send()).rejects.toMatchObject({ responseCode: 451 });
    await host.control('faults', { part: 'smtp', kind: 'status', status: 550, times: 1 });
    await expect(send()).rejects.toMatchObject({ responseCode: 550 });
    await send();
    expect((await sent()).mails).toHaveLength(1);
  });
});

describe('the push service', () => {
  const keys = webPush.generateVAPIDKeys();
  const subscribe = async (fields: object = {}) => (await host.control('push-subscription', fields)) as any;
  const push = async (subscription: any, vapid = keys): Promise<number> => {
    const vapidDetails = { subject: 'mailto:steward@example.com', ...vapid };
    const payload = JSON.stringify({ title: 'An approval waits' });
    const { endpoint, headers, body } = webPush.generateRequestDetails(subscription, payload, { TTL: 60, topic: 'a', vapidDetails });
    const { 'Content-Length': _, ...others } = headers as Record<string, string>;
    return (await fetch(endpoint, { method: 'POST', headers: others, body: new Uint8Array(body ?? []) })).status;
  };

  it('decrypts what is sent to a browser, after a restart too', async () => {
    const subscription = await subscribe({ application_server_key: keys.publicKey });
    expect(await push(subscription)).toBe(201);
    expect((await sent()).pushes).toMatchObject([{ ttl: 60, topic: 'a', payload: { title: 'An approval waits' } }]);
    expect(await page()).toContain('An approval waits');
    await host.stop();
    host = await hostSandbox(directory.path);
    const { pathname } = new URL(subscription.endpoint);
    expect(await push({ ...subscription, endpoint: `${host.url}${pathname}` })).toBe(201);
  });

  it('refuses another key, a message for somebody else, an unknown sender, and what is not encrypted', async () => {
    const bound = await subscribe({ application_server_key: keys.publicKey });
    expect(await push(bound, webPush.generateVAPIDKeys())).toBe(403);
    const other = await subscribe();
    expect(await push({ ...other, keys: bound.keys })).toBe(400);
    const plain = (headers: Record<string, string>) => fetch(other.endpoint, { method: 'POST', headers, body: 'x' });
    expect((await plain({})).status).toBe(400);
    expect((await plain({ ttl: '1', 'content-encoding': 'aes128gcm' })).status).toBe(401);
    expect((await plain({ ttl: '1', 'content-encoding': 'aes128gcm', authorization: `vapid t=a.b.c, k=${keys.publicKey}` })).status).toBe(
      403,
    );
    expect((await sent()).pushes).toEqual([]);
  });

  it('is gone after the browser unsubscribed, and has faults', async () => {
    const subscription = await subscribe();
    await host.control('faults', { part: 'push', kind: 'status', status: 429, times: 1, retry_after: 7 });
    expect(await push(subscription)).toBe(429);
    await host.control('push-unsubscribe', { id: subscription.endpoint.split('/').at(-1) });
    expect(await push(subscription)).toBe(410);
  });
});

describe('the receivers of webhooks', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const post = async (name: string, signedBy: string, at = new Date(systemClock.now())) => {
    const body = '{"type":"run.finished"}';
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(signedBy).sign('msg_1', at, body),
    };
    return (await fetch(`${host.url}/sandbox/webhooks/${name}`, { method: 'POST', headers, body })).status;
  };

  it('keep requests, and verify those of a known secret', async () => {
    expect(await post('open', secret)).toBe(204);
    await host.control('webhook-secret', { name: 'closed', secret });
    expect(await post('closed', secret)).toBe(204);
    expect(await post('closed', `whsec_${Buffer.alloc(24, 8).toString('base64')}`)).toBe(401);
    expect(await post('closed', secret, new Date(0))).toBe(401);
    const { webhooks } = await sent();
    expect(webhooks.map(({ name, verified }: any) => [name, verified])).toEqual([
      ['open', null],
      ['closed', true],
      ['closed', false],
      ['closed', false],
    ]);
    expect(webhooks[0]).toMatchObject({ body: '{"type":"run.finished"}', headers: { 'webhook-id': 'msg_1' } });
    expect(await page()).toContain('signature wrong');
  });

  it('have faults', async () => {
    await host.control('faults', { part: 'webhooks', path: '/one', kind: 'status', status: 410 });
    expect([await post('one', secret), await post('two', secret)]).toEqual([410, 204]);
  });
});
