import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueInstalled } from '../../support/scenes/flows.ts';
import { startProduction } from '../../support/scenes/production.ts';
import { type FaultyDatabase, startFaultyDatabase } from '../../support/servers/database-proxy.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

let database: FaultyDatabase;
let steward: TestSteward;

beforeAll(async () => {
  database = await startFaultyDatabase();
  steward = await startSteward(database.env);
});

afterAll(async () => {
  await steward.stop();
  await database.stop();
});

describe('while the database is unavailable', () => {
  it('is logged by the queue once with the reason, however often its workers poll', async () => {
    await queueInstalled(steward);
    database.cut();
    const lines = () => steward.logs.map((text) => JSON.parse(text)).filter(({ msg }) => msg === 'the job queue reported an error');
    await eventually(() => lines().length > 0);
    // Requested at most once a second: each worker of the queue has polled again meanwhile.
    const asked = () => steward.logs.filter((text) => text.includes('readiness check could not query the database'));
    await eventually(async () => (await steward.call('/health/ready')).status === 503 && asked().length >= 5);
    expect(lines()).toHaveLength(1);
    expect(lines()[0].err.message).toMatch(/[a-z]{4}/);
    expect(lines()[0].err.message).not.toContain('[object');
  });

  it('unreadiness is logged once, not by every probe', () => {
    const warnings = steward.logs.map((text) => JSON.parse(text)).filter(({ level }) => level >= 40);
    expect(warnings.filter(({ msg }) => msg === 'not ready')).toHaveLength(1);
    expect(warnings.filter(({ msg }) => msg === 'request failed')).toEqual([]);
  });
});

describe('a provider that is not configured', () => {
  it('causes no warning when it is requested', async () => {
    const production = await startProduction();
    const response = await production.call('/webhooks/bank', { body: '{}', headers: { 'content-type': 'application/json' } });
    expect([response.status, response.body.code]).toEqual([503, 'not_configured']);
    expect(production.logs.filter((text) => text.includes('request failed'))).toEqual([]);
    await production.stop();
  });
});
