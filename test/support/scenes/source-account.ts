import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../../src/database/database.ts';
import { recordToolDecision } from '../../../src/executor/audit/tool-decisions.ts';
import { accessCredential } from '../../../src/providers/mcp/credentials.ts';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { insertAccount } from '../../../src/sources/accounts-repository.ts';
import type { FileTool, ToolDecision } from '../../../src/sources/pinned-tool.ts';
import { SourceTools } from '../../../src/sources/source-tools.ts';
import type { TestSteward } from '../steward.ts';

/** The tools of a source that does not exist, as a file lists them that a test changes. */
export class PinnedSource {
  readonly file = new Map<string, FileTool>();
  readonly tools: SourceTools;
  readonly name: string;
  readonly #steward: TestSteward;

  constructor(steward: TestSteward, name: string) {
    this.#steward = steward;
    this.name = name;
    this.tools = this.replica();
  }

  /** Another process, which has read nothing. */
  replica(): SourceTools {
    const { db, userKeys, emit, clock } = this.#steward.context;
    const recordDecision = (tx: Queryable, userId: string, decided: ToolDecision) => recordToolDecision(tx, clock, userId, decided);
    const fileTools = (source: string) => (source === this.name ? this.file : new Map());
    return new SourceTools({ db, userKeys, emit, recordDecision, fileTools });
  }

  /** A connection of the user's whose tools were not read yet. @returns its id */
  async connect(userId: string): Promise<string> {
    const { db, grants, userKeys } = this.#steward.context;
    await userKeys.forUser(db, userId);
    const id = randomUUID();
    const url = 'https://tickets.example/mcp';
    await db.transaction(async (tx) => {
      const tokens = { accessToken: accessCredential({ url }) };
      const grant = { userId, provider: 'mcp', subject: id, tokens, scopes: [], expiresAt: null };
      await insertAccount(tx, { id, userId, grantId: (await grants.store(tx, grant)).id, source: this.name, url, label: 'Tickets' });
    }, userId);
    return id;
  }

  /** What the server lists now. */
  async lists(userId: string, id: string, ...definitions: ToolDefinition[]): Promise<void> {
    await this.tools.store({ userId, id }, definitions, undefined);
  }

  /** The tools of an account, as a process that has read nothing sees them. */
  async of(userId: string, id: string) {
    const [row] = await this.#steward.sql<{ version: number }>('select tools_version as version from source_accounts where id = $1', [id]);
    return this.replica().of(userId, { id, source: this.name, toolsVersion: row?.version ?? 0 });
  }

  /** Their states by name. */
  async states(userId: string, id: string): Promise<Record<string, string>> {
    return Object.fromEntries([...(await this.of(userId, id))].map(([tool, { state }]) => [tool, state]));
  }
}

let users = 0;

/** A user with nothing. @returns the id */
export async function newUser(steward: TestSteward): Promise<string> {
  users += 1;
  const name = `source-user${users}`;
  await steward.call('/auth/session', { method: 'POST', token: await steward.signIn(name) });
  const rows = await steward.sql<{ id: string }>('select id from users where email = $1', [`${name}@example.com`]);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error(`there is no user ${name}`);
  return id;
}
