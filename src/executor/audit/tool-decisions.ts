import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { ToolDecision } from '../../sources/pinned-tool.ts';
import { AuditEntryBuilder, auditedName } from './audit-log.ts';
import { insertAuditRows } from './audit-repository.ts';

const SURFACE = 'http';
const DECISIONS = { allow: 'tool_allowed', block: 'tool_blocked' } as const;

/** Writes a user's decision on a tool of a source to the audit log, in the transaction that makes it. */
export async function recordToolDecision(tx: Queryable, clock: Clock, userId: string, decided: ToolDecision): Promise<void> {
  const { accountId, source, tool, decision, hash } = decided;
  const entry = new AuditEntryBuilder(clock, randomUUID(), userId, SURFACE, auditedName(`${source}/${tool}`));
  await insertAuditRows(tx, [{ ...entry.row('ok', DECISIONS[decision]), accountId, definitionHash: hash }]);
}
