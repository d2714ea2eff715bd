import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { newName } from '../../support/scenes/flows.ts';
import { type RoundRobin, startRoundRobin } from '../../support/servers/round-robin.ts';
import { serviceAt, startSteward, type TestSteward } from '../../support/steward.ts';
import { consenting, OAuthApp } from '../../support/users/oauth-app.ts';
import { LINES } from '../../support/users/official-clients.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const REDIRECT = 'http://127.0.0.1:38124/callback';
const EXPIRE = `update oauth_entries set expires_at = now() where model = 'AccessToken' and expires_at > now() returning 1`;

describe.skipIf(!hasPostgres)('an app, each of whose requests reaches another of two replicas', () => {
  let database: PostgresDatabase;
  let balancer: RoundRobin;
  const replicas: TestSteward[] = [];

  beforeAll(async () => {
    database = await createPostgresDatabase();
    const addresses: string[] = [];
    balancer = await startRoundRobin(addresses);
    const MASTER_KEYS = `k1:${randomBytes(32).toString('base64')}`;
    for (const _replica of ['a', 'b']) {
      replicas.push(await startSteward({ DATABASE_URL: database.url, MASTER_KEYS, PUBLIC_URL: balancer.url }));
    }
    addresses.push(...replicas.map(({ context }) => context.addresses.selfUrl));
  });
  afterAll(async () => {
    await balancer?.close();
    for (const replica of replicas) await replica.stop();
    await database?.drop();
  });

  it.each(LINES)('with the official client ($name): registers, signs the user in, and refreshes', async (line) => {
    // The sandbox's ID tokens are valid at the replica whose sandbox issued them; sessions at both.
    const first = serviceAt(replicas[0]!.context.addresses.selfUrl);
    const session = await sessionOf(first, await first.signIn(newName()));
    const app = new OAuthApp({ redirectUrl: REDIRECT });
    const client = await line.signIn(balancer.url, app, consenting(new FormBrowser(balancer.url).take(session)));
    for (let times = 1; times <= 3; times++) {
      expect(await database.sql(EXPIRE)).not.toHaveLength(0);
      expect((await client.call('approval_result', { id: 'none' })).structuredContent).toMatchObject({ error: { code: 'not_found' } });
      expect(app.issued).toHaveLength(1 + times);
    }
    await client.close();
    expect(Math.min(...balancer.counts)).toBeGreaterThan(5);
  });
});
