import type { Queryable } from '../database/database.ts';

/** This service's client at an authorization server, encrypted. */
export interface ClientRow {
  issuer: string;
  registration: Buffer;
}

export async function selectClients(db: Queryable, source: string): Promise<ClientRow[]> {
  return db.query<ClientRow>('select issuer, registration from source_clients where source = $1', [source]);
}

/** @returns what is kept already, locked until the end of the transaction; undefined: nothing was, and this is now */
export async function insertOrLockClient(tx: Queryable, source: string, { issuer, registration }: ClientRow): Promise<Buffer | undefined> {
  const inserted = await tx.query(
    `insert into source_clients (source, issuer, registration) values ($1, $2, $3)
     on conflict (source, issuer) do nothing returning issuer`,
    [source, issuer, registration],
  );
  if (inserted.length > 0) return undefined;
  const [kept] = await tx.query<ClientRow>('select issuer, registration from source_clients where source = $1 and issuer = $2 for update', [
    source,
    issuer,
  ]);
  return kept?.registration;
}

export async function updateClient(tx: Queryable, source: string, { issuer, registration }: ClientRow): Promise<void> {
  await tx.query('update source_clients set registration = $3, created_at = now() where source = $1 and issuer = $2', [
    source,
    issuer,
    registration,
  ]);
}
