import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { Identity } from '../../../src/identity/verifier.ts';
import { Sessions } from '../../../src/users/sessions.ts';
import { deleteUser } from '../../../src/users/users-repository.ts';
import { hasPostgres } from '../../support/database/postgres.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

describe('a token in many concurrent requests', () => {
  let steward: TestSteward;
  let sessions: Sessions;
  /** Tokens being verified, in order; each waits for its result. */
  let asked: { token: string; answer: PromiseWithResolvers<Identity> }[];

  beforeAll(async () => {
    steward = await startSteward();
  });
  afterAll(() => steward.stop());
  beforeEach(() => {
    asked = [];
    const verify = (token: string) => {
      const response = Promise.withResolvers<Identity>();
      asked.push({ token, answer: response });
      return response.promise;
    };
    sessions = new Sessions(steward.context.db, verify, steward.context.names, []);
  });

  const identity = (subject: string): Identity => {
    const seconds = Math.floor(steward.clock.now() / 1000);
    const email = `${subject}@example.com`;
    return {
      issuer: 'https://issuer.test',
      subject,
      email,
      emailVerified: true,
      authTime: seconds,
      issuedAt: seconds,
      expiresAt: seconds + 600,
    };
  };

  it('is verified once for all of them, and not again within the minute', async () => {
    const first = Array.from({ length: 10 }, () => sessions.authenticate('one'));
    const other = sessions.authenticate('other');
    asked[0]?.answer.resolve(identity('one'));
    asked[1]?.answer.resolve(identity('other'));
    const callers = await Promise.all([...first, sessions.authenticate('Bearer one'), other, sessions.authenticate('one')]);
    expect(asked.map(({ token }) => token)).toEqual(['one', 'other']);
    expect(new Set(callers.map(({ userId }) => userId)).size).toBe(2);
    expect(callers.map(({ subject }) => subject)).toEqual([...Array<string>(11).fill('one'), 'other', 'one']);
    await sessions.authenticate('one');
    expect(asked).toHaveLength(2);
    await steward.clock.advance(60_000);
    const again = sessions.authenticate('one');
    expect(asked).toHaveLength(3);
    asked[2]?.answer.resolve(identity('one'));
    await again;
  });

  it('is not accepted after its expiry, also within the minute', async () => {
    const first = sessions.authenticate('short');
    asked[0]?.answer.resolve({ ...identity('short'), expiresAt: steward.clock.now() / 1000 + 30 });
    await first;
    await steward.clock.advance(30_000);
    const again = sessions.authenticate('short');
    expect(asked).toHaveLength(2);
    asked[1]?.answer.reject(new AppError('token_expired', 'Over.'));
    await expect(again).rejects.toMatchObject({ code: 'token_expired' });
  });

  it('is rejected for all of them, and verified again in the next request', async () => {
    const rejected = [sessions.authenticate('bad'), sessions.authenticate('bad')];
    asked[0]?.answer.reject(new AppError('invalid_token', 'No.'));
    for (const one of rejected) await expect(one).rejects.toMatchObject({ code: 'invalid_token' });
    const again = sessions.authenticate('bad');
    expect(asked).toHaveLength(2);
    asked[1]?.answer.resolve(identity('two'));
    expect((await again).subject).toBe('two');
  });

  it('is not cached by a verification that a deletion has overtaken, nor shared with later requests', async () => {
    const before = sessions.authenticate('late');
    sessions.forget('whoever');
    const after = sessions.authenticate('late');
    expect(asked).toHaveLength(2);
    asked[0]?.answer.resolve(identity('late'));
    await before;
    const third = sessions.authenticate('late');
    expect(asked).toHaveLength(2);
    asked[1]?.answer.reject(new AppError('invalid_token', 'Deleted.'));
    for (const one of [after, third]) await expect(one).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it.skipIf(!hasPostgres)('from before a deletion leaves no user behind, though its address has changed', async () => {
    const { db, names } = steward.context;
    const old = identity('gone');
    const { userId } = await sessions.callerOf(old);
    const hash = await names.identity(old.issuer, old.subject);
    let late: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await deleteUser(tx, userId, hash, old.issuedAt);
      late = sessions.callerOf({ ...old, email: 'new@example.com' });
      late.catch(() => {});
      // It has found the user, and waits for the row.
      const waiting = `select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into users%'`;
      await eventually(async () => (await steward.sql(waiting)).length > 0);
    });
    await expect(late).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await steward.sql('select 1 from users where subject = $1', [old.subject])).toEqual([]);
  });
});
