import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import * as module from '../../../client/steward-client.js';
import { connect } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';

// Its types are those of a browser.
const { StewardClient } = module as any;

/** The longest pause between two attempts to connect. */
const LONGEST_PAUSE_MS = 61_000;

let steward: TestSteward;
const clients: { close(): void }[] = [];

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(async () => {
  for (const client of clients) client.close();
  await steward.stop();
});

type Why = 'connect' | 'renew' | 'refused';

/** A client whose clock stands unless it is given another one. */
function open(token: (why: Why) => string | undefined | Promise<string | undefined>, options: object = {}) {
  const clock = new TestClock({ standsAt: '2026-05-04T10:00:00Z' });
  const client = new StewardClient({ url: steward.url, token, clock, ...options });
  clients.push(client);
  const events: { seq: number; event: string; data: Record<string, unknown> }[] = [];
  const states: string[] = [];
  const reasons: (string | undefined)[] = [];
  client.addEventListener('event', ({ detail }: { detail: (typeof events)[number] }) => events.push(detail));
  client.addEventListener('state', ({ detail }: { detail: { state: string; reason?: { code: string } } }) => {
    states.push(detail.state);
    reasons.push(detail.reason?.code);
  });
  return { client, clock, events, states, reasons };
}

/** Lets the pauses pass until the client is connected. */
async function reconnected({ client, clock }: Pick<ReturnType<typeof open>, 'client' | 'clock'>): Promise<void> {
  await eventually(async () => {
    await clock.advance(LONGEST_PAUSE_MS);
    return client.state === 'open';
  });
}

/** The service's clock, and how long a client has begun to wait by it each time. */
function observedClock() {
  const waits: number[] = [];
  const after = (ms: number, callback: () => void) => {
    waits.push(ms);
    return steward.clock.after(ms, callback);
  };
  return { waits, clock: { now: () => steward.clock.now(), after } };
}

/** A token that expires in this number of seconds. */
async function endingIn(seconds: number, user: string): Promise<string> {
  await steward.control('clock', { advance_ms: (seconds - 3_600) * 1000 });
  const token = await steward.signIn(user);
  await steward.control('clock', { advance_ms: (3_600 - seconds) * 1000 });
  return token;
}

describe('StewardClient', () => {
  it('connects on first use, lists and calls', async () => {
    const token = await steward.signIn('client-one');
    await connect(steward, { token, email: 'client-one@example.com' });
    const { client, states } = open(() => token);
    expect(client.state).toBe('closed');
    const { agents } = await client.list();
    expect(agents.map(({ name }: { name: string }) => name)).toContain('mail');
    const { data, meta } = await client.call('mail.labels');
    expect(data.items.length).toBeGreaterThan(3);
    expect(meta).toMatchObject({ account: 'client-one@example.com' });
    expect(states).toEqual(['connecting', 'open']);
  });

  it('rejects with the service’s code and details', async () => {
    const token = await steward.signIn('client-two');
    const { client } = open(() => token);
    await expect(client.call('mail.nothing')).rejects.toMatchObject({ name: 'StewardError', code: 'not_found', retryable: false });
    await expect(client.call('mail.labels')).rejects.toMatchObject({ code: 'not_found', details: { choices: [] } });
  });

  it('sends a change once, after its approval', async () => {
    const token = await steward.signIn('client-three');
    await connect(steward, { token, email: 'client-three@example.com' });
    const { client, events } = open(() => token);
    const input = { to: ['someone@example.com'], subject: 'Grüße', body: 'Hallo' };
    const refusal = await client.call('mail.send', input).catch((error: { code: string; details: { approvalId: string } }) => error);
    expect(refusal).toMatchObject({ name: 'StewardError', code: 'approval_required' });
    const waiting = await client.approvals();
    expect(waiting).toMatchObject([{ approvalId: refusal.details.approvalId, action: 'mail.send', input: { subject: 'Grüße' } }]);
    const { data } = await client.approve(refusal.details.approvalId);
    expect(data.id).toEqual(expect.any(String));
    expect(await client.approvalResult(refusal.details.approvalId)).toMatchObject({ status: 'done', result: { data } });
    expect(await client.approvals()).toEqual([]);
    await eventually(() =>
      expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['approval.requested', 'approval.decided'])),
    );
    expect(client.since).toBe(events.at(-1)!.seq);
  });

  it('renews its authentication before the token expires', async () => {
    const asked: Why[] = [];
    const ending = await endingIn(120, 'client-four');
    const fresh = await steward.signIn('client-four');
    const { clock, waits } = observedClock();
    const { client, states } = open(
      (why) => {
        asked.push(why);
        return why === 'renew' ? fresh : ending;
      },
      { clock },
    );
    await client.connect();
    await steward.clock.advance(60_000);
    // It has been accepted, and waits for the next renewal.
    await eventually(() => waits.length === 2);
    await steward.clock.advance(61_000);
    await client.list();
    expect(asked).toEqual(['connect', 'renew']);
    expect(states).toEqual(['connecting', 'open']);
  });

  it('requests a new token if one is rejected, and stops if that is rejected, too', async () => {
    const good = await steward.signIn('client-five');
    const asked: Why[] = [];
    // Without a pause: on a clock that goes.
    const { clock } = steward;
    const healed = open(
      (why) => {
        asked.push(why);
        return why === 'refused' ? good : 'not.a.token';
      },
      { clock },
    );
    await healed.client.connect();
    expect(asked).toEqual(['connect', 'refused']);
    const rejected = open(() => 'not.a.token', { clock });
    await expect(rejected.client.connect()).rejects.toMatchObject({ code: 'signed_out' });
    expect(rejected.client.state).toBe('closed');
  });

  it('waits while no token can be fetched, and retries', async () => {
    const token = await steward.signIn('client-seven');
    let offline = 2;
    const { client, clock, states, reasons } = open(() => {
      offline -= 1;
      return offline < 0 ? token : Promise.reject(new Error('offline'));
    });
    const listed = client.list();
    await reconnected({ client, clock });
    await listed;
    expect(states).toEqual(['connecting', 'waiting', 'connecting', 'waiting', 'connecting', 'open']);
    expect(reasons[1]).toBe('no_token');
  });

  it('retries a failed renewal, and stops once the user is signed out', async () => {
    const ending = await endingIn(120, 'client-eight');
    const fresh = await steward.signIn('client-eight');
    const asked: Why[] = [];
    const { clock, waits } = observedClock();
    const { client, states } = open(
      (why) => {
        asked.push(why);
        if (why === 'connect') return ending;
        return asked.length > 2 ? fresh : Promise.reject(new Error('offline'));
      },
      { clock },
    );
    const left = open((why) => (why === 'connect' ? ending : undefined), { clock: steward.clock });
    await Promise.all([client.connect(), left.client.connect()]);
    await steward.clock.advance(60_000);
    await eventually(() => waits.length >= 2 && left.client.state === 'closed');
    // At most a second after the failure.
    await steward.clock.advance(1_000);
    await eventually(() => waits.length === 3);
    await steward.clock.advance(60_000);
    await client.list();
    expect(asked).toEqual(['connect', 'renew', 'renew']);
    expect(states).toEqual(['connecting', 'open']);
    expect(left.reasons.at(-1)).toBe('signed_out');
  });

  it('waits a minute if the user has too many sockets, and keeps its token', async () => {
    const token = await steward.signIn('client-nine');
    const connections = async () => (await steward.call('/test')).body.connections;
    const before = await connections();
    const others = Array.from({ length: 10 }, () => open(() => token).client);
    await Promise.all(others.map((other) => other.connect()));
    const asked: Why[] = [];
    const { client, clock, states, reasons } = open((why) => {
      asked.push(why);
      return token;
    });
    const connected: Promise<void> = client.connect();
    await eventually(() => client.state === 'waiting');
    expect(reasons.at(-1)).toBe('rate_limited');
    for (const other of others) other.close();
    await eventually(async () => (await connections()) === before);
    await clock.advance(59_999);
    expect(client.state).toBe('waiting');
    await clock.advance(1_001);
    await connected;
    expect(asked).toEqual(['connect', 'connect']);
    expect(states).toEqual(['connecting', 'waiting', 'connecting', 'open']);
  });

  it('stops with the service’s error if a new token cannot help', async () => {
    const token = await steward.signIn('client-ten');
    const asked: Why[] = [];
    const { client } = open(
      (why) => {
        asked.push(why);
        return token;
      },
      { since: -1 },
    );
    await expect(client.connect()).rejects.toMatchObject({ code: 'invalid_request', message: 'since: must be at least 0' });
    expect(asked).toEqual(['connect']);
  });

  it('stops if its user is deleted, without authenticating again', async () => {
    const token = await steward.signIn('client-eleven');
    const asked: Why[] = [];
    const { client, reasons } = open((why) => {
      asked.push(why);
      return token;
    });
    await client.connect();
    expect((await steward.call('/user', { method: 'DELETE', token })).status).toBe(200);
    await eventually(() => client.state === 'closed');
    expect([asked, reasons.at(-1)]).toEqual([['connect'], 'signed_out']);
  });

  it('stops immediately without a signed-in user', async () => {
    const { client } = open(() => undefined);
    await expect(client.list()).rejects.toMatchObject({ code: 'signed_out' });
  });

  it('reconnects after a restart of the service, and gets the events it missed', async () => {
    const token = await steward.signIn('client-six');
    const url = new URL(steward.url);
    const { client, clock, events, states } = open(() => token, { url });
    await client.connect();
    await connect(steward, { token, email: 'client-six@example.com' });
    const connected = await eventually(() => events.find(({ event }) => event === 'account.connected'));
    const seen = client.since;
    steward = await steward.restart();
    await eventually(() => states.includes('waiting'));
    await steward.call(`/auth/workspace/accounts/${String(connected.data.account)}`, { method: 'DELETE', token });
    // As a name that leads to another process now.
    url.port = new URL(steward.url).port;
    await reconnected({ client, clock });
    await eventually(() => events.some(({ seq, event }) => seq > seen && event === 'account.disconnected'));
    expect(new Set(events.map(({ seq }) => seq)).size).toBe(events.length);
  });

  describe('when the connection breaks before the response', () => {
    /** Responds to authentication and `list` only; any other frame closes the socket. */
    async function breaking(code: number) {
      const server = new WebSocketServer({ port: 0, host: '127.0.0.1', maxPayload: 200_000 });
      const sent: string[] = [];
      let signIns = 0;
      const agents = [
        {
          actions: [
            { name: 'mail.read', effect: 'read' },
            { name: 'mail.send', effect: 'write' },
          ],
        },
      ];
      server.on('connection', (socket) => {
        socket.on('error', () => {});
        socket.on('message', (data) => {
          const { type, requestId, action } = JSON.parse(String(data));
          if (type === 'authenticate') {
            signIns += 1;
            socket.send(JSON.stringify({ type: 'ready', requestId, expiresAt: new Date(clock.now() + 3_600_000).toISOString(), seq: 0 }));
          } else if (type === 'list') socket.send(JSON.stringify({ type: 'result', requestId, data: { agents } }));
          else {
            sent.push(action ?? type);
            socket.close(code);
          }
        });
      });
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      const { client, clock } = open(() => 'token', { url: `http://127.0.0.1:${port}` });
      onTestFinished(() => {
        client.close();
        server.close();
      });
      return { client, clock, sent, signIns: () => signIns };
    }

    it.each<[string, string, object, boolean]>([
      ['a change without a key', 'mail.send', {}, false],
      ['a change under its key', 'mail.send', { idempotencyKey: 'once' }, true],
      ['a read', 'mail.read', {}, true],
      ['an action that was not listed', 'mail.other', {}, false],
    ])('sends %s once, and tells whether it may be retried', async (_what, action, options, repeatable) => {
      const { client, clock, sent, signIns } = await breaking(1012);
      await client.list();
      const code = repeatable ? 'disconnected' : 'outcome_unknown';
      await expect(client.call(action, {}, options)).rejects.toMatchObject({ code, retryable: repeatable });
      await reconnected({ client, clock });
      expect(signIns()).toBe(2);
      expect(sent).toEqual([action]);
    });

    it('reports an approval as outcome_unknown, and queued calls as retryable', async () => {
      const { client, clock } = await breaking(1012);
      await expect(client.approve('75975870-0c63-424e-a59a-bdeb7b82926a')).rejects.toMatchObject({
        code: 'outcome_unknown',
        retryable: false,
      });
      const queued = expect(client.approvals()).rejects.toMatchObject({ code: 'disconnected', retryable: true });
      await Promise.all([queued, reconnected({ client, clock })]);
    });

    it('does not retry a message that was too large', async () => {
      const { client } = await breaking(1012);
      const large = { body: 'x'.repeat(300_000) };
      await expect(client.call('mail.send', large, { idempotencyKey: 'once' })).rejects.toMatchObject({
        code: 'too_large',
        retryable: false,
      });
    });
  });

  it('rejects a message over the service’s limit without sending it, and continues', async () => {
    const token = await steward.signIn('client-large');
    const { client, states } = open(() => token);
    const large = { content: 'é'.repeat(5_000_000) };
    await expect(client.call('drive.create', large)).rejects.toMatchObject({ code: 'too_large', retryable: false });
    expect((await client.list()).agents.length).toBeGreaterThan(0);
    expect(states).toEqual(['connecting', 'open']);
  });

  it('stores the id of the last event, from the first authentication on, and misses none', async () => {
    const token = await steward.signIn('client-store');
    const kept = new Map<string, string>();
    const store = { get: () => kept.get('seq') ?? null, set: (seq: number) => void kept.set('seq', String(seq)) };
    const first = open(() => token, { store });
    await first.client.connect();
    expect(kept.get('seq')).toBe('0');
    first.client.close();
    await connect(steward, { token, email: 'client-store@example.com' });
    const second = open(() => token, { store });
    await second.client.connect();
    await eventually(() => second.events.some(({ event }) => event === 'account.connected'));
    expect(kept.get('seq')).toBe(String(second.events.at(-1)?.seq));
    second.client.close();
    const third = open(() => token, { store });
    await third.client.list();
    expect(third.events).toEqual([]);
  });

  it('does not start without its store, and continues if the store cannot be written', async () => {
    const token = await steward.signIn('client-away');
    let failures = 1;
    const store = {
      get: async () => {
        failures -= 1;
        if (failures >= 0) throw new Error('away');
        return 0;
      },
      set: () => {
        throw new Error('full');
      },
    };
    const { client, clock, states, reasons } = open(() => token, { store });
    const connected: Promise<void> = client.connect();
    await reconnected({ client, clock });
    await connected;
    expect(states).toEqual(['connecting', 'waiting', 'connecting', 'open']);
    expect(reasons[1]).toBe('no_store');
  });

  it('stops waiting for the connection when its caller aborts', async () => {
    const { client } = open(() => new Promise<string>(() => {}));
    const giveUp = new AbortController();
    const call = client.call('mail.labels', {}, { signal: giveUp.signal });
    giveUp.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });
});
