import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Keyring } from '../../../src/crypto/keyring.ts';
import { ServiceSecrets } from '../../../src/vault/keys/service-secrets.ts';
import { rewrapAll } from '../../../src/vault/rotation/key-rotation.ts';
import { FormBrowser } from '../../support/browser/browser.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { newName } from '../../support/scenes/flows.ts';
import {
  Authorization,
  authorized,
  newClient,
  pathOf,
  refresh,
  refreshCut,
  revoke,
  submitConsent,
  usedEarlier,
} from '../../support/scenes/oauth-scene.ts';
import { type FaultyDatabase, startFaultyDatabase } from '../../support/servers/database-proxy.ts';
import { serviceAt, startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { locationOf, sessionOf } from '../../support/users/sign-in.ts';

const PUBLIC_URL = 'http://steward.test:8080';
const REFUSED = { status: 400, body: { error: 'invalid_grant' } };

describe.skipIf(!hasPostgres)('the authorization server on two replicas', () => {
  const secret = randomBytes(32).toString('base64');
  let database: PostgresDatabase;
  let one: TestSteward;
  let other: TestSteward;
  const env = () => ({
    DATABASE_URL: database.url,
    MASTER_KEYS: `k1:${secret}`,
    PUBLIC_URL,
    LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: '1000',
  });
  beforeAll(async () => {
    database = await createPostgresDatabase();
    [one, other] = [await startSteward(env()), await startSteward(env())];
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await database.drop();
  });

  const at = (steward: TestSteward) => serviceAt(steward.address);
  const browserAt = (steward: TestSteward, from: FormBrowser) => new FormBrowser(steward.address).take(from);
  const signedInAt = async (steward: TestSteward) => sessionOf(at(steward), await at(steward).signIn(newName()));

  /** Every step at the replica that `next` returns. */
  async function authorize(next: () => Promise<TestSteward> | TestSteward) {
    const session = await signedInAt(await next());
    const client = await newClient(at(await next()));
    let browser = browserAt(await next(), session);
    const authorization = new Authorization(client, browser);
    const consent = await authorization.begin();
    browser = browserAt(await next(), browser);
    const page = await browser.visit(consent);
    expect(page.status).toBe(200);
    browser = browserAt(await next(), browser);
    const decided = await submitConsent(browser, page, consent);
    expect(decided.status).toBe(200);
    browser = browserAt(await next(), browser);
    const back = new URL(locationOf(await browser.visit(pathOf(locationOf(decided)))));
    expect(back.searchParams.get('iss')).toBe(PUBLIC_URL);
    const tokens = await authorization.exchange(at(await next()), back.searchParams.get('code') as string);
    expect(tokens.status).toBe(200);
    return { client, tokens: tokens.body };
  }

  it('give one code for a decision that is made and asked for at both at the same moment', async () => {
    const browser = browserAt(one, await signedInAt(one));
    const authorization = new Authorization(await newClient(at(one)), browser);
    const consent = await authorization.begin();
    const page = await browser.visit(consent);
    const tabs = [one, other, one, other].map((steward) => browserAt(steward, browser));
    const decided = await Promise.all(tabs.map((tab) => submitConsent(tab, page, consent)));
    expect(decided.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const answers = await Promise.all(tabs.map((tab, index) => tab.visit(pathOf(locationOf(decided[index] as never)))));
    const [first, ...others] = answers.map(locationOf);
    expect(others).toEqual([first, first, first]);
    const code = new URL(first ?? '').searchParams.get('code') as string;
    expect((await authorization.exchange(at(other), code)).status).toBe(200);
  });

  const isBlocked = async () =>
    (await database.sql(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).length > 0;

  const alternating = () => {
    let turn = 0;
    return () => [one, other][turn++ % 2] as TestSteward;
  };

  it('takes each step at either', async () => {
    const { client, tokens } = await authorize(alternating());
    expect(await other.context.authenticateClient(tokens.access_token)).toMatchObject({ label: 'Notes' });
    const next = await refresh(at(other), client, tokens.refresh_token);
    expect(next.status).toBe(200);
    await one.context.authenticateClient(next.body.access_token);
    expect((await revoke(at(other), client, next.body.refresh_token)).status).toBe(200);
    await expect(one.context.authenticateClient(next.body.access_token)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await refresh(at(one), client, next.body.refresh_token)).toMatchObject(REFUSED);
  });

  it('accepts a code once, and gives one response to a refresh token, whichever replicas get it', async () => {
    const authorization = new Authorization(await newClient(at(one)), await signedInAt(one));
    const code = await authorization.code();
    const codes = await Promise.all([one, other, one, other].map((replica) => authorization.exchange(at(replica), code)));
    expect(codes.filter(({ status }) => status === 200).length).toBe(1);
    const { client, tokens } = await authorize(alternating());
    const all = await Promise.all([one, other, one, other].map((replica) => refresh(at(replica), client, tokens.refresh_token)));
    for (const { status, body } of all) expect({ status, body }).toEqual({ status: 200, body: all[0]?.body });
    await one.context.authenticateClient(all[0]?.body.access_token);
    await usedEarlier(database.sql, tokens.refresh_token);
    expect(await refresh(at(other), client, tokens.refresh_token)).toMatchObject(REFUSED);
    await expect(one.context.authenticateClient(all[0]?.body.access_token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('gives the response again when the connection to the first replica was cut; after ten seconds at neither', async () => {
    const { client, tokens } = await authorize(alternating());
    await refreshCut(one.address, client, tokens.refresh_token);
    const { status, body } = await refresh(at(other), client, tokens.refresh_token);
    expect(status).toBe(200);
    expect(await refresh(at(one), client, tokens.refresh_token)).toMatchObject({ status, body });
    await one.context.authenticateClient(body.access_token);
    await usedEarlier(database.sql, tokens.refresh_token);
    expect(await refresh(at(other), client, tokens.refresh_token)).toMatchObject(REFUSED);
    await expect(one.context.authenticateClient(body.access_token)).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('counts the ten seconds from the use, also when the request has waited for its user', async () => {
    const { client, tokens } = await authorize(alternating());
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('begin; select 1 from users for no key update');
    const first = refresh(at(one), client, tokens.refresh_token);
    await eventually(isBlocked);
    const [waiting] = await database.sql<{ at: string }>('select clock_timestamp()::text as at');
    await holder.end();
    expect((await first).status).toBe(200);
    const used = 'select consumed_at > $2::timestamptz as "isLater" from oauth_entries where id_hash = sha256($1::text::bytea)';
    expect(await database.sql(used, [tokens.refresh_token, waiting?.at])).toEqual([{ isLater: true }]);
  });

  it('goes on after a restart between any two steps', async () => {
    let steward = await startSteward(env());
    const { client, tokens } = await authorize(async () => {
      steward = await steward.restart();
      return steward;
    });
    expect((await refresh(at(one), client, tokens.refresh_token)).status).toBe(200);
    await steward.stop();
  });

  it('goes on after its keys were replaced, and forgets keys that were replaced twice', async () => {
    const before = await authorize(alternating());
    const { db, serviceSecrets } = one.context;
    const [former] = await serviceSecrets.current();
    let started: TestSteward[] = [];
    const rotated = async () => {
      await new ServiceSecrets(db, one.context.keyring).rotate();
      await db.query(`update service_keys set created_at = created_at - interval '2 minutes'`);
      const replica = await startSteward(env());
      started = [...started, replica];
      return replica;
    };
    // In the middle: the page was opened before.
    const session = await signedInAt(one);
    const authorization = new Authorization(await newClient(at(one)), session);
    const consent = await authorization.begin();
    const third = await rotated();
    const list = await third.context.serviceSecrets.current();
    expect(list.map(({ signingKey }) => signingKey.kid)).toEqual([
      expect.not.stringMatching(former?.signingKey.kid ?? ''),
      former?.signingKey.kid,
    ]);
    expect((await third.context.serviceSecrets.requestStateKeys()).map(({ length }) => length)).toEqual([32, 32]);
    const browser = browserAt(third, session);
    const decided = await submitConsent(browser, await browser.visit(consent), consent);
    const back = new URL(locationOf(await browser.visit(pathOf(locationOf(decided)))));
    const { body } = await authorization.exchange(at(third), back.searchParams.get('code') as string);
    // The older replica reads what the newer one has sealed.
    const next = await refresh(at(one), authorization.client, body.refresh_token);
    expect(next.status).toBe(200);
    const fourth = await rotated();
    expect((await fourth.context.serviceSecrets.current()).length).toBe(2);
    expect((await fourth.context.serviceSecrets.current()).map(({ signingKey }) => signingKey.kid)).not.toContain(former?.signingKey.kid);
    expect((await refresh(at(fourth), before.client, before.tokens.refresh_token)).status).toBe(200);
    await Promise.all(started.map((replica) => replica.stop()));
  });

  it('uses new keys a minute after they were made', async () => {
    const { db, keyring } = one.context;
    const [first] = await new ServiceSecrets(db, keyring).current();
    await new ServiceSecrets(db, keyring).rotate();
    const list = await new ServiceSecrets(db, keyring).current();
    expect(list[0]).toEqual(first);
    expect(list.length).toBe(2);
  });

  it('reads its keys after the master key was replaced', async () => {
    const { db, keyring } = one.context;
    const before = await new ServiceSecrets(db, keyring).current();
    const added = { id: 'k2', secret: randomBytes(32) };
    const both = new Keyring([added, { id: 'k1', secret: Buffer.from(secret, 'base64') }]);
    await db.query('insert into key_canaries (master_key_id, sealed) values ($1, $2)', ['k2', await both.sealCanary('k2')]);
    const unreadable: string[] = [];
    const pass = { signal: new AbortController().signal, advance: () => {}, unreadable: (what: string) => void unreadable.push(what) };
    await rewrapAll(db, both, pass);
    expect(unreadable).toEqual([]);
    expect(await db.query(`select 1 from service_keys where master_key_id <> 'k2'`)).toEqual([]);
    expect(await new ServiceSecrets(db, new Keyring([added])).current()).toEqual(before);
  });
});

describe.skipIf(!hasPostgres)('the service’s secrets', () => {
  it('are the same on replicas that need them first at the same moment', async () => {
    const database = await createPostgresDatabase();
    const steward = await startSteward({ DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` });
    const { db, keyring } = steward.context;
    const lists = await Promise.all(Array.from({ length: 8 }, () => new ServiceSecrets(db, keyring).current()));
    for (const list of lists) expect(list).toEqual(lists[0]);
    expect(lists[0]?.length).toBe(1);
    await steward.stop();
    await database.drop();
  });
});

describe('while the database is away', () => {
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

  it('the token endpoint says so, and a refresh token is not used up', async () => {
    const { client, tokens } = await authorized(steward, await sessionOf(steward, await steward.signIn(newName())));
    database.cut();
    const response = await refresh(steward, client, tokens.refresh_token);
    expect(response).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Object.keys(response.body)).toEqual(['error', 'error_description']);
    const page = await steward.call(new Authorization(client, new FormBrowser(steward.url)).path, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(503);
    expect(page.headers.get('location')).toBeNull();
    database.restore();
    expect((await refresh(steward, client, tokens.refresh_token)).status).toBe(200);
  });

  it('or fails in the middle, nothing is half done', async () => {
    const { client, tokens } = await authorized(steward, await sessionOf(steward, await steward.signIn(newName())));
    await steward.sql(
      `create function fail() returns trigger language plpgsql as $$ begin raise exception 'no' using errcode = '53200'; end $$`,
    );
    await steward.sql(
      `create trigger fail before insert on oauth_entries for each row when (new.model = 'AccessToken') execute function fail()`,
    );
    expect(await refresh(steward, client, tokens.refresh_token)).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    await steward.sql('drop trigger fail on oauth_entries');
    expect((await refresh(steward, client, tokens.refresh_token)).status).toBe(200);
  });
});
