import { describe, expect, it } from 'vitest';
import { permittedAccounts } from '../../../src/executor/call/client-grant.ts';

const ACCOUNTS = [{ id: 'mail' }, { id: 'bank' }, { id: 'later' }];
const grant = (accountIds: string[] | null, exceptAccountIds: string[]) =>
  ({ id: 'grant', userId: 'user', kind: 'oauth', actions: ['*'], access: 'read', accountIds, exceptAccountIds }) as const;

describe('the accounts that a client may use', () => {
  it.each([
    ['all', grant(null, []), ['mail', 'bank', 'later']],
    ['all except those left out', grant(null, ['bank']), ['mail', 'later']],
    ['those named', grant(['mail'], []), ['mail']],
  ])('are %s', (_which, client, ids) => {
    expect(permittedAccounts(client, ACCOUNTS).map(({ id }) => id)).toEqual(ids);
  });

  it('are all of them for the user in person', () => {
    expect(permittedAccounts(undefined, ACCOUNTS)).toBe(ACCOUNTS);
  });
});
