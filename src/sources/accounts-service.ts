import { lockUser } from '../database/user-lock.ts';
import { AppError } from '../errors.ts';
import type { ToolDefinition } from '../providers/mcp/source-settings.ts';
import { type AccountRow, ensureDefault, lockAccount, makeDefault, selectAccount, selectAccounts } from './accounts-repository.ts';
import { approvedHashOf, type FileTools, stateOf, type ToolPin, type ToolState } from './pinned-tool.ts';
import { changedFields } from './shown-definition.ts';
import type { SourceDeps } from './source-deps.ts';
import { selectPins, selectPinsOfUser } from './source-tools-repository.ts';

/** An account with how many of its tools are in each state. */
export type CountedAccount = AccountRow & { tools: Record<ToolState, number> };

/** A user's connections to sources, oldest first. */
export async function listAccounts({ db, fileTools }: SourceDeps, userId: string): Promise<CountedAccount[]> {
  const pins = Map.groupBy(await selectPinsOfUser(db, userId), ({ accountId }) => accountId);
  return (await selectAccounts(db, userId)).map((account) => ({
    ...account,
    tools: countsOf(fileTools, account, pins.get(account.id) ?? []),
  }));
}

/**
 * Disconnects an account: it cannot be used from now on, and its tokens are revoked in the background.
 *
 * @throws AppError `not_found`
 */
export async function disconnectAccount({ db, grants, emit }: SourceDeps, userId: string, accountId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUser(tx, userId);
    const account = await lockAccount(tx, userId, accountId);
    if (account === undefined) throw noSuchAccount();
    await grants.end(tx, userId, account.grantId);
    await ensureDefault(tx, userId, account.source);
    await emit(tx, userId, 'account.disconnected', { account: accountId, provider: 'mcp' });
  }, userId);
}

/** Makes an account the default of its source. @throws AppError `not_found` */
export async function setDefaultAccount({ db }: SourceDeps, userId: string, accountId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUser(tx, userId);
    if (!(await makeDefault(tx, userId, accountId))) throw noSuchAccount();
  }, userId);
}

/** A tool of an account, as its user sees it. */
export interface ShownTool {
  tool: string;
  state: ToolState;
  pinnedBy: 'operator' | 'user';
  /** Of the listed definition; of a tool that is gone, of the approved one. A decision names it. */
  hash: string | undefined;
  /** Why what its server lists can't be used. */
  problem: string | undefined;
  /** What may be called. */
  approved: ToolDefinition | undefined;
  /** What the server lists. */
  listed: ToolDefinition | undefined;
  /** Fields in which they differ. */
  changed: string[];
}

/** The tools of an account that the integrations file lists. @throws AppError `not_found` */
export async function listTools({ db, fileTools, tools }: SourceDeps, userId: string, accountId: string): Promise<ShownTool[]> {
  const account = await selectAccount(db, userId, accountId);
  if (account === undefined) throw noSuchAccount();
  const pins = new Map((await selectPins(db, userId, accountId)).map((pin) => [pin.tool, pin]));
  const hashes = [...pins.values()].flatMap(({ approvedHash, listedHash }) => [approvedHash, listedHash]).filter((hash) => hash !== null);
  const definitions = await tools.definitions(userId, accountId, hashes);
  return [...fileTools(account.source)].map(([tool, file]) => {
    const pin = pins.get(tool) ?? unlisted(tool);
    const listed = definitions.get(pin.listedHash ?? '');
    const approved = definitions.get(approvedHashOf(pin, file) ?? '');
    return {
      tool,
      state: stateOf(pin, file),
      pinnedBy: file.hash === undefined ? 'user' : 'operator',
      hash: pin.listedHash ?? pin.approvedHash ?? undefined,
      problem: pin.problem ?? undefined,
      approved,
      listed,
      changed: changedFields(approved, listed),
    };
  });
}

function countsOf(fileTools: FileTools, { source }: AccountRow, pins: readonly ToolPin[]): Record<ToolState, number> {
  const counts = { allowed: 0, held: 0, blocked: 0, gone: 0 };
  const byTool = new Map(pins.map((pin) => [pin.tool, pin]));
  for (const [tool, file] of fileTools(source)) counts[stateOf(byTool.get(tool) ?? unlisted(tool), file)] += 1;
  return counts;
}

function unlisted(tool: string): ToolPin {
  return { tool, approvedHash: null, listedHash: null, problem: null, isBlocked: false };
}

function noSuchAccount(): AppError {
  return new AppError('not_found', 'There is no such account.');
}
