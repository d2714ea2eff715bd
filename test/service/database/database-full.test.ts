import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from '../../support/steward.ts';

const SPACE = 'could not extend file "base/5/16384": No space left on device';

let steward: TestSteward;
let token: string;

beforeAll(async () => {
  steward = await startSteward();
  token = await steward.signIn();
  // The database's errors for a full disk (SQLSTATE 53100) and for lack of memory (53200).
  for (const code of ['53100', '53200'])
    await steward.sql(
      `create function full_${code}() returns trigger language plpgsql as $$ begin raise exception '${SPACE}' using errcode = '${code}'; end $$`,
    );
});

afterAll(() => steward.stop());

const prepare = () => steward.call('/workspace_access_request', { token, form: { email: 'demo@example.com' } });
const join = () => steward.call('/waitlist', { form: { email: 'ana@example.com' } });

describe('GET /health/ready', () => {
  const ready = () => steward.call('/health/ready');
  const FULL = { status: 503, body: { code: 'unavailable', message: 'The disk of the database is full.' } };

  /** Results are cached for a moment. */
  const pass = (seconds: number) => steward.clock.advance(seconds * 1_000);

  it('is 503 while the disk is full, even without writes, and 200 once there is space', async () => {
    expect((await ready()).status).toBe(200);
    await steward.sql(`create function full_disk() returns event_trigger language plpgsql as
      $$ begin raise exception '${SPACE}' using errcode = '53100'; end $$`);
    await steward.sql(`create event trigger full_disk on ddl_command_start when tag in ('CREATE TABLE AS') execute function full_disk()`);
    await pass(11);
    expect(await ready()).toMatchObject(FULL);
    await steward.sql('drop event trigger full_disk');
    await pass(11);
    expect((await ready()).status).toBe(200);
  });

  it('is 200 if the role must not create temporary tables', async () => {
    await steward.sql(`create function denied() returns event_trigger language plpgsql as
      $$ begin raise exception 'permission denied to create temporary tables' using errcode = '42501'; end $$`);
    await steward.sql(`create event trigger denied on ddl_command_start when tag in ('CREATE TABLE AS') execute function denied()`);
    await pass(11);
    expect((await ready()).status).toBe(200);
    await steward.sql('drop event trigger denied');
  });

  it('is 503 for some seconds after a write failed because of a full disk', async () => {
    await steward.sql('create trigger full_now before insert on waitlist execute function full_53100()');
    await pass(11);
    expect((await join()).body.status).toBe('error');
    expect(await ready()).toMatchObject(FULL);
    await steward.sql('drop trigger full_now on waitlist');
    await pass(11);
    expect((await ready()).status).toBe(200);
  });
});

describe.each(['53100', '53200'])('a database that lacks room (%s)', (code) => {
  it('is reported as unavailable and logged, and works again once there is space', async () => {
    for (const table of ['oauth_flows', 'waitlist'])
      await steward.sql(`create trigger full_now before insert on ${table} execute function full_${code}()`);
    const rejected = await prepare();
    expect(rejected).toMatchObject({ status: 503, body: { status: 'error', code: 'unavailable' } });
    expect(rejected.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(rejected.text).not.toMatch(/device|extend/);
    expect(steward.logs.find((line) => line.includes(SPACE.slice(-23)) && line.includes(rejected.body.request_id))).toBeDefined();
    expect(await join()).toMatchObject({ status: 200, body: { status: 'error' } });

    for (const table of ['oauth_flows', 'waitlist']) await steward.sql(`drop trigger full_now on ${table}`);
    expect(await prepare()).toMatchObject({ status: 200, body: { status: 'success' } });
    expect((await join()).body).toEqual({ status: 'success' });
  });
});
