import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { accessCredential } from '../../../src/providers/mcp/credentials.ts';
import { mcpDescriptor } from '../../../src/providers/mcp/mcp-descriptor.ts';
import type { SourceSession, ToolResult } from '../../../src/providers/mcp/source-session.ts';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { describeProvider, type ProviderSession } from '../../../src/providers/shared/provider.ts';
import { ownIntegrations } from '../inputs/own-integrations.ts';
import { startSteward, type TestSteward } from '../steward.ts';
import { newName } from './flows.ts';

/** A call that reached the source. */
export interface ToolCall {
  tool: string;
  args: Readonly<Record<string, unknown>>;
}

/** A user who is connected to sources. */
export interface ToolUser {
  token: string;
  userId: string;
  /** Ids by source, the oldest account of each. */
  accounts: Record<string, string>;
}

/** A service with sources of a file, whose servers are scripted by a test: connections and approved tools are stored, nothing is sent. */
export class ToolScene {
  steward!: TestSteward;
  /** What reached the sources. */
  readonly calls: ToolCall[] = [];
  /** What the server lists, by source. */
  readonly listed = new Map<string, ToolDefinition[]>();
  /** The integrations file. */
  path = '';
  /** What a tool answers. */
  answer: (call: ToolCall) => ToolResult | Promise<ToolResult> = ({ tool }) => ({ text: `did ${tool}`, isError: false });

  /** @param file with the sources */
  static async start(file: string, env: Record<string, string> = {}): Promise<ToolScene> {
    const scene = new ToolScene();
    const providers = [...PROVIDERS.filter(({ name }) => name !== 'mcp'), scene.#provider()];
    scene.path = ownIntegrations(file);
    scene.steward = await startSteward({ INTEGRATIONS_FILE: scene.path, ...env }, { providers });
    return scene;
  }

  /** The same with the provider of the release: its calls reach the servers that the file names. */
  static async real(file: string, env: Record<string, string> = {}): Promise<ToolScene> {
    const scene = new ToolScene();
    scene.path = ownIntegrations(file);
    scene.steward = await startSteward({ INTEGRATIONS_FILE: scene.path, ...env });
    return scene;
  }

  /** Puts another file in the place of the one in force. */
  async reload(file: string): Promise<void> {
    writeFileSync(this.path, file);
    await this.steward.updateIntegrations();
  }

  /** A user who is connected to each of these sources once. */
  async user(...sources: string[]): Promise<ToolUser> {
    const token = await this.steward.signIn(newName());
    await this.steward.call('/integrations', { token });
    const [row] = await this.steward.sql<{ id: string }>('select id from users order by created_at desc limit 1');
    const user = { token, userId: row?.id ?? '', accounts: {} as Record<string, string> };
    for (const source of sources) user.accounts[source] = await this.connect(user, source);
    return user;
  }

  /** Connects a source as the flow does, and reads its tools. @returns the account's id */
  async connect({ userId }: Pick<ToolUser, 'userId'>, source: string, label = source): Promise<string> {
    const id = randomUUID();
    const { grants, db } = this.steward.context;
    await db.transaction(async (tx) => {
      const expiresAt = new Date(this.steward.clock.now() + 3_600_000);
      const url = this.steward.context.integrations.current.sources.get(source)?.url ?? '';
      const tokens = { accessToken: accessCredential({ url }), refreshToken: 'refresh' };
      const grant = await grants.store(tx, { userId, provider: 'mcp', subject: randomUUID(), tokens, scopes: [], expiresAt });
      await tx.query(
        `insert into source_accounts (id, grant_id, user_id, source, url, label, is_default, list_after) values ($1, $2, $3, $4, $6, $5,
           not exists (select 1 from source_accounts where user_id = $3 and source = $4), now() + interval '1 hour')`,
        [id, grant.id, userId, source, label, url],
      );
    }, userId);
    await this.list({ userId }, source, id);
    return id;
  }

  /** Reads the tools of an account again. */
  async list({ userId }: Pick<ToolUser, 'userId'>, source: string, accountId: string): Promise<void> {
    const tools = await this.steward.context.sourceTools();
    await tools.store({ userId, id: accountId }, this.listed.get(source) ?? [], undefined);
  }

  /** Audit rows as `surface action decision`. */
  async trail({ userId }: ToolUser): Promise<string[]> {
    const rows = await this.steward.sql<Record<string, string>>('select * from audit_log where user_id = $1 order by id', [userId]);
    return rows.map(({ surface, action, decision }) => `${surface} ${action} ${decision}`);
  }

  #provider() {
    const call = async (tool: string, args: Readonly<Record<string, unknown>>) => {
      this.calls.push({ tool, args });
      return this.answer({ tool, args });
    };
    const session = (): ProviderSession & SourceSession => ({
      callTool: (_source, tool, args) => call(tool, args),
      listTools: async ({ name }) => ({ tools: this.listed.get(name) ?? [], unusable: [], ttlMs: undefined }),
    });
    return describeProvider({ ...mcpDescriptor, session });
  }
}
