import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Journey, liveThrough } from '../../support/scenes/journey.ts';
import { type CollectedSpan, type Collector, startCollector } from '../../support/servers/collector.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${PARENT.traceId}-${PARENT.spanId}-01`;
const ERROR = 2;

function settings(collector: Collector): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=collector%20key',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
}

function named(collector: Collector, name: string): CollectedSpan[] {
  return collector.spans().filter((span) => span.name === name);
}

describe('a user’s whole life cycle, traced', () => {
  let collector: Collector;
  let steward: TestSteward;
  let journey: Journey;

  beforeAll(async () => {
    collector = await startCollector();
    steward = await startSteward(settings(collector));
    journey = await liveThrough(steward);
    // The rest is sent at the end.
    await steward.stop();
  });

  afterAll(() => collector.close());

  it.each([
    'POST /auth/bank/set_access_token',
    'GET /auth/workspace/callback',
    'DELETE /user',
    'call mail.search',
    'call approval',
    'refresh workspace',
    'provider workspace refresh',
    'provider workspace exchange',
    'provider workspace api',
    'provider bank',
    'job revoke',
    'insert revocations',
  ])('has spans of %s', (name) => {
    expect(named(collector, name).length).toBeGreaterThan(0);
  });

  it('puts each under its cause', async () => {
    const parentOf = (span: CollectedSpan | undefined) => collector.spans().find(({ spanId }) => spanId === span?.parentSpanId);
    // A parent span ends after its children, and may be sent later.
    await eventually(() => {
      const exchange = named(collector, 'provider workspace exchange')[0];
      expect(parentOf(exchange)?.name).toBe('GET /auth/workspace/callback');
      const renewal = named(collector, 'provider workspace refresh')[0];
      expect(parentOf(renewal)?.name).toBe('refresh workspace');
      // On a busy machine the token has expired by the time the mail is approved.
      expect(parentOf(parentOf(renewal))?.name).toMatch(/^call (mail\.\w+|approval)$/);
      expect(parentOf(named(collector, 'provider workspace revoke')[0])?.name).toBe('job revoke');
      return true;
    });
  });

  it('sends the configured headers and the service’s name', () => {
    expect(collector.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-api-key': 'collector key' } });
    expect(collector.resource()).toMatchObject({ 'service.name': 'steward' });
  });

  it('contains patterns, names and outcomes only', () => {
    const sent = Buffer.concat(collector.bodies).toString('latin1');
    for (const secret of [...journey.secrets, 'collector key']) expect(sent).not.toContain(secret);
    expect(sent).not.toMatch(/@example|[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(JSON.stringify(collector.spans())).not.toContain('?');
    const keys = new Set(collector.spans().flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...keys].toSorted()).toEqual([
      'db.system.name',
      'http.request.method',
      'http.response.status_code',
      'http.route',
      'steward.call',
      'steward.job',
      'steward.operation',
      'steward.outcome',
      'steward.provider',
      'steward.refresh',
    ]);
  });
});

describe('with a collector', () => {
  let collector: Collector;
  let steward: TestSteward;

  beforeAll(async () => {
    collector = await startCollector();
    steward = await startSteward(settings(collector));
  });

  afterAll(async () => {
    await steward.stop();
    await collector.close();
  });

  it('does not continue a trace from a request’s headers', async () => {
    await steward.call('/test', { headers: { traceparent: TRACEPARENT } });
    const [span] = await eventually(() => named(collector, 'GET /test').length > 0 && named(collector, 'GET /test'));
    expect(span?.traceId).not.toBe(PARENT.traceId);
    expect(span?.parentSpanId).toBeUndefined();
  });

  it('names the trace in the lines of a request', async () => {
    const { headers } = await steward.call('/auth/bank/accounts', { token: 'none' });
    const id = headers.get('x-request-id');
    const line = steward.logs
      .map((text) => JSON.parse(text))
      .find(({ msg, request_id }) => msg === 'request rejected' && request_id === id);
    await eventually(() => collector.spans().some(({ traceId }) => traceId === line.trace_id));
  });

  it('marks failed spans', async () => {
    await steward.control('faults', { part: 'bank', kind: 'status', status: 500, times: 1 });
    await steward.call('/auth/bank/create_link_token', { method: 'POST', token: await steward.signIn() });
    const span = await eventually(() =>
      named(collector, 'provider bank').find(({ attributes }) => attributes['steward.outcome'] === 'provider_error'),
    );
    expect(span.status.code).toBe(ERROR);
    const request = await eventually(() => named(collector, 'POST /auth/bank/create_link_token')[0]);
    expect([request.attributes['http.response.status_code'], request.status.code]).toEqual([502, ERROR]);
  });

  it('that is unavailable or rejects does not affect requests, and is logged once', async () => {
    collector.status = 400;
    const warnings = () => steward.logs.filter((text) => text.includes('traces can’t be sent'));
    for (let round = 0; round < 3; round += 1) {
      const before = collector.bodies.length;
      expect((await steward.call('/test')).status).toBe(200);
      await eventually(() => collector.bodies.length > before);
    }
    await eventually(() => warnings().length > 0);
    expect(warnings().length).toBe(1);
    expect(JSON.parse(warnings()[0] ?? '')).not.toHaveProperty('request_id');
    collector.status = 200;
  });
});

describe('OTEL variables', () => {
  it('OTEL_PROPAGATORS=tracecontext continues the trace of a request, and only a well-formed one', async () => {
    const collector = await startCollector();
    const steward = await startSteward({ ...settings(collector), OTEL_PROPAGATORS: 'tracecontext,baggage' });
    await steward.call('/test', { headers: { traceparent: TRACEPARENT, baggage: 'canary=baggage' } });
    await steward.call('/health/live', { headers: { traceparent: `00-${PARENT.traceId}x-canary-01` } });
    await steward.stop();
    await collector.close();
    expect(named(collector, 'GET /test')[0]).toMatchObject({ traceId: PARENT.traceId, parentSpanId: PARENT.spanId });
    expect(named(collector, 'GET /health/live')[0]?.traceId).not.toBe(PARENT.traceId);
    expect(Buffer.concat(collector.bodies).toString()).not.toContain('canary');
  });

  it('OTEL_TRACES_SAMPLER=always_off, a ratio of 0 and OTEL_SDK_DISABLED send nothing', async () => {
    for (const off of [
      { OTEL_TRACES_SAMPLER: 'always_off' },
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
      { OTEL_SDK_DISABLED: 'true' },
      { OTEL_TRACES_EXPORTER: 'none' },
    ]) {
      const collector = await startCollector();
      const steward = await startSteward({ ...settings(collector), ...off });
      await steward.call('/test');
      await steward.stop();
      await collector.close();
      expect(collector.bodies).toEqual([]);
    }
  });

  it('the protocol is protobuf over HTTP', async () => {
    const collector = await startCollector();
    const steward = await startSteward({ ...settings(collector), OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' });
    await steward.call('/test');
    await steward.stop();
    await collector.close();
    expect(collector.requests[0]?.headers['content-type']).toBe('application/x-protobuf');
    expect(collector.bodies[0]?.toString('latin1')).toContain('GET /test');
  });
});
