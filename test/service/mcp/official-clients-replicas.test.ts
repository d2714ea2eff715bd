import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { type RoundRobin, startRoundRobin } from '../../support/servers/round-robin.ts';
import type { TestSteward } from '../../support/steward.ts';
import { bearer, currentClient, LINES } from '../../support/users/official-clients.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const ANA = { to: ['ana@example.com'] };
const CURRENT = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

describe.skipIf(!hasPostgres)('the official clients, each of whose requests reaches another of two replicas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-official-'));
  const file = join(folder, 'integrations.yaml');
  let database: PostgresDatabase;
  let scene: ExecutorScene;
  let other: TestSteward;
  let balancer: RoundRobin;
  let user: ConnectedGrant;
  let token: string;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    writeFileSync(file, readFileSync(join(import.meta.dirname, '../../../integrations.yaml')));
    const MASTER_KEYS = `k1:${randomBytes(32).toString('base64')}`;
    const env = { DATABASE_URL: database.url, MASTER_KEYS, INTEGRATIONS_FILE: file };
    scene = await ExecutorScene.start(env);
    other = await scene.replica(env);
    balancer = await startRoundRobin([scene.steward.url, other.url]);
    scene.policies.set('test.notify', { approval: 'destructive' });
    for (const { context } of [scene.steward, other]) await context.integrations.reload();
    user = await scene.connect();
    const body = JSON.stringify({ name: 'official', actions: ['*'], access: 'write' });
    token = (await scene.steward.call('/tokens', { token: user.token, body, headers: JSON_TYPE })).body.token;
  });
  afterAll(async () => {
    await balancer?.close();
    await other?.stop();
    await scene?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** As the user, at the second replica. */
  async function approve(approvalId: string): Promise<void> {
    await scene.decide(user, approvalId, {}, other);
  }

  it.each(LINES)('$name: lists, reads, asks, and gets the approved result', async ({ connect }) => {
    scene.sending(200);
    const before = [...balancer.counts];
    const client = await connect(balancer.url, bearer(token));
    expect((await client.tools()).length).toBeGreaterThan(10);
    for (let times = 0; times < 4; times++) expect(await client.call('test_read')).not.toMatchObject({ isError: true });
    const { approvalId } = (await client.call('test_notify', ANA)).structuredContent.error.details;
    await approve(approvalId);
    expect((await client.call('approval_result', { id: approvalId })).structuredContent).toMatchObject({ data: { id: 'm1' } });
    expect(scene.sent).toBe(1);
    await client.close();
    for (const [index, count] of balancer.counts.entries()) expect(count - (before[index] ?? 0)).toBeGreaterThan(2);
  });

  it('with URL elicitation: the state of a question is understood by the other replica', async () => {
    scene.sending(200);
    const client = await currentClient(balancer.url, bearer(token), { ...CURRENT, capabilities: { elicitation: { url: {} } } }, (made) =>
      made.setRequestHandler('elicitation/create', async ({ params }) => {
        await approve((params as { url: string }).url.split('/').at(-1) ?? '');
        return { action: 'accept' };
      }),
    );
    // Whichever replica begins.
    for (const times of [1, 2]) {
      const result = await client.callTool({ name: 'test_notify', arguments: { ...ANA, text: `${times}` } });
      expect(result).toMatchObject({ structuredContent: { data: { id: 'm1' } } });
      // Two requests a call: the next one would begin at the same replica.
      await fetch(`${balancer.url}/health/live`);
    }
    expect(scene.sent).toBe(2);
    await client.close();
  });

  it('is told of changed tools at one replica after a reload at the other', async () => {
    const changed = Promise.withResolvers<string[]>();
    const client = await currentClient(other.url, bearer(token), {
      ...CURRENT,
      listChanged: { tools: { onChanged: (_error, tools) => changed.resolve((tools ?? []).map(({ name }) => name)), debounceMs: 0 } },
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('mail_search');
    // Its first poll is what later ones are compared with.
    await other.tick();
    writeFileSync(file, 'version: 1\nagents:\n  bank: { provider: bank, description: Balances., products: [auth] }\n');
    expect((await scene.steward.updateIntegrations()).body).toEqual({ status: 'success' });
    await other.tick();
    expect(await changed.promise).not.toContain('mail_search');
    await client.close();
  });
});
