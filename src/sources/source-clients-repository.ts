import type { Queryable } from '../database/database.ts';

/** This service's client at an authorization server, encrypted. */
export interface ClientRow {
  issuer: string;
  registration: Buffer;
}

export async function selectClients(db: Queryable, source: string): Promise<ClientRow[]> {
  return db.query<ClientRow>('select issuer, registration from source_clients where source = $1', [source]);
}

export async function upsertClient(db: Queryable, source: string, { issuer, registration }: ClientRow): Promise<void> {
  await db.query(
    `insert into source_clients (source, issuer, registration) values ($1, $2, $3)
     on conflict (source, issuer) do update set registration = excluded.registration, created_at = now()`,
    [source, issuer, registration],
  );
}
