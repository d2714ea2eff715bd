import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Journey, liveThrough } from '../../support/scenes/journey.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

type Line = Record<string, any>;

const INFO = 30;
const WARN = 40;
const ERROR = 50;

let steward: TestSteward;
let journey: Journey;

beforeAll(async () => {
  steward = await startSteward();
  journey = await liveThrough(steward);
});

afterAll(() => steward.stop());

function lines(): Line[] {
  return steward.logs.map((text) => JSON.parse(text));
}

describe('the log of a healthy service', () => {
  it('has no line at warn or above, because each of these requires an action', () => {
    expect(lines().length).toBeGreaterThan(10);
    expect(lines().filter(({ level }) => level >= WARN)).toEqual([]);
  });

  it('is one JSON object per line, with level, time and service', () => {
    for (const line of lines()) expect(line).toMatchObject({ level: expect.any(Number), time: expect.any(Number), service: 'steward' });
  });

  it('contains no data of the user', () => {
    const text = steward.logs.join('');
    for (const secret of journey.secrets) expect(text).not.toContain(secret);
  });

  it('has no such line for clients’ errors', async () => {
    const before = steward.logs.length;
    await steward.call('/auth/bank/accounts', { token: 'not a token' });
    await steward.call('/nowhere');
    await steward.call('/waitlist', { form: { email: 'none' } });
    await steward.call('/waitlist', { body: '{', headers: { 'content-type': 'application/json' } });
    await steward.call('/test', { method: 'POST' });
    const socket = await SocketClient.open(steward.url);
    socket.send('no frame');
    await socket.ended;
    expect(steward.logs.slice(before).filter((text) => JSON.parse(text).level >= WARN)).toEqual([]);
  });
});

describe('an internal error', () => {
  it('is one error line, and the request’s line is unchanged', async () => {
    const token = await steward.signIn();
    await steward.sql('alter table workspace_accounts rename to elsewhere');
    const response = await steward.call('/auth/workspace/accounts', { token });
    await steward.sql('alter table elsewhere rename to workspace_accounts');
    expect([response.status, response.body.code]).toEqual([500, 'internal']);
    const own = await eventually(() => {
      const found = lines().filter(({ request_id }) => request_id === response.body.request_id);
      return found.length >= 2 && found;
    });
    expect(own.map(({ level, msg }) => [level, msg])).toEqual([
      [ERROR, 'request failed'],
      [INFO, 'request completed'],
    ]);
    expect(own[1]).toMatchObject({ res: { status: 500 } });
    expect(own[1]).not.toHaveProperty('err');
  });
});

describe('ids', () => {
  it('are in all lines of a request, including those about its body', async () => {
    const response = await steward.call('/waitlist', { form: { email: 'no address' } });
    const id = response.headers.get('x-request-id');
    const own = await eventually(() => {
      const found = lines().filter(({ request_id }) => request_id === id);
      return found.some(({ msg }) => msg === 'request completed') && found;
    });
    expect(own.map(({ msg }) => msg).toSorted()).toEqual(['request completed', 'request rejected']);
  });

  it('are in the lines about requests to providers', async () => {
    await steward.control('faults', { part: 'bank', kind: 'status', status: 500, times: 1 });
    const response = await steward.call('/auth/bank/create_link_token', { method: 'POST', token: await steward.signIn() });
    expect(response.status).toBe(502);
    const [line] = lines().filter(({ level, request_id }) => level === WARN && request_id === response.body.request_id);
    expect(line).toMatchObject({ msg: 'request failed', code: 'provider_error' });
  });

  it('name the job in its lines', () => {
    const confirmed = lines().filter(({ msg }) => msg === 'revocation confirmed by the provider');
    expect(confirmed.length).toBeGreaterThan(0);
    for (const line of confirmed) expect(line).toMatchObject({ job: 'revoke', job_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('name the call in its lines, like its audit row', async () => {
    const user = 'calling';
    const token = await steward.signIn(user);
    const { connect } = await import('../../support/scenes/flows.ts');
    await connect(steward, { token, email: `${user}@example.com` });
    const [{ id: userId }] = (await steward.sql<{ id: string }>('select id from users where email = $1', [`${user}@example.com`])) as [
      { id: string },
    ];
    await steward.sql(`update grants set expires_at = now() - interval '1 minute' where user_id = $1`, [userId]);
    await steward.control('faults', { part: 'workspace', path: '/token', kind: 'status', status: 503, times: 1 });
    const socket = await SocketClient.signedIn(steward.url, token);
    expect((await socket.request({ type: 'call', action: 'mail.labels', input: {} })).type).toBe('error');
    await socket.close();
    const [{ call_id }] = (await steward.sql<{ call_id: string }>('select call_id from audit_log where user_id = $1', [userId])) as [
      { call_id: string },
    ];
    const [line] = lines().filter(({ msg }) => msg === 'an access token could not be renewed');
    expect(line).toMatchObject({ level: WARN, call: call_id });
  });

  it('are not in lines of shared work', () => {
    const polls = lines().filter(({ msg }) => msg === 'integrations read again');
    for (const line of polls) expect(line.request_id).toBeUndefined();
  });
});

describe('LOG_LEVEL', () => {
  it('omits lines below it', async () => {
    const { createLogger } = await import('../../../src/observability/logger.ts');
    const written: string[] = [];
    const logger = createLogger('warn', { write: (line: string) => void written.push(line) });
    logger.info('unheard');
    logger.warn('heard');
    expect(written.map((text) => JSON.parse(text).msg)).toEqual(['heard']);
  });
});
