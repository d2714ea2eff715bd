import type { Sql } from './world.ts';

/** Written within the service's own transactions: everything that it has ever stored. */
const REMEMBER = `
  create schema faults;
  create table faults.stored (provider text, subject text);
  create function faults.remember() returns trigger language plpgsql as
    $$ begin insert into faults.stored values (new.provider, new.subject); return null; end $$;
  create trigger remember after insert or update of subject on grants for each row execute function faults.remember();
  create trigger remember after insert on revocations for each row execute function faults.remember();`;

/** Makes the database record every consent and item that was ever stored, also after the deletion of its user. After the migrations. */
export async function rememberStored(sql: Sql): Promise<void> {
  await sql(REMEMBER);
}

/** @returns those of the providers' ids that the service has ever stored */
export async function onceStored(sql: Sql, provider: 'workspace' | 'bank', subjects: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ subject: string }>('select distinct subject from faults.stored where provider = $1 and subject = any($2)', [
    provider,
    subjects,
  ]);
  return new Set(rows.map(({ subject }) => subject));
}
