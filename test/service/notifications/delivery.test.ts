import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';
import { NotificationsScene } from '../../support/scenes/notifications-scene.ts';
import { withDate } from '../../support/time/machine-date.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

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

/** Newest first. The clock is moved further than a token lasts. */
const states = () =>
  scene.steward.sql('select id, state, error, last_sent_at from notification_channels where user_id = $1 order by created_at desc', [
    user.userId,
  ]);
const bodies = () => scene.received.map(({ body }) => JSON.parse(body.toString()));

describe('webhooks', () => {
  it('are told ids and types, signed', async () => {
    const { secret } = await scene.webhook(user.token, '/hook');
    const notice = scene.finished();
    await scene.tell(user.userId, notice);
    const [{ body, headers } = expect.unreachable()] = scene.received;
    const now = scene.steward.clock.now() - systemClock.now();
    const verified = await withDate(now, async () => new Webhook(secret).verify(body.toString(), headers as Record<string, string>));
    const { automation, run, thread } = notice.data;
    expect(verified).toEqual({ type: 'run.finished', timestamp: expect.any(String), data: { automation, run, thread } });
    const forged = () => new Webhook(secret).verify(body.toString().replace('run', 'fun'), headers as Record<string, string>);
    await withDate(now, async () => expect(forged).toThrow('No matching signature'));
    expect(await states()).toMatchObject([{ error: null, last_sent_at: expect.any(Date) }]);
  });

  it('are told each thing once, in its order', async () => {
    await scene.webhook(user.token);
    const notices = [scene.finished(), scene.finished(), scene.finished()];
    for (const notice of [...notices, ...notices]) await scene.tell(user.userId, notice);
    await scene.pass(MINUTE);
    expect(bodies().map(({ data }) => data.run)).toEqual(notices.map(({ data }) => data.run));
  });

  it('come on connections of their own: one that the receiver has ended is not used again', async () => {
    await scene.webhook(user.token);
    const ports = new Set<number | undefined>();
    scene.respond = (response, { socket }) => {
      ports.add(socket.remotePort);
      response.writeHead(204).end();
    };
    await scene.tell(user.userId);
    await scene.tell(user.userId);
    expect(ports.size).toBe(2);
  });

  it('are for the kinds that were chosen', async () => {
    await scene.webhook(user.token, '/approvals', { kinds: ['approval.waits'] });
    await scene.tell(user.userId);
    expect(scene.received).toEqual([]);
  });

  it('that were down for six hours are told once, with the same id in each try; others are not delayed', async () => {
    await scene.webhook(user.token, '/down');
    await scene.webhook(user.token, '/up');
    let isDown = true;
    scene.respond = (response, { url }) => response.writeHead(isDown && url === '/down' ? 503 : 204).end();
    await scene.tell(user.userId);
    expect(scene.received.filter(({ path }) => path === '/up')).toHaveLength(1);
    for (let minutes = 0; minutes < 6 * 60; minutes += 15) await scene.pass(15 * MINUTE);
    isDown = false;
    for (let hours = 0; hours < 18; hours += 1) await scene.pass(HOUR);
    const tries = scene.received.filter(({ path }) => path === '/down').map(({ headers }) => headers['webhook-id']);
    expect(new Set(tries).size).toBe(1);
    expect(scene.received.filter(({ path }) => path === '/up')).toHaveLength(1);
    expect(await states()).toMatchObject([{ state: 'active' }, { state: 'active', error: null }]);
    const tried = tries.length;
    for (let hours = 0; hours < 24; hours += 1) await scene.pass(HOUR);
    expect(scene.received.filter(({ path }) => path === '/down')).toHaveLength(tried);
  });

  it('are off after eight tries within a day, which is told on the other channels', async () => {
    const { id } = await scene.webhook(user.token, '/down');
    await scene.webhook(user.token, '/up', { kinds: ['needs.attention'] });
    scene.respond = (response, { url }) => response.writeHead(url === '/down' ? 500 : 204).end();
    await scene.tell(user.userId);
    for (let hours = 0; hours < 24; hours += 1) await scene.pass(HOUR);
    await scene.pass(MINUTE);
    expect(scene.received.filter(({ path }) => path === '/down')).toHaveLength(8);
    expect(await states()).toMatchObject([{ state: 'active' }, { id, state: 'off', error: 'rejected' }]);
    const told = scene.received.filter(({ path }) => path === '/up').map(({ body }) => JSON.parse(body.toString()));
    expect(told).toMatchObject([{ type: 'channel.off', data: { channel: id } }]);
    await scene.tell(user.userId);
    expect(scene.received.filter(({ path }) => path === '/down')).toHaveLength(8);
  });

  it('follow no redirect', async () => {
    await scene.webhook(user.token, '/first');
    scene.respond = (response) => response.writeHead(307, { location: `${scene.host.url}/second` }).end();
    await scene.tell(user.userId);
    expect(scene.received.map(({ path }) => path)).toEqual(['/first']);
    expect(await states()).toMatchObject([{ error: 'unreachable' }]);
  });

  it('that are gone are off at once', async () => {
    await scene.webhook(user.token);
    scene.respond = (response) => response.writeHead(410).end();
    await scene.tell(user.userId);
    expect(await states()).toMatchObject([{ state: 'off', error: 'gone' }]);
  });
});

describe('mail', () => {
  it('is plain text that nothing replies to, with a link, and decides nothing', async () => {
    await scene.mail(user, `${user.name}@example.com`);
    await scene.tell(user.userId, scene.finished({ path: '/#automations/1' }));
    const [{ from, to, headers, text } = expect.unreachable()] = scene.mailbox.mails;
    expect({ from, to }).toEqual({ from: 'steward@example.com', to: [`${user.name}@example.com`] });
    expect(headers).toMatchObject({ 'auto-submitted': 'auto-generated', 'content-type': expect.stringMatching(/^text\/plain/) });
    expect(headers['message-id']).toMatch(/^<[0-9a-f-]{36}@/);
    expect(headers.subject).toBe('An automation has finished');
    expect(text).toContain(`${scene.steward.url}/#automations/1\n`);
  });

  it('comes at once, then as one digest each 15 minutes at most', async () => {
    await scene.mail(user, `${user.name}@example.com`);
    await scene.tell(user.userId);
    for (let index = 0; index < 3; index += 1) {
      await scene.pass(4 * MINUTE);
      await scene.tell(user.userId);
    }
    expect(scene.mailbox.mails).toHaveLength(1);
    await scene.pass(4 * MINUTE);
    expect(scene.mailbox.mails).toHaveLength(2);
    const [, digest] = scene.mailbox.mails;
    expect(digest?.headers.subject).toBe('An automation has finished, and 2 more');
    expect(digest?.text.match(/has finished\./g)).toHaveLength(3);
    await scene.pass(20 * MINUTE);
    expect(scene.mailbox.mails).toHaveLength(2);
    await scene.tell(user.userId);
    expect(scene.mailbox.mails).toHaveLength(3);
  });

  it('keeps its Message-ID when it is sent again', async () => {
    await scene.mail(user, `${user.name}@example.com`);
    scene.mailbox.refusal = 451;
    await scene.tell(user.userId);
    expect(await states()).toMatchObject([{ state: 'active', error: 'rejected' }]);
    const [row] = await scene.steward.sql<{ id: string }>('select message_id as id from notification_deliveries where user_id = $1', [
      user.userId,
    ]);
    scene.mailbox.refusal = undefined;
    await scene.pass(2 * MINUTE);
    expect(scene.mailbox.mails.map(({ headers }) => headers['message-id'])).toEqual([expect.stringContaining(`<${row?.id}@`)]);
  });

  it('ends where the address is rejected for good', async () => {
    await scene.mail(user, `${user.name}@example.com`);
    scene.mailbox.refusal = 550;
    await scene.tell(user.userId);
    expect(await states()).toMatchObject([{ state: 'off', error: 'rejected' }]);
  });
});

describe('quiet hours', () => {
  const quiet = (hours: object | null, zone = 'Europe/Berlin') =>
    scene.patch(user.token, '/user/preferences', { quiet_hours: hours, time_zone: zone });
  /** Times of day before and after now, in UTC. */
  const around = (before: number, after: number) => {
    const time = (offset: number) => new Date(scene.steward.clock.now() + offset).toISOString().slice(11, 16);
    return { from: time(-before), to: time(after) };
  };

  it('hold what can wait until they end', async () => {
    await scene.webhook(user.token);
    await quiet(around(HOUR, HOUR), 'UTC');
    await scene.tell(user.userId);
    await scene.pass(30 * MINUTE);
    expect(scene.received).toEqual([]);
    await scene.pass(31 * MINUTE);
    expect(scene.received).toHaveLength(1);
  });

  it('let a question pass that would expire before they end', async () => {
    await scene.webhook(user.token);
    await quiet(around(HOUR, 3 * HOUR), 'UTC');
    const until = new Date(scene.steward.clock.now() + HOUR);
    await scene.tell(user.userId, scene.finished());
    await scene.tell(user.userId, scene.finished({ until }));
    expect(scene.received).toHaveLength(1);
  });

  it('end with null', async () => {
    await scene.webhook(user.token);
    await quiet(around(HOUR, HOUR), 'UTC');
    await quiet(null);
    await scene.tell(user.userId);
    expect(scene.received).toHaveLength(1);
  });
});

describe('what is over', () => {
  it('is not told any more: its time has passed', async () => {
    await scene.webhook(user.token);
    scene.respond = (response) => response.writeHead(503).end();
    await scene.tell(user.userId, scene.finished({ until: new Date(scene.steward.clock.now() + 30_000) }));
    scene.respond = (response) => response.writeHead(204).end();
    await scene.pass(2 * MINUTE);
    expect(scene.received).toHaveLength(1);
    const rows = await scene.steward.sql('select outcome from notification_deliveries where user_id = $1', [user.userId]);
    expect(rows).toEqual([{ outcome: 'outdated' }]);
  });
});

describe('a service that stops', () => {
  it('begins no further message', async () => {
    const own = await NotificationsScene.start();
    try {
      const { token, userId } = await own.user();
      await own.webhook(token);
      const arrived = Promise.withResolvers<ServerResponse>();
      own.respond = (response) => arrived.resolve(response);
      const { db, notices, notifications } = own.steward.context;
      await db.transaction(async (tx) => {
        for (const notice of [own.finished(), own.finished()]) await notices.notify(tx, userId, notice);
      });
      const first = await arrived.promise;
      const stopped = notifications.sending.stop();
      own.respond = (response) => response.writeHead(204).end();
      first.writeHead(204).end();
      await stopped;
      expect(own.received).toHaveLength(1);
    } finally {
      await own.stop();
    }
  });
});
