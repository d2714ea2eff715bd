import pg from 'pg';
import { AppError, unavailable } from '../errors.ts';

/** Errors of statements on an unusable session: 25006 it is read-only; 42P01 and 3F000 it finds no table or no schema. */
const UNUSABLE_SESSION = new Set(['25006', '42P01', '3F000']);
/**
 * SQLSTATE classes after which a connection must not be used again: 08 connection, 53 out of disk, memory or
 * connections, 58 I/O errors, 57P shutdown, 57014 and 25P03 the server's time-outs, 25006 read-only after a failover.
 */
const CONNECTION_LOST = /^(08|53|58|57P0|57014|25006|25P03)/;
const SOCKET_LOST = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH']);
const DISK_FULL = '53100';
/** lock_not_available and deadlock_detected. */
const LOCKED = new Set(['55P03', '40P01']);
const SERIALIZATION_FAILURE = '40001';
const FOREIGN_KEY_VIOLATION = '23503';

/** SQLSTATE of a driver error, '' for anything else. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** A commit succeeded on the server alone: a failover may undo it, so that its result is as unknown as that of a lost one. */
export class UnreplicatedCommit extends Error {}

export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof UnreplicatedCommit) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (CONNECTION_LOST.test(code) || SOCKET_LOST.has(code)) return true;
  // pg sets no code for these (lib/client.js): a broken socket, and its own query time-out.
  return /^(Connection terminated|Client has encountered a connection error|Query read timeout|Client was closed)/.test(error.message);
}

/** Whether the server's session, not only this statement, may be the cause. */
export function mayBeUnusableSession(error: unknown): boolean {
  return UNUSABLE_SESSION.has(sqlState(error));
}

export function isDiskFull(error: unknown): boolean {
  return sqlState(error) === DISK_FULL;
}

/** Whether a table or row stayed locked, or the statement was chosen to end a deadlock. */
export function isLocked(error: unknown): boolean {
  return LOCKED.has(sqlState(causeOf(error)));
}

/** Whether a statement has failed because of other transactions. Repeated, it may succeed. */
export function isContended(error: unknown): boolean {
  return isLocked(error) || sqlState(causeOf(error)) === SERIALIZATION_FAILURE;
}

function causeOf(error: unknown): unknown {
  return error instanceof AppError ? error.cause : error;
}

/** Whether what failed may succeed a moment later. */
export function isTransient(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'unavailable';
}

/** Whether a row refers to a user that does not exist: a replica may cache a user's token for a minute after the deletion. */
export function isUserDeleted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === FOREIGN_KEY_VIOLATION && error.constraint?.endsWith('_user_id_fkey') === true;
}

export function databaseUnavailable(cause: unknown): AppError {
  return unavailable('The database can’t be reached at the moment.', cause);
}

export function databaseContended(cause: unknown): AppError {
  return new AppError('unavailable', 'Another request is changing the same data. Try again.', { cause, retryAfter: 1 });
}

/** The error of a caller whose user is deleted; a verified token may be cached from before. */
export function userDeleted(cause?: unknown): AppError {
  return new AppError('invalid_token', 'This user no longer exists.', { cause });
}

/** For work that ends with its user. @throws any other error */
export function ignoreUserDeleted(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'invalid_token') throw error;
}
