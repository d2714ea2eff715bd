import type { Queryable } from '../database/database.ts';
import type { GrantStatus, Provider } from './grants-repository.ts';

export interface StatusChange {
  userId: string;
  grantId: string;
  provider: Provider;
  status: GrantStatus;
}

/** Told, inside the transaction that changes it, when a grant's status becomes another one. */
export type RecordStatus = (tx: Queryable, change: StatusChange) => Promise<void>;
