import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REQUEST_TIMEOUTS } from '../../../src/database/database.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { metricsUrl, Scrape } from '../../support/processes/metrics.ts';
import { TcpProxy } from '../../support/servers/tcp-proxy.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

const withDescription = (description: string) =>
  `version: 1\nagents:\n  bank: { provider: bank, description: ${description}, products: [auth] }\n`;

describe.skipIf(!hasPostgres)('GET /update_integrations with two replicas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-integrations-'));
  const files = { a: join(folder, 'a.yaml'), b: join(folder, 'b.yaml') };
  let database: PostgresDatabase;
  let proxy: TcpProxy;
  let a: TestSteward;
  let b: TestSteward;

  beforeAll(async () => {
    for (const file of Object.values(files)) writeFileSync(file, withDescription('First.'));
    database = await createPostgresDatabase();
    const direct = new URL(database.url);
    proxy = new TcpProxy({ host: direct.hostname, port: Number(direct.port) });
    await proxy.open();
    const proxied = new URL(database.url);
    proxied.port = String(proxy.port);
    proxied.hostname = '127.0.0.1';
    const MASTER_KEYS = `k1:${randomBytes(32).toString('base64')}`;
    a = await startSteward({ DATABASE_URL: database.url, MASTER_KEYS, INTEGRATIONS_FILE: files.a });
    b = await startSteward(
      { DATABASE_URL: proxied.href, MASTER_KEYS, INTEGRATIONS_FILE: files.b, METRICS_PORT: '0' },
      { databaseTimeouts: REQUEST_TIMEOUTS },
    );
  });

  afterAll(async () => {
    await a?.stop();
    // The shutdown waits for statements in progress, and those on dead connections only end by their time limit.
    proxy?.breakConnections();
    await b?.stop();
    await proxy?.close();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const descriptionOf = (replica: TestSteward) => replica.context.integrations.current.agents.get('bank')?.description;

  /** As an operator does: the files first, then one call to any replica. */
  async function publish(description: string, forB = withDescription(description)): Promise<void> {
    writeFileSync(files.a, withDescription(description));
    writeFileSync(files.b, forB);
    expect((await a.updateIntegrations()).status).toBe(200);
    expect(descriptionOf(a)).toBe(description);
  }

  it('reaches the other replica, which reads its own file', async () => {
    // Its first poll is the baseline.
    await b.tick();
    await publish('Second.');
    await b.tick();
    expect(descriptionOf(b)).toBe('Second.');
    expect(b.logs.join('')).not.toContain('not those of the others');
  });

  it('reaches a replica whose database connections are dead', async () => {
    // Several idle connections, as after some traffic.
    let open = 0;
    const use = () =>
      b.context.db.transaction(async (tx) => {
        await tx.query('select 1');
        open += 1;
        await eventually(() => open === 4);
      });
    await Promise.all(Array.from({ length: 4 }, use));
    proxy.freezeConnections();
    await publish('Third.');
    await eventually(() => descriptionOf(b) === 'Third.');
  });

  it('raises an alarm on a replica whose file differs, or is invalid', async () => {
    await publish('Fourth.', withDescription('Something else.'));
    await b.tick();
    expect(descriptionOf(b)).toBe('Something else.');
    expect(b.logs.join('')).toContain('not those of the others');
    const { length } = b.logs;
    await publish('Fifth.', 'version: 1\nagents: [');
    await b.tick();
    expect(b.logs.slice(length).join('')).toContain('not those of the others');
    expect(descriptionOf(b)).toBe('Something else.');
  });

  it('shows in the metrics which replica that is, until its file is corrected', async () => {
    const diverged = async () => (await Scrape.of(metricsUrl(b))).value('steward_integrations_diverged');
    expect(await diverged()).toBe(1);
    writeFileSync(files.b, withDescription('Fifth.'));
    expect((await b.updateIntegrations()).status).toBe(200);
    expect(await diverged()).toBe(0);
  });
});
