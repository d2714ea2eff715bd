import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';

const MINUTE_MS = 60_000;

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({ LIMIT_REQUESTS_PER_MINUTE: '5', LIMIT_WAITLIST_PER_MINUTE: '2' });
});

afterAll(() => steward.stop());

afterEach(async () => {
  vi.restoreAllMocks();
  await steward.clock.advance(MINUTE_MS);
});

async function statuses(count: number, path: string, headers: (index: number) => Record<string, string> = () => ({})): Promise<number[]> {
  const all: number[] = [];
  for (let index = 0; index < count; index += 1) all.push((await request(steward.url).get(path).set(headers(index))).status);
  return all;
}

describe('requests per minute from one address', () => {
  it('are without the files of the pages, but with those that there are not', async () => {
    expect(await statuses(6, '/assets/steward.css')).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await statuses(6, '/client/steward-client.js')).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await statuses(6, '/assets/none.css')).toEqual([404, 404, 404, 404, 404, 429]);
    expect(await statuses(1, '/assets/steward.css')).toEqual([200]);
  });

  it('beyond the limit are 429 with Retry-After; the probes have a separate limit', async () => {
    expect(await statuses(5, '/nothing')).toEqual([404, 404, 404, 404, 404]);
    const response = await request(steward.url).get('/integrations');
    expectError(response, 'rate_limited');
    const seconds = Number(response.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expectError(await request(steward.url).get('/update_integrations'), 'rate_limited');
    expect(steward.context.integrations.runs).toBe(0);
    for (const path of ['/test', '/health/live', '/health/ready']) expect((await request(steward.url).get(path)).status, path).toBe(200);
    await steward.clock.advance(MINUTE_MS);
    expect(await statuses(1, '/nothing')).toEqual([404]);
  });

  it('are counted despite X-Forwarded-For, which does not fill the log', async () => {
    const complaints = vi.spyOn(console, 'error').mockImplementation(() => {});
    const forged = (index: number) => ({
      'x-forwarded-for': `203.0.113.${index}`,
      forwarded: `for=203.0.113.${index}`,
      'x-real-ip': `203.0.113.${index}`,
    });
    expect(await statuses(7, '/nothing', forged)).toEqual([404, 404, 404, 404, 404, 429, 429]);
    expect(complaints).not.toHaveBeenCalled();
  });
});

describe('requests per minute behind a proxy', () => {
  let direct: TestSteward;

  beforeAll(async () => {
    direct = steward;
    steward = await startSteward({ LIMIT_REQUESTS_PER_MINUTE: '2', TRUST_PROXY: '1' });
  });

  afterAll(async () => {
    await steward.stop();
    steward = direct;
  });

  it('are counted by the address that the trusted proxy sends', async () => {
    const clients = (index: number) => ({ 'x-forwarded-for': index < 3 ? '203.0.113.1' : '203.0.113.2' });
    expect(await statuses(5, '/nothing', clients)).toEqual([404, 404, 429, 404, 404]);
  });

  it('are counted by the last hop only, not by what a client sends before it', async () => {
    const forged = (index: number) => ({ 'x-forwarded-for': `198.51.100.${index}, 203.0.113.1` });
    expect(await statuses(4, '/nothing', forged)).toEqual([404, 404, 429, 429]);
  });

  it('count an IPv6 network of /64 as one address', async () => {
    const neighbours = (index: number) => ({ 'x-forwarded-for': index < 3 ? `2001:db8:1:1::${index + 1}` : `2001:db8:1:${index}::1` });
    expect(await statuses(4, '/nothing', neighbours)).toEqual([404, 404, 429, 404]);
  });
});

describe('waitlist entries per minute from one address', () => {
  it('beyond the limit are 429, and not stored', async () => {
    await request(steward.url).post('/waitlist').type('form').send({ email: 'one@example.com' }).expect(200);
    await request(steward.url).post('/email').type('form').send({ email: 'two@example.com' }).expect(200);
    for (const path of ['/waitlist', '/email'])
      expectError(await request(steward.url).post(path).type('form').send({ email: 'three@example.com' }), 'rate_limited');
    expect(await steward.sql('select email from waitlist order by email')).toEqual([
      { email: 'one@example.com' },
      { email: 'two@example.com' },
    ]);
    await request(steward.url).get('/nothing').expect(404);
  });
});
