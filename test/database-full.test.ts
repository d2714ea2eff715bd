import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSteward, type TestSteward } from './support/steward.ts';

const SPACE = 'could not extend file "base/5/16384": No space left on device';

let steward: TestSteward;
let token: string;

beforeAll(async () => {
  steward = await startSteward();
  token = await steward.signIn();
  // What the database says when its disk is full (SQLSTATE 53100), and when it has no memory left (53200).
  for (const code of ['53100', '53200'])
    await steward.sql(
      `create function full_${code}() returns trigger language plpgsql as $$ begin raise exception '${SPACE}' using errcode = '${code}'; end $$`,
    );
});

afterAll(() => steward.stop());

const prepare = () => steward.call('/workspace_access_request', { token, form: { email: 'demo@example.com' } });
const join = () => steward.call('/waitlist', { form: { email: 'ana@example.com' } });

describe.each(['53100', '53200'])('a database that lacks room (%s)', (code) => {
  it('is told as unavailable, is named in the log, and serves again once it has room', async () => {
    for (const table of ['oauth_flows', 'waitlist'])
      await steward.sql(`create trigger full_now before insert on ${table} execute function full_${code}()`);
    const refused = await prepare();
    expect(refused).toMatchObject({ status: 503, body: { status: 'error', code: 'unavailable' } });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(refused.text).not.toMatch(/device|extend/);
    expect(steward.logs.find((line) => line.includes(SPACE.slice(-23)) && line.includes(refused.body.request_id))).toBeDefined();
    expect(await join()).toMatchObject({ status: 200, body: { status: 'error' } });

    for (const table of ['oauth_flows', 'waitlist']) await steward.sql(`drop trigger full_now on ${table}`);
    expect(await prepare()).toMatchObject({ status: 200, body: { status: 'success' } });
    expect((await join()).body).toEqual({ status: 'success' });
  });
});
