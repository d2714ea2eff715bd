import { randomUUID } from 'node:crypto';
import { parseKeyset } from '../../src/config/master-key-list.ts';
import { Keyring } from '../../src/crypto/keyring.ts';
import { Database } from '../../src/database/database.ts';
import { deleteExpiredRows } from '../../src/database/retention.ts';
import { type AuditRow, countStarted, insertAuditRows } from '../../src/executor/audit/audit-repository.ts';
import { CountsInDatabase } from '../../src/metrics/database-counts.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { selectAuditEntries } from '../../src/users/audit-entries-repository.ts';
import { walkErasure } from '../../src/users/erasures.ts';
import { UserExports } from '../../src/users/export-service.ts';
import { deleteUser } from '../../src/users/users-repository.ts';
import { SubjectHasher } from '../../src/vault/keys/subject-hasher.ts';
import { UserKeys } from '../../src/vault/keys/user-keys.ts';
import { checkKeys } from '../../src/vault/rotation/check-keys.ts';
import { rewrapAll } from '../../src/vault/rotation/key-rotation.ts';
import { countUnderOthers } from '../../src/vault/rotation/key-rotation-repository.ts';
import { shown, timeStatements } from './timed-statements.ts';

/** Milliseconds. */
export const LONGEST_STATEMENT = 100;
const TIMES = 200;
const PAGE = 51;
const BATCH = 128;
const REWRAPPED = 20_000;

/** One operation: its statements, and how long they took, milliseconds. */
export interface RowsFigure {
  operation: string;
  statements: number;
  median: number;
  longest: number;
  /** The beginning of the one that took longest. */
  slowest: string;
  total: number;
}

interface Town {
  db: Database;
  /** Has most rows. */
  heavy: string;
  /** With few. */
  other: string;
  exports: UserExports;
  issuer: string;
  /** Whose first key wraps no user key yet. */
  nextKeys: Keyring;
}

const OPERATIONS: Record<string, (town: Town) => Promise<unknown>> = {
  'page, newest rows of the user with most': ({ db, heavy }) => repeat(() => selectAuditEntries(db, heavy, PAGE, null)),
  'page, rows of another user': ({ db, other }) => repeat(() => selectAuditEntries(db, other, PAGE, null)),
  'pages to the end of 5,000 rows': async ({ db, heavy }) => {
    let before: string | null = null;
    for (let pages = 0; pages < 100; pages += 1) before = (await selectAuditEntries(db, heavy, PAGE, before))?.at(-1)?.id ?? null;
  },
  'rate of an action over a day': ({ db, heavy }) => repeat(() => countStarted(db, heavy, ['mail.send'], 86_400_000)),
  '128 audit rows in one statement': ({ db, heavy }) =>
    repeat(() =>
      insertAuditRows(
        db,
        Array.from({ length: BATCH }, () => auditRow(heavy)),
      ),
    ),
  'export of the user with most': ({ exports, heavy, issuer }) => exports.of(caller(heavy, issuer)),
  'counts of the metrics': ({ db }) => new CountsInDatabase(db, async () => []).read(),
  'retention of the default partition': ({ db }) => deleteExpiredRows(db, 'audit_log'),
  'keys wrapped again, 200 in a statement': ({ db, nextKeys }) => rewrapSome(db, nextKeys),
  'count of keys under other master keys': ({ db, nextKeys }) => countUnderOthers(db, nextKeys.primaryId),
  'erasure of the user with most': async ({ db, heavy }) => {
    await db.transaction((tx) => deleteUser(tx, heavy, Buffer.from(randomUUID()), Date.now() / 1000));
    await walkErasure(db, heavy);
  },
};

/**
 * What each operation takes beside many rows of many users. The last one deletes the user with most.
 *
 * @param nextKeys another master key first, then those of the environment
 */
export async function measureRows(env: Record<string, string>, other: string, heavy: string, nextKeys: string): Promise<RowsFigure[]> {
  const logger = createLogger('silent');
  const db = new Database({ connectionString: env.DATABASE_URL ?? '' }, 4, logger);
  const keyring = new Keyring(parseKeyset(env.MASTER_KEYS ?? ''), { logger });
  const next = new Keyring(parseKeyset(nextKeys), { logger });
  await checkKeys(db, next);
  const names = new SubjectHasher(db, keyring);
  const exports = new UserExports({ db, clock: db.clock, userKeys: new UserKeys(keyring), names, perMinute: TIMES });
  const figures: RowsFigure[] = [];
  for (const [operation, work] of Object.entries(OPERATIONS)) {
    const took = timeStatements(db);
    await work({ db, heavy, other, exports, issuer: env.OIDC_ISSUER ?? '', nextKeys: next });
    const sorted = took.toSorted((a, b) => a.ms - b.ms);
    const last = sorted.at(-1);
    figures.push({
      operation,
      statements: took.length,
      median: sorted[Math.floor(sorted.length / 2)]?.ms ?? Number.NaN,
      longest: last?.ms ?? Number.NaN,
      slowest: last === undefined ? '' : shown(last),
      total: took.reduce((sum, { ms }) => sum + ms, 0),
    });
  }
  await db.close();
  return figures;
}

async function repeat(work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < TIMES; time += 1) await work();
}

/** The command does the rest. */
async function rewrapSome(db: Database, keyring: Keyring): Promise<void> {
  const enough = new AbortController();
  let done = 0;
  const advance = (keys: number) => {
    done += keys;
    if (done >= REWRAPPED) enough.abort();
  };
  const unreadable = (what: string) => {
    throw new Error(`${what} can't be decrypted`);
  };
  await rewrapAll(db, keyring, { signal: enough.signal, advance, unreadable }).catch((error: unknown) => {
    if (!enough.signal.aborted) throw error;
  });
}

export function auditRow(userId: string): AuditRow {
  const about = {
    surface: 'socket',
    clientId: null,
    decidedSurface: null,
    action: 'mail.labels',
    accountId: null,
    argumentsHash: null,
  } as const;
  return { callId: randomUUID(), userId, ...about, decision: 'allowed', outcome: 'ok', milliseconds: 40 };
}

function caller(userId: string, issuer: string) {
  return { userId, issuer, subject: userId, label: '', email: null, authTime: 0, issuedAt: 0, expiresAt: 0 };
}
