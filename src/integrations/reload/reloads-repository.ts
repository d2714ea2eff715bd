import type { Queryable } from '../../database/database.ts';

export interface Reload {
  /** Counts the reloads of all replicas. */
  generation: number;
  /** Revision of the file that the last requested replica has read; empty: there was no request yet. */
  revision: string;
}

/** A connection that died without a word must not keep the news for long. */
const TIMEOUT_MS = 2_000;

export async function selectReload(db: Queryable): Promise<Reload> {
  const statement = {
    name: 'integrations-reload',
    text: 'select generation, revision from integrations_reloads',
    query_timeout: TIMEOUT_MS,
  };
  const [row] = await db.query<{ generation: string; revision: string }>(statement);
  return { generation: Number(row?.generation ?? 0), revision: row?.revision ?? '' };
}

/** @returns the new generation */
export async function raiseGeneration(db: Queryable, revision: string): Promise<number> {
  const [row] = await db.query<{ generation: string }>(
    'update integrations_reloads set generation = generation + 1, revision = $1 returning generation',
    [revision],
  );
  return Number(row?.generation ?? 0);
}
