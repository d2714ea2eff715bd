import type { Sql } from './world.ts';

/** Inside the service's own transactions: what is in here was known to it once, what is not never was. */
const REMEMBER = `
  create schema faults;
  create table faults.stored (provider text, subject text);
  create function faults.remember() returns trigger language plpgsql as
    $$ begin insert into faults.stored values (new.provider, new.subject); return null; end $$;
  create trigger remember after insert or update of subject on grants for each row execute function faults.remember();
  create trigger remember after insert on revocations for each row execute function faults.remember();`;

/** Has the database remember every consent and item that was ever stored, also once its user is gone. After the migrations. */
export async function rememberStored(sql: Sql): Promise<void> {
  await sql(REMEMBER);
}

/** @returns those of the providers' ids that the service has stored at any time */
export async function onceStored(sql: Sql, provider: 'workspace' | 'bank', subjects: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ subject: string }>('select distinct subject from faults.stored where provider = $1 and subject = any($2)', [
    provider,
    subjects,
  ]);
  return new Set(rows.map(({ subject }) => subject));
}
