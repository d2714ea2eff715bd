import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';
import { problemsOf } from '../../support/sql/query-rules.ts';
import { problemsIn } from '../../support/sql/sent-statements.ts';
import { type Catalog, readCatalog } from '../../support/sql/sql-catalog.ts';

let catalog: Catalog;

beforeAll(async () => {
  await loadModule();
  catalog = readCatalog();
});

function judge(sql: string): string[] {
  return problemsOf(sql, catalog).map(({ verb, table }) => `${verb} ${table}`);
}

describe('the check of statements', () => {
  it.each([
    ['an id alone', 'select * from grants where id = $1', ['reads grants']],
    ['an update by an id', "update approvals set status = 'ended' where id = $1", ['updates approvals']],
    [
      'a deletion by an address',
      'delete from events where ctid = any(array(select ctid from events where user_id = $1))',
      ['deletes events'],
    ],
    ['one side of an or', 'select 1 from grants where user_id = $1 or id = $2', ['reads grants']],
    ['another comparison', 'select 1 from grants where user_id <> $1', ['reads grants']],
    ['a pair without an end', 'select 1 from audit_log where (user_id, id) > ($1, 0)', ['reads audit_log']],
    ['a join by another column', 'select 1 from bank_items i join grants g on g.id = i.grant_id where i.user_id = $1', ['reads grants']],
    ['the outer side of a join', 'select 1 from grants g left join bank_items i on g.user_id = $1 and i.user_id = $1', ['reads grants']],
    ['a subquery', 'select 1 from grants where user_id = $1 and exists (select 1 from approvals where id = $2)', ['reads approvals']],
    [
      'a subquery that is compared',
      'update erasures set clean_at = now() where user_id = (select user_id from erasures limit 1)',
      ['updates erasures', 'reads erasures'],
    ],
    ['a part of with', 'with a as (select id from approvals where id = $1) select 1 from a', ['reads approvals']],
    ['a part of a union', 'select id from grants where user_id = $1 union all select id from grants where id = $1', ['reads grants']],
    [
      'an insertion of others’ rows',
      'insert into contexts (user_id, name) select user_id, $1 from threads where id = $2',
      ['inserts into contexts', 'reads threads'],
    ],
    [
      'a list that a subquery reads',
      'select 1 from grants where user_id = any(array(select user_id from runs))',
      ['reads grants', 'reads runs'],
    ],
    ['a view', 'select 1 from connected_accounts where grant_id = $1', ['reads connected_accounts']],
    ['a cursor', 'declare c cursor for select 1 from messages', ['reads messages']],
  ])('rejects %s', (_name, sql, problems) => {
    expect(judge(sql).sort()).toEqual(problems.sort());
  });

  it.each([
    ['a parameter', 'select 1 from grants where id = $1::uuid and user_id = $2::uuid'],
    ['the users themselves', 'select 1 from users where id = $1'],
    ['one of a list', 'select 1 from runs where user_id = any($1::uuid[])'],
    ['a pair with an end', 'select 1 from audit_log where (user_id, id) > ($1, 0) and (user_id, id) <= ($1, $2)'],
    ['a join by the user', 'select 1 from bank_items i join grants g on g.id = i.grant_id and g.user_id = i.user_id where i.user_id = $1'],
    [
      'rows that the caller gives',
      'select 1 from unnest($1::uuid[], $2::uuid[]) as a (id, user_id) join grants g on g.id = a.id and g.user_id = a.user_id',
    ],
    ['rows of a list in a list', 'select 1 from unnest(array(select unnest($1::uuid[]))) as a (id) join user_keys k on k.user_id = a.id'],
    ['the inner side of a join', 'select 1 from users u left join bank_items i on i.user_id = u.id where u.id = $1'],
    ['a correlated subquery', 'select exists (select 1 from approvals a where a.user_id = g.user_id) from grants g where g.user_id = $1'],
    [
      'a lateral subquery',
      'select 1 from users u cross join lateral (select 1 from events where user_id = u.id limit 1) e where u.id = $1',
    ],
    [
      'the result of a part of with',
      'with h as (update users set event_seq = 1 where id = $1 returning id) insert into events (user_id, seq) select id, 1 from h',
    ],
    ['tables without users', 'delete from waitlist where email = $1; select 1 from pgboss.job'],
  ])('accepts %s', (_name, sql) => {
    expect(judge(sql)).toEqual([]);
  });

  it('knows the tables of the migrations', () => {
    expect(catalog.get('users')?.userColumn).toBe('id');
    expect(catalog.get('approvals')?.columns).toContain('thread_id');
    expect(catalog.get('connected_accounts')?.userColumn).toBe('user_id');
    expect(catalog.get('waitlist')?.userColumn).toBeUndefined();
  });
});

describe('a statement for rows of all users', () => {
  it('says so, with the reason', () => {
    const deletion = 'delete from runs where ended_at < now()';
    expect(problemsIn(`${deletion} /* all users: what has expired */`, catalog)).toEqual([]);
    expect(problemsIn(deletion, catalog)).toEqual([`deletes runs without the user’s id: ${deletion}`]);
    expect(problemsIn(`${deletion} /* all users: */`, catalog)).toHaveLength(1);
  });

  it('has to need it', () => {
    expect(problemsIn('select 1 from runs where user_id = $1 /* all users: habit */', catalog)).toHaveLength(1);
  });

  it('is also one on a partition', () => {
    expect(judge('delete from audit_log_2027_02 where at < now()')).toEqual(['deletes audit_log_2027_02']);
    expect(judge('delete from events_default where created_at < now()')).toEqual(['deletes events_default']);
  });
});
