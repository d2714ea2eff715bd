import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricsUrl, Scrape } from '../../support/processes/metrics.ts';
import { type Journey, liveThrough } from '../../support/scenes/journey.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

let steward: TestSteward;
let url: string;

beforeAll(async () => {
  steward = await startSteward({ METRICS_PORT: '0' });
  url = metricsUrl(steward);
});

afterAll(() => steward.stop());

async function value(name: string): Promise<number | undefined> {
  return (await Scrape.of(url)).value(name);
}

describe('GET /metrics', () => {
  it('is Prometheus text on a separate listener', async () => {
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(new URL(url).host).not.toBe(new URL(steward.url).host);
    expect(await response.text()).toContain('\nsteward_build_info{version="');
  });

  it('is not on the public listener, in any spelling', async () => {
    for (const path of ['metrics', 'Metrics', 'metrics/', '/metrics', '%6detrics', 'x/../metrics']) {
      expect((await fetch(`${steward.url}/${path}`)).status).toBe(404);
    }
  });

  it('is the only address of that listener, and by GET only', async () => {
    expect((await fetch(new URL('/', url))).status).toBe(404);
    expect((await fetch(new URL('/auth/bank/accounts', url))).status).toBe(404);
    const posted = await fetch(url, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it.each([
    'steward_integrations_reloads_total{outcome="invalid"}',
    'steward_revocations_total{outcome="unconfirmed"}',
    'steward_webhooks_total{outcome="invalid_token"}',
    'steward_webhooks_total{outcome="unavailable"}',
    'steward_refresh_duration_seconds_count{provider="workspace",outcome="ended"}',
    'steward_refresh_duration_seconds_count{provider="workspace",outcome="misconfigured"}',
  ])('shows %s from 0, because an increase is only visible from there', async (name) => {
    expect(await value(name)).toBe(0);
  });

  it('is served to many concurrent clients', async () => {
    const scrapes = await Promise.all(Array.from({ length: 20 }, () => Scrape.of(url)));
    expect(scrapes.every(({ names }) => names.includes('steward_database_up'))).toBe(true);
  });
});

describe('requests', () => {
  it('are counted by method, pattern and class', async () => {
    await steward.call('/test');
    const before = (await value('steward_http_request_duration_seconds_count{method="GET",route="/test",status="2xx"}')) ?? 0;
    await steward.call('/test');
    await eventually(
      async () => (await value('steward_http_request_duration_seconds_count{method="GET",route="/test",status="2xx"}')) === before + 1,
    );
  });

  it('without an endpoint share one series, and no path or method becomes a label', async () => {
    for (const path of ['/canary-path-1', '/auth/canary-path-2', '/sandbox/canary-path-3', '/assets/canary-path-4'])
      await steward.call(path);
    await steward.call('/test', { method: 'PROPFIND' });
    const id = 'ca0a7700-0000-4000-8000-000000000000';
    await steward.call(`/auth/bank/accounts/${id}?q=canary-query`, { method: 'DELETE', token: 'canary-token' });
    const scrape = await eventually(async () => {
      const now = await Scrape.of(url);
      const seen = now.value(
        'steward_http_request_duration_seconds_count{method="DELETE",route="/auth/bank/accounts/:account_id",status="4xx"}',
      );
      return seen !== undefined && now;
    });
    expect(scrape.text).not.toMatch(/canary|ca0a7700|PROPFIND/);
    expect(scrape.labelValues('method')).toContain('other');
    expect(scrape.labelValues('route')).toContain('none');
  });

  it('that fail are counted by code', async () => {
    const before = (await value('steward_http_errors_total{code="invalid_token"}')) ?? 0;
    await steward.call('/auth/bank/accounts', { token: 'none' });
    expect(await value('steward_http_errors_total{code="invalid_token"}')).toBe(before + 1);
  });
});

describe('sockets', () => {
  it('are shown by state and counted by their close code', async () => {
    const silent = await SocketClient.open(steward.url);
    const signedIn = await SocketClient.signedIn(steward.url, await steward.signIn());
    const scrape = await Scrape.of(url);
    expect([scrape.value('steward_sockets{state="waiting"}'), scrape.value('steward_sockets{state="authenticated"}')]).toEqual([1, 1]);
    silent.send('{"type":"list","requestId":"1"}');
    expect((await silent.ended).code).toBe(4401);
    await signedIn.close();
    await eventually(async () => (await value('steward_sockets{state="authenticated"}')) === 0);
    expect(await value('steward_sockets_closed_total{code="4401"}')).toBe(1);
    const loud = await SocketClient.open(steward.url);
    loud.send('x'.repeat(65_537));
    expect((await loud.ended).code).toBe(1009);
    await eventually(async () => (await value('steward_sockets_closed_total{code="1009"}')) === 1);
  });

  it('that are rejected are counted', async () => {
    const foreign = new SocketClient(steward.url, { origin: 'https://canary.example' });
    await foreign.ended;
    expect(await value('steward_sockets_refused_total{code="forbidden"}')).toBe(1);
  });
});

describe('a user’s whole life cycle', () => {
  let journey: Journey;
  let scrape: Scrape;

  beforeAll(async () => {
    journey = await liveThrough(steward);
    // The provider receives the revocation before the job ends.
    scrape = await eventually(async () => {
      const seen = await Scrape.of(url);
      return (seen.value('steward_job_duration_seconds_count{queue="revoke",outcome="ok"}') ?? 0) > 0 && seen;
    });
  });

  it.each([
    'steward_call_duration_seconds_count{action="mail.search",outcome="ok"}',
    'steward_call_duration_seconds_count{action="mail.send",outcome="approval_required"}',
    'steward_call_duration_seconds_count{action="approval",outcome="ok"}',
    'steward_approvals_total{outcome="requested"}',
    'steward_approvals_total{outcome="approved"}',
    'steward_approvals_total{outcome="denied"}',
    'steward_refresh_duration_seconds_count{provider="workspace",outcome="renewed"}',
    'steward_provider_request_duration_seconds_count{provider="workspace",outcome="ok"}',
    'steward_provider_request_duration_seconds_count{provider="bank",outcome="ok"}',
    'steward_provider_request_duration_seconds_count{provider="identity",outcome="ok"}',
    'steward_revocations_total{outcome="confirmed"}',
    'steward_job_duration_seconds_count{queue="revoke",outcome="ok"}',
  ])('counts %s', async (name) => {
    expect(scrape.value(name)).toBeGreaterThan(0);
  });

  it('has no data of the user in any label', () => {
    for (const secret of journey.secrets) expect(scrape.text).not.toContain(secret);
    expect(scrape.text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-4|@/);
  });

  it('counts undeclared actions under one name', async () => {
    const socket = await SocketClient.signedIn(steward.url, await steward.signIn());
    for (const action of ['canary.one', 'canary-two', '__proto__']) await socket.request({ type: 'call', action });
    await socket.close();
    const after = await Scrape.of(url);
    expect(after.value('steward_call_duration_seconds_count{action="unknown",outcome="not_found"}')).toBe(3);
    expect(after.text).not.toContain('canary');
  });
});

describe('a failing identity provider', () => {
  it('is counted as its failure, not as an internal error', async () => {
    const site = await startSteward({ METRICS_PORT: '0' });
    try {
      const token = await site.signIn();
      await site.control('faults', { part: 'identity', path: '/.well-known/openid-configuration', kind: 'status', status: 500 });
      expect((await site.call('/auth/bank/accounts', { token })).status).toBe(503);
      const scrape = await Scrape.of(metricsUrl(site));
      expect(scrape.value('steward_provider_request_duration_seconds_count{provider="identity",outcome="failed"}')).toBe(1);
    } finally {
      await site.stop();
    }
  });
});
