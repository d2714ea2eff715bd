import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'vitest';
import type { Notice } from '../../../src/notifications/notices/notice.ts';
import { type LoopbackServer, startLoopbackServer } from '../servers/loopback-server.ts';
import { type Mailbox, startMailbox } from '../servers/mailbox.ts';
import { startSteward, type TestOverrides, type TestSteward } from '../steward.ts';
import type { HttpResponse } from '../users/request.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const JSON_TYPE = { 'content-type': 'application/json' };
export const CHANNELS = '/notifications/channels';
export const ALL_KINDS = ['approval.waits', 'run.finished', 'needs.attention'];

/** A service with a mail server, and a host that plays receivers of webhooks and a push service. */
export class NotificationsScene {
  readonly steward: TestSteward;
  readonly mailbox: Mailbox;
  readonly host: LoopbackServer;
  readonly received: Received[] = [];
  /** How the host responds. */
  respond: (response: ServerResponse, request: IncomingMessage) => void = noContent;

  private constructor(steward: TestSteward, mailbox: Mailbox, host: LoopbackServer) {
    this.steward = steward;
    this.mailbox = mailbox;
    this.host = host;
  }

  static async start(env: Record<string, string> = {}, overrides: TestOverrides = {}): Promise<NotificationsScene> {
    const mailbox = await startMailbox();
    let scene: NotificationsScene | undefined;
    const host = await startLoopbackServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      scene?.received.push({ path: request.url ?? '', headers: request.headers, body });
      scene?.respond(response, request);
    });
    const steward = await startSteward({ ...mailbox.env, ...env }, overrides);
    scene = new NotificationsScene(steward, mailbox, host);
    return scene;
  }

  reset(): void {
    this.received.length = 0;
    this.mailbox.mails.length = 0;
    this.mailbox.refusal = undefined;
    this.respond = noContent;
  }

  /** A new user. */
  async user(): Promise<{ token: string; userId: string; name: string }> {
    const name = `u${randomUUID().slice(0, 8)}`;
    const token = await this.steward.signIn(name);
    expect((await this.steward.call('/user/preferences', { token })).status).toBe(200);
    const [user] = await this.steward.sql<{ id: string }>('select id from users order by created_at desc limit 1');
    return { token, userId: user?.id ?? '', name };
  }

  add(token: string, body: object): Promise<HttpResponse> {
    return this.post(token, CHANNELS, { kinds: ALL_KINDS, ...body });
  }

  post(token: string, path: string, body: object = {}): Promise<HttpResponse> {
    return this.steward.call(path, { token, headers: JSON_TYPE, body: JSON.stringify(body) });
  }

  patch(token: string, path: string, body: object): Promise<HttpResponse> {
    return this.steward.call(path, { method: 'PATCH', token, headers: JSON_TYPE, body: JSON.stringify(body) });
  }

  async channels(token: string): Promise<Record<string, any>[]> {
    return (await this.steward.call(CHANNELS, { token })).body.channels;
  }

  /** A webhook that this scene's host receives. @returns the response */
  async webhook(token: string, path = `/${randomUUID()}`, more: object = {}): Promise<Record<string, any>> {
    return (await this.add(token, { type: 'webhook', url: this.host.url + path, ...more })).body;
  }

  /** A mail address that is confirmed. @returns its channel */
  async mail(user: { token: string; userId: string }, address: string, more: object = {}): Promise<Record<string, any>> {
    const { body } = await this.add(user.token, { type: 'mail', address, ...more });
    await this.steward.sql(
      'update notification_channels set confirmed_at = now(), confirmation_hash = null where user_id = $1 and id = $2',
      [user.userId, body.id],
    );
    this.mailbox.mails.length = 0;
    return body;
  }

  /** What an ended run is told with. */
  finished(more: Partial<Notice> = {}): Notice {
    const run = randomUUID();
    const data = { automation: randomUUID(), run, thread: `auto-${run.replaceAll('-', '')}`, state: 'done' };
    return { kind: 'run.finished', type: 'run.finished', key: `run.finished ${run}`, path: '/#automations', data, ...more };
  }

  /** Has a user told something, and waits until what can be sent was sent. */
  async tell(userId: string, notice: Notice = this.finished()): Promise<void> {
    const { db, notices } = this.steward.context;
    await db.transaction((tx) => notices.notify(tx, userId, notice));
    await this.steward.tick();
  }

  /** Moves the clock, and sends what is due then. */
  async pass(milliseconds: number): Promise<void> {
    this.steward.clock.suspend(milliseconds);
    await this.steward.tick();
  }

  async stop(): Promise<void> {
    await this.steward.stop();
    await this.host.close();
    await this.mailbox.close();
  }
}

function noContent(response: ServerResponse): void {
  response.writeHead(204).end();
}
