import { randomUUID } from 'node:crypto';
import { type Action, toLazyAction } from '../../../src/actions/shared/action.ts';
import { AppError } from '../../../src/errors.ts';
import type { Catalog, ConfiguredAction, ConfiguredAgent, Policy } from '../../../src/integrations/catalog.ts';
import { mcpDescriptor } from '../../../src/providers/mcp/mcp-descriptor.ts';
import type { SourceSession } from '../../../src/providers/mcp/source-session.ts';
import { PROVIDERS } from '../../../src/providers/providers.ts';
import { describeProvider, type ProviderSession } from '../../../src/providers/shared/provider.ts';
import { type CorpusProduct, type CorpusTool, corpusProducts } from '../inputs/tool-corpus.ts';
import { UNRESTRICTED } from '../inputs/unrestricted-policy.ts';
import { startSteward, type TestSteward } from '../steward.ts';
import { McpClient } from '../users/mcp-client.ts';
import { newName } from './flows.ts';
import { newToken } from './mcp-scene.ts';

const PROVIDER: string = 'mcp';
const READS = new Set([
  'list',
  'get',
  'search',
  'find',
  'query',
  'read',
  'who',
  'check',
  'geocode',
  'reverse',
  'compare',
  'export',
  'summarize',
]);
const DESTROYS = new Set(['delete', 'terminate', 'remove', 'void', 'purge']);

/** A user who is connected to the sources. */
export interface SourcesUser {
  token: string;
  userId: string;
  accountId: string;
}

/** A service whose catalog has the tools of the corpus beside the file's own actions, as actions of the sources' provider. */
export class CorpusScene {
  steward!: TestSteward;
  /** What has run. */
  readonly ran: { action: string; input: unknown }[] = [];
  readonly #products: readonly CorpusProduct[];
  readonly #policies = new Map<string, Partial<Policy>>();
  #catalogs = new WeakMap<Catalog, Catalog>();

  /** @param products left out: all of them */
  static async start(env: Record<string, string> = {}, products = corpusProducts()): Promise<CorpusScene> {
    const scene = new CorpusScene(products);
    const providers = [...PROVIDERS.filter(({ name }) => name !== PROVIDER), corpusProvider];
    scene.steward = await startSteward(env, { providers, catalog: (loaded) => scene.#catalog(loaded) });
    return scene;
  }

  private constructor(products: readonly CorpusProduct[]) {
    this.#products = products;
  }

  /** @param token of a user who signs in elsewhere */
  async connect(token?: string): Promise<SourcesUser> {
    const name = newName();
    const used = token ?? (await this.steward.signIn(name));
    await this.steward.call('/integrations', { token: used });
    const [user] = await this.steward.sql<{ id: string }>('select id from users order by created_at desc limit 1');
    const userId = user?.id ?? '';
    const accountId = randomUUID();
    const { grants, db } = this.steward.context;
    await db.transaction(async (tx) => {
      const expiresAt = new Date(this.steward.clock.now() + 3_600_000);
      const tokens = { accessToken: 'access', refreshToken: 'refresh' };
      const { id } = await grants.store(tx, { userId, provider: PROVIDER, subject: name, tokens, scopes: [], expiresAt });
      await tx.query(
        `insert into source_accounts (id, grant_id, user_id, source, url, label) values ($1, $2, $3, 'all', 'https://sources.example/mcp', 'Sources')`,
        [accountId, id, userId],
      );
    }, userId);
    return { token: used, userId, accountId };
  }

  /** A client of /mcp of a user. @param more of its grant */
  async client(user: SourcesUser, more: object = {}): Promise<McpClient & { token: string }> {
    const { token } = await newToken(this.steward, user, more);
    return Object.assign(new McpClient(this.steward, token), { token });
  }

  /** Audit rows as `surface action decision`. */
  async trail({ userId }: SourcesUser): Promise<string[]> {
    const rows = await this.steward.sql<Record<string, string>>('select * from audit_log where user_id = $1 order by id', [userId]);
    return rows.map(({ surface, action, decision }) => `${surface} ${action} ${decision}`);
  }

  /** Changes the usual policy of an action, in a new version of the catalog. */
  setPolicy(action: string, changes: Partial<Policy>): void {
    this.#policies.set(action, changes);
    this.#catalogs = new WeakMap();
  }

  reset(): void {
    this.ran.length = 0;
    this.#policies.clear();
    this.#catalogs = new WeakMap();
  }

  stop(): Promise<void> {
    return this.steward.stop();
  }

  #catalog(loaded: Catalog): Catalog {
    const known = this.#catalogs.get(loaded) ?? this.#extended(loaded);
    this.#catalogs.set(loaded, known);
    return known;
  }

  #extended(loaded: Catalog): Catalog {
    const agents = this.#products.map(({ name, description, tools }): [string, ConfiguredAgent] => {
      const actions = tools.map((tool) => this.#configured(tool));
      return [name, { name, provider: PROVIDER, description, needs: [], actions }];
    });
    const own = agents.flatMap(([, { actions }]) => actions);
    return {
      ...loaded,
      agents: new Map([...loaded.agents, ...agents]),
      sources: loaded.sources,
      actions: new Map([...loaded.actions, ...own.map((action) => [action.name, action] as const)]),
      tools: new Map([...loaded.tools, ...own.map(({ tool, name }) => [tool, name] as const)]),
    };
  }

  #configured({ product, name: tool, description, input }: CorpusTool): ConfiguredAction {
    const name = `${product}.${tool}`;
    const [verb = ''] = tool.split('_');
    const action: Action = {
      name,
      provider: PROVIDER,
      effect: READS.has(verb) ? 'read' : DESTROYS.has(verb) ? 'destructive' : 'write',
      description,
      scopes: [],
      input: { jsonSchema: { ...input, additionalProperties: false }, parse: (value) => withRequired(value, input.required) },
      output: { jsonSchema: {}, parse: (value) => value },
      isDeclared: true,
      integrity: 'own',
      summary: () => `Call ${tool}`,
      run: async (given) => {
        this.ran.push({ action: name, input: given });
        return { did: tool };
      },
    };
    return {
      name,
      tool: `${product}_${tool}`,
      agent: product,
      description,
      action: toLazyAction(action),
      policy: { ...UNRESTRICTED, ...this.#policies.get(name) },
      capBytes: 100_000,
      revision: 'r1',
    };
  }
}

function withRequired(value: unknown, required: readonly string[]): unknown {
  const missing = required.find((name) => (value as Record<string, unknown>)[name] === undefined);
  if (missing !== undefined) throw new AppError('invalid_request', `${missing}: is missing.`);
  return value;
}

/** In place of the sources' own: its actions ask no server. */
const corpusProvider = describeProvider({ ...mcpDescriptor, session: () => ({}) as ProviderSession & SourceSession });
