import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BoundedHistogram } from '../../../src/metrics/bounded-histogram.ts';
import { metricsUrl, Scrape } from '../../support/processes/metrics.ts';
import { createPlace, runProcess } from '../../support/processes/process.ts';
import { connect, queueInstalled } from '../../support/scenes/flows.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

describe('current states', () => {
  let steward: TestSteward;

  beforeAll(async () => {
    steward = await startSteward({ METRICS_PORT: '0' });
  });

  afterAll(() => steward.stop());

  it('report keys, accounts, revocations, deletions and jobs from the database, and the process’s own state', async () => {
    await connect(steward);
    await queueInstalled(steward);
    await steward.sql(`update grants set status = 'reauth_required'`);
    await steward.sql(
      `insert into revocations (id, provider, deadline_at, unconfirmed_at) values (gen_random_uuid(), 'bank', now(), now())`,
    );
    await steward.sql(
      `insert into ended_grants (grant_id, user_id, provider, subject, tokens, ended_at, try_after)
       select id, user_id, provider, subject, tokens, now() - ago, now() + interval '1 day'
       from grants, unnest(array[interval '1 hour', interval '0']) as ago`,
    );
    await steward.sql(
      `insert into erasures (user_id, deleted_at, try_after)
       select gen_random_uuid(), now() - ago, now() + interval '1 day' from unnest(array[interval '2 hours', interval '0']) as ago`,
    );
    // Nobody works on these.
    await steward.sql(`select pgboss.create_queue('untaken', '{"policy": "standard"}')`);
    await steward.sql(`insert into pgboss.job (name, start_after) values ('untaken', now() - interval '3 hours'), ('untaken', now())`);
    const scrape = await Scrape.of(metricsUrl(steward));
    const [keyId] = scrape.labelValues('key');
    expect(scrape.value(`steward_keys_held{key="${keyId}",role="primary"}`)).toBe(1);
    expect(scrape.value(`steward_keyed_rows{key="${keyId}",kind="user_key"}`)).toBe(1);
    expect(scrape.value(`steward_keyed_rows{key="${keyId}",kind="revocation"}`)).toBe(0);
    expect(scrape.value('steward_accounts_attention{provider="workspace",status="reauth_required"}')).toBe(1);
    expect(scrape.value('steward_revocations_unconfirmed')).toBe(1);
    expect(scrape.value('steward_revocations_waiting')).toBe(2);
    expect(scrape.value('steward_revocations_oldest_seconds')).toBeGreaterThanOrEqual(3600);
    expect(scrape.value('steward_erasures_open')).toBe(2);
    expect(scrape.value('steward_erasures_oldest_seconds')).toBeGreaterThanOrEqual(7200);
    expect(scrape.value('steward_jobs_waiting{queue="untaken"}')).toBe(2);
    expect(scrape.value('steward_jobs_overdue_seconds{queue="untaken"}')).toBeGreaterThanOrEqual(10_800);
    expect(scrape.value('steward_database_up')).toBe(1);
    expect(scrape.value('steward_database_writable')).toBe(1);
    expect(scrape.value('steward_database_connections{state="max"}')).toBeGreaterThan(0);
    expect(scrape.value(`steward_integrations_info{revision="${steward.context.integrations.current.revision}"}`)).toBe(1);
  });

  it('are counted in the database twice a minute at most, however often they are read', async () => {
    const url = metricsUrl(steward);
    await Scrape.of(url);
    await steward.sql(`update grants set status = 'active'`);
    const scrapes = await Promise.all(Array.from({ length: 10 }, () => Scrape.of(url)));
    expect(scrapes.map((scrape) => scrape.value('steward_accounts_attention{provider="workspace",status="reauth_required"}'))).toEqual(
      new Array(10).fill(1),
    );
  });

  it('tell the database connections in use from the idle ones', async () => {
    const connections = (scrape: Scrape, state: string) => scrape.value(`steward_database_connections{state="${state}"}`);
    const scrape = await eventually(async () => {
      const now = await Scrape.of(metricsUrl(steward));
      return connections(now, 'used') === 0 && now;
    });
    expect(connections(scrape, 'idle')).toBeGreaterThan(0);
  });

  it('report the database as available although one table can’t be counted, and the error of a request that reads it', async () => {
    const own = await startSteward({ METRICS_PORT: '0' });
    await own.sql('alter table grants rename to grants_elsewhere');
    expect((await own.call('/auth/workspace/accounts', { token: await own.signIn() })).status).toBe(500);
    const scrape = await Scrape.of(metricsUrl(own));
    expect(scrape.value('steward_log_lines_total{level="error"}')).toBeGreaterThan(0);
    expect([scrape.value('steward_database_up'), scrape.value('steward_database_writable')]).toEqual([1, 1]);
    expect(scrape.value('steward_revocations_waiting')).toBeUndefined();
    await own.sql('alter table grants_elsewhere rename to grants');
    await own.stop();
  });

  it('report a rejected integrations file', async () => {
    const path = join(steward.dataDir, 'integrations.yaml');
    writeFileSync(path, 'version: 1\nagents: {}\n');
    const own = await steward.restart({ INTEGRATIONS_FILE: path });
    writeFileSync(path, 'version: 7\n');
    expect((await own.updateIntegrations()).status).toBe(422);
    const scrape = await Scrape.of(metricsUrl(own));
    expect(scrape.value('steward_integrations_reloads_total{outcome="invalid"}')).toBe(1);
    expect(scrape.value('steward_log_lines_total{level="warn"}')).toBe(1);
    steward = own;
  });

  it('are served until the end of a stop', async () => {
    const own = await startSteward({ METRICS_PORT: '0', LIMIT_STOP_WAIT_MS: '1000' });
    const stopped = own.stop();
    await eventually(async () => (await Scrape.of(metricsUrl(own))).value('steward_draining') === 1);
    await stopped;
    await expect(fetch(metricsUrl(own))).rejects.toThrow();
    // Another service in the process is not affected: no state is global.
    expect((await Scrape.of(metricsUrl(steward))).value('steward_draining')).toBe(0);
  });
});

describe('METRICS_PORT', () => {
  it('that is in use makes the start fail, with a reason', async () => {
    const place = await createPlace();
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    try {
      const exit = await runProcess({ ...place.env, METRICS_PORT: String(port) });
      expect(exit.code).toBe(1);
      expect(exit.stderr).toContain('METRICS_HOST and METRICS_PORT can’t be listened on: the port is taken by another program.');
    } finally {
      other.close();
      await place.remove();
    }
  });

  it('must differ from PORT', async () => {
    const exit = await runProcess({ PORT: '8080', METRICS_PORT: '8080' });
    expect(exit.stderr).toContain('METRICS_PORT: must differ from PORT');
  });
});

describe('a bounded histogram', () => {
  it('keeps its number of series bounded, whatever the labels', async () => {
    const registry = new Registry();
    const histogram = new BoundedHistogram(registry, 'test_seconds', 'Test', ['name'], [1, 2]);
    for (let index = 0; index < 5_000; index += 1) histogram.observe(0.5, `name-${index}`);
    for (const hostile of ['a@example.com', 'line\nbreak', 'x"} 1', 'ü', 'x'.repeat(200), '']) histogram.observe(0.5, hostile);
    const text = await registry.metrics();
    expect(text.match(/_count\{/g)?.length).toBeLessThanOrEqual(2_001);
    expect(text).toContain('test_seconds_count{name="other"} 3006');
  });

  it('counts each duration in its bucket and all higher ones', async () => {
    const registry = new Registry();
    const histogram = new BoundedHistogram(registry, 'test_seconds', 'Test', ['name'], [1, 2]);
    for (const seconds of [0.5, 1, 1.5, 3]) histogram.observe(seconds, 'a');
    const text = await registry.metrics();
    for (const line of ['{le="1",name="a"} 2', '{le="2",name="a"} 3', '{le="+Inf",name="a"} 4'])
      expect(text).toContain(`test_seconds_bucket${line}`);
    expect(text).toContain('test_seconds_sum{name="a"} 6');
  });
});
