import { SingleFlight } from '../concurrency/single-flight.ts';
import { type AssociatedData, open, seal } from '../crypto/envelope.ts';
import type { Database, Queryable } from '../database/database.ts';
import { lockExistingUser } from '../database/user-lock.ts';
import { AppError } from '../errors.ts';
import type { RecordEvent } from '../events/events.ts';
import type { ListedTools } from '../providers/mcp/source-session.ts';
import type { ToolDefinition } from '../providers/mcp/source-settings.ts';
import { toolHash } from '../providers/mcp/tool-hash.ts';
import { boundedMap } from '../rate-limit/bounded-map.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import { type AccountRow, lockAccount, noteListed, noteUsed, raiseToolsVersion, readSoon } from './accounts-repository.ts';
import { approvedHashOf, type FileTool, type FileTools, type PinnedTool, stateOf, type ToolDecision, type ToolPin } from './pinned-tool.ts';
import { type Listed, type SealedTool, selectDefinitions, selectPins, updateDecision, upsertListed } from './source-tools-repository.ts';

/** An account whose tools are asked for, as its caller has read it. */
export type ToolsOf = Pick<AccountRow, 'id' | 'source' | 'toolsVersion'>;

export interface SourceToolsDeps {
  db: Database;
  userKeys: UserKeys;
  emit: RecordEvent;
  /** Writes a user's decision to the audit log. */
  recordDecision(tx: Queryable, userId: string, decided: ToolDecision): Promise<void>;
  /** What the integrations file lists now. */
  fileTools: FileTools;
}

/** Accounts whose hashes are remembered, and definitions: the same one for all users. */
const ACCOUNTS = 2_000;
const DEFINITIONS = 2_000;
const NOTE_USE_MS = 3600_000;
const NOTE_INCOMPLETE_MS = 5 * 60_000;
/** A list is read at most this often. */
const LEAST_TTL_SECONDS = 60;

/**
 * The tools of connections, as they were approved: by the operator, who pins a hash in the integrations file, or for each
 * connection when it was made, and then by its user. Only a definition that was approved is ever called.
 */
export class SourceTools {
  readonly #deps: SourceToolsDeps;
  readonly #pins = boundedMap<readonly ToolPin[]>(ACCOUNTS);
  readonly #definitions = boundedMap<ToolDefinition>(DEFINITIONS);
  readonly #reading = new SingleFlight<readonly ToolPin[]>();
  readonly #used: ReturnType<typeof boundedMap<true>>;
  readonly #incomplete: ReturnType<typeof boundedMap<true>>;

  /** What the integrations file lists now. */
  get fileTools(): FileTools {
    return this.#deps.fileTools;
  }

  constructor(deps: SourceToolsDeps) {
    this.#deps = deps;
    this.#used = boundedMap<true>(ACCOUNTS, { clock: deps.db.clock, ttlMs: NOTE_USE_MS });
    this.#incomplete = boundedMap<true>(ACCOUNTS, { clock: deps.db.clock, ttlMs: NOTE_INCOMPLETE_MS });
  }

  /**
   * The tools of an account that the integrations file lists, by name. A tool that its server has not listed yet is absent.
   *
   * @throws AppError `internal`, `unavailable` when definitions can't be decrypted
   */
  async of(userId: string, account: ToolsOf): Promise<ReadonlyMap<string, PinnedTool>> {
    await this.#noteUse(userId, account.id);
    const listed = this.#deps.fileTools(account.source);
    const pins = (await this.#pinsOf(userId, account)).filter(({ tool }) => listed.has(tool));
    if (pins.length < listed.size) await this.#noteIncomplete(userId, account.id);
    const approved = pins.flatMap((pin) => approvedHashOf(pin, fileTool(listed, pin.tool)) ?? []);
    const definitions = await this.definitions(userId, account.id, approved);
    return new Map(pins.map((pin) => [pin.tool, pinned(pin, fileTool(listed, pin.tool), definitions)]));
  }

  /** The definitions with these hashes that are stored for an account; those of others are left out. */
  async definitions(userId: string, accountId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, ToolDefinition>> {
    const found = new Map<string, ToolDefinition>();
    for (const hash of hashes) {
      const known = this.#definitions.get(hash);
      if (known !== undefined) found.set(hash, known);
    }
    const missing = hashes.filter((hash) => !found.has(hash));
    if (missing.length === 0) return found;
    const { db, userKeys } = this.#deps;
    const keyOf = userKeys.forRecords(db, userId);
    for (const row of await selectDefinitions(db, userId, accountId, missing)) {
      for (const column of ['approved', 'listed'] as const) {
        const [hash, record] = sealedIn(row, column);
        if (hash === null || record === null || found.has(hash)) continue;
        const text = open(await keyOf(record), placeOf(column, userId, accountId, row.tool), record).toString('utf8');
        const definition = JSON.parse(text) as ToolDefinition;
        found.set(hash, definition);
        this.#definitions.set(hash, definition);
      }
    }
    return found;
  }

  /**
   * Stores what a server lists, of the tools that the integrations file lists. The first listing of a connection approves what it
   * lists; from then on a tool that is new or differs is held, and one that is again as it was approved is allowed.
   *
   * @param ttlMs how long the server says that its list is good
   * @param unusable tools that it lists in a way that can't be used
   */
  async store(
    { userId, id }: Pick<AccountRow, 'userId' | 'id'>,
    tools: readonly ToolDefinition[],
    ttlMs: number | undefined,
    unusable: ListedTools['unusable'] = [],
  ): Promise<void> {
    const { db, userKeys } = this.#deps;
    // Cached for the transaction, which must not wait for a key service.
    await userKeys.forUser(db, userId);
    await db.transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      const account = await lockAccount(tx, userId, id);
      if (account === undefined) return;
      const changed = await this.#changes(tx, account, tools, unusable);
      if (changed.length > 0) {
        await upsertListed(tx, account, changed);
        await raiseToolsVersion(tx, userId, id);
        const { source } = account;
        await this.#deps.emit(tx, userId, 'source.tools_changed', { account: id, source, tools: changed.map(({ tool }) => tool) });
      }
      await noteListed(tx, userId, id, Math.max(LEAST_TTL_SECONDS, (ttlMs ?? 0) / 1000));
    }, userId);
  }

  /**
   * A user's decision on a tool of an account: the listed definition may be called, or the tool may not.
   *
   * @param hash of the listed definition, as the user saw it; of one that is gone, of the approved one
   * @throws AppError `not_found`; `conflict` when the tool was changed since, or the operator decides
   */
  async decide(userId: string, accountId: string, tool: string, decision: 'allow' | 'block', hash: string): Promise<void> {
    const { db, userKeys } = this.#deps;
    await userKeys.forUser(db, userId);
    await db.transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      const account = await lockAccount(tx, userId, accountId);
      const file = account && this.#deps.fileTools(account.source).get(tool);
      const pin = (await selectPins(tx, userId, accountId)).find((candidate) => candidate.tool === tool);
      if (account === undefined || file === undefined || pin === undefined) throw new AppError('not_found', 'There is no such tool.');
      if (file.hash !== undefined) throw new AppError('conflict', 'The operator of this server decides on this tool.');
      if (hash !== shownHash(pin, decision)) throw new AppError('conflict', 'The tool has changed. Look at it again.');
      const approved = decision === 'allow' ? await this.#sealAs(tx, 'approved', userId, accountId, tool, hash) : null;
      await updateDecision(tx, userId, accountId, { tool, isBlocked: decision === 'block', approved });
      await raiseToolsVersion(tx, userId, accountId);
      const { source } = account;
      await this.#deps.recordDecision(tx, userId, { accountId, source, tool, decision, hash });
      await this.#deps.emit(tx, userId, 'source.tools_changed', { account: accountId, source, tools: [tool] });
    }, userId);
  }

  async #pinsOf(userId: string, { id, toolsVersion }: ToolsOf): Promise<readonly ToolPin[]> {
    // A version is read together with its account: what is stored by the time of this statement is at least as new.
    const key = `${userId} ${id} ${toolsVersion}`;
    const known = this.#pins.get(key);
    if (known !== undefined) return known;
    return this.#reading.run(key, async () => {
      const pins = await selectPins(this.#deps.db, userId, id);
      this.#pins.set(key, pins);
      return pins;
    });
  }

  async #noteUse(userId: string, accountId: string): Promise<void> {
    if (this.#used.has(accountId)) return;
    this.#used.set(accountId, true);
    await noteUsed(this.#deps.db, userId, accountId);
  }

  /** The file may list a tool since the server was read. */
  async #noteIncomplete(userId: string, accountId: string): Promise<void> {
    if (this.#incomplete.has(accountId)) return;
    this.#incomplete.set(accountId, true);
    await readSoon(this.#deps.db, userId, accountId);
  }

  /** What differs between the stored and the listed tools, encrypted. */
  async #changes(
    tx: Queryable,
    account: AccountRow,
    tools: readonly ToolDefinition[],
    unusable: ListedTools['unusable'],
  ): Promise<Listed[]> {
    const { userId, id } = account;
    const file = this.#deps.fileTools(account.source);
    const stored = new Map((await selectPins(tx, userId, id)).map((pin) => [pin.tool, pin]));
    const listed = new Map(tools.map((tool) => [tool.name, tool]));
    const problems = new Map(unusable.map(({ name, reason }) => [name, reason]));
    const key = await this.#deps.userKeys.forUser(tx, userId);
    const changes: Listed[] = [];
    for (const [tool, { hash: operatorHash }] of file) {
      const definition = listed.get(tool);
      const before = stored.get(tool);
      const hash = definition === undefined ? null : toolHash(definition);
      const problem = problems.get(tool) ?? null;
      if ((before?.listedHash ?? null) === hash && (before?.problem ?? null) === problem) continue;
      const text = definition === undefined ? null : JSON.stringify(definition);
      const sealAs = (column: 'approved' | 'listed') => (text === null ? null : seal(key, placeOf(column, userId, id, tool), text));
      const isBaseline = account.listedAt === null && (operatorHash === undefined || operatorHash === hash);
      changes.push({ tool, hash, definition: sealAs('listed'), approved: isBaseline ? sealAs('approved') : null, problem });
    }
    return changes;
  }

  async #sealAs(tx: Queryable, column: 'approved', userId: string, accountId: string, tool: string, hash: string): Promise<Buffer> {
    const row = (await selectDefinitions(tx, userId, accountId, [hash])).find((candidate) => candidate.tool === tool);
    if (row?.listed == null) throw new AppError('conflict', 'The tool has changed. Look at it again.');
    const key = await this.#deps.userKeys.toOpen(tx, userId, row.listed);
    const text = open(key, placeOf('listed', userId, accountId, tool), row.listed);
    return seal(await this.#deps.userKeys.forUser(tx, userId), placeOf(column, userId, accountId, tool), text);
  }
}

function pinned(pin: ToolPin, file: FileTool, definitions: ReadonlyMap<string, ToolDefinition>): PinnedTool {
  const approvedHash = approvedHashOf(pin, file) ?? undefined;
  return {
    tool: pin.tool,
    state: stateOf(pin, file),
    pinnedBy: file.hash === undefined ? 'user' : 'operator',
    approvedHash,
    approved: approvedHash === undefined ? undefined : definitions.get(approvedHash),
    listedHash: pin.listedHash ?? undefined,
    problem: pin.problem ?? undefined,
  };
}

/** What a decision is about. */
function shownHash({ listedHash, approvedHash }: ToolPin, decision: 'allow' | 'block'): string | null {
  return decision === 'allow' ? listedHash : (listedHash ?? approvedHash);
}

function fileTool(listed: ReadonlyMap<string, FileTool>, tool: string): FileTool {
  return listed.get(tool) ?? {};
}

function sealedIn(row: SealedTool, column: 'approved' | 'listed'): [string | null, Buffer | null] {
  return column === 'approved' ? [row.approvedHash, row.approved] : [row.listedHash, row.listed];
}

function placeOf(column: 'approved' | 'listed', userId: string, accountId: string, tool: string): AssociatedData {
  return { table: 'source_tools', column, userId, rowId: `${accountId} ${tool}` };
}
