/**
 * Functions whose statements address rows of users without the user's id, by the reason. Each must need it. docs/scale.md
 * says what they mean for a distributed database.
 */
export const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'It finds out whose request this is, by an identity or a secret that names no user.': [
    'src/users/users-repository.ts selectUser',
    'src/users/users-repository.ts upsertUser',
    'src/sign-in/web-sessions-repository.ts selectWebSession',
    'src/sign-in/web-sessions-repository.ts deleteWebSession',
    'src/executor/client-grants-repository.ts selectGrantOfToken',
    'src/executor/client-grants-repository.ts selectClientGrantOfHash',
    'src/workspace/flows-repository.ts selectTicketUser',
    'src/workspace/flows-repository.ts selectFlow',
    'src/workspace/flows-repository.ts claimFlow',
    'src/oauth/entries-repository.ts selectEntry',
    'src/oauth/entries-repository.ts selectArrival',
    'src/oauth/entries-repository.ts selectClientOfGrant',
    'src/oauth/entries-repository.ts selectClientOfToken',
  ],
  'An entry of the authorization server, by its model and the hash of its secret: its library names no user.': [
    'src/oauth/entries-repository.ts selectGrantEntry',
    'src/oauth/entries-repository.ts insertClient',
    'src/oauth/entries-repository.ts keepClient',
    'src/oauth/entries-repository.ts consumeEntry',
    'src/oauth/entries-repository.ts storeResponse',
    'src/oauth/entries-repository.ts markResponseSent',
    'src/oauth/entries-repository.ts selectResponse',
    'src/oauth/entries-repository.ts deleteEntry',
    'src/oauth/entries-repository.ts deleteEntriesOfGrant',
  ],
  'An account of a provider, which several users may have connected: whose they are is the question.': [
    'src/bank/webhooks-repository.ts insertWebhook',
    'src/bank/webhooks-repository.ts selectWebhook',
    'src/vault/grants-repository.ts isSubjectInUse',
  ],
  'Deletes what has expired, of all users, a bounded number of rows a statement.': [
    'src/assistant/runs-retention-repository.ts deleteOldRuns',
    'src/assistant/runs-retention-repository.ts deleteOldChunks',
    'src/events/events-repository.ts deleteOldEvents',
    'src/executor/allowances-repository.ts deleteExpiredAllowances',
    'src/executor/approval-outcomes-repository.ts deleteOldOutcomes',
    'src/executor/approvals-repository.ts deleteOldApprovals',
    'src/executor/audit-repository.ts deleteOldAuditRows',
    'src/executor/client-grants-repository.ts deleteOldClientGrants',
    'src/executor/idempotency-repository.ts deleteOldKeys',
    'src/executor/taint-repository.ts deleteOldContexts',
    'src/oauth/entries-repository.ts deleteOldEntries',
    'src/sign-in/web-sessions-repository.ts deleteExpiredWebSessions',
    'src/users/erasures-repository.ts deleteOldErasures',
    'src/users/users-repository.ts deleteOldTombstones',
    'src/vault/rotation/key-rotation-repository.ts deleteFormerKeys',
    'src/workspace/bindings-repository.ts deleteExpiredBindings',
    'src/workspace/flows-repository.ts deleteOldFlows',
  ],
  'Takes what is due next, of all users.': [
    'src/assistant/runs-repository.ts selectAbandoned',
    'src/bank/items-repository.ts leaseDueItems',
    'src/users/erasures-repository.ts claimErasure',
    'src/vault/ended-grants-repository.ts claimEndedGrant',
    'src/workspace/flows-repository.ts selectExpiredConfirmations',
  ],
  'A change of the configuration, which concerns all users.': [
    'src/executor/allowances-repository.ts deleteReconfiguredAllowances',
    'src/executor/approvals-repository.ts selectUsersToEnd',
  ],
  'A replica’s poll, once for all its users.': [
    'src/events/events-repository.ts selectNewEvents',
    'src/events/events-repository.ts selectSettledId',
    'src/users/erasures-repository.ts selectDeletedSince',
  ],
  'Counts for metrics, of at most some thousand rows.': [
    'src/metrics/metrics-repository.ts countAttention',
    'src/metrics/metrics-repository.ts countErasures',
    'src/metrics/metrics-repository.ts countKeyedRows',
    'src/metrics/metrics-repository.ts countRevocations',
  ],
  'Deletes the rows of one user: they are found by the id, and deleted by where they lie.': [
    'src/users/erasures-repository.ts deleteChunk',
  ],
  'Tombstones of deleted users, by the hash of an identity.': [
    'src/users/export-repository.ts selectUser',
    'src/vault/name-hashes-repository.ts selectUnkeyedIdentities',
    'src/vault/name-hashes-repository.ts replaceIdentities',
  ],
  'A command or the start of the service, over all users: keys, exports and imports of the whole database.': [
    'src/database/table-transfer.ts finishTransfer',
    'src/database/table-transfer.ts lockEmpty',
    'src/database/table-transfer.ts readRows',
    'src/users/erasures-repository.ts selectDeletions',
    'src/vault/rotation/key-rotation-repository.ts countExposed',
    'src/vault/rotation/key-rotation-repository.ts countUnderOthers',
    'src/vault/rotation/key-rotation-repository.ts selectExposedUsers',
    'src/vault/rotation/key-rotation-repository.ts selectUnderOthers',
    'src/vault/rotation/key-rotation-repository.ts updateWrapped',
    'src/vault/rotation/master-keys-repository.ts countMasterKeyUses',
    'src/vault/rotation/master-keys-repository.ts selectMasterKeys',
  ],
};

/** Functions that send texts which only the running program knows, with the reason. */
export const UNREAD: ReadonlyMap<string, string> = new Map([
  ['src/database/database.ts run', 'sends the statements of others'],
  ['src/database/database.ts transaction', 'sends `begin` with time-outs'],
  ['src/database/database.ts executeSql', 'sends the statements of pg-boss, whose tables have no rows of users'],
  ['src/database/table-transfer.ts writeRows', 'inserts whole rows of an export, by the columns that the database has'],
]);
