import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/providers/mcp/source-settings.ts';
import { toolHash } from '../../../src/providers/mcp/tool-hash.ts';
import { sourceFile } from '../../support/inputs/source-file.ts';
import { fc } from '../../support/runner/property.ts';
import { newName } from '../../support/scenes/flows.ts';
import { openEntry, sourceAccounts } from '../../support/scenes/source-flows.ts';
import { ToolScene } from '../../support/scenes/tool-scene.ts';
import { McpSource } from '../../support/servers/mcp-source.ts';
import { eventually } from '../../support/time/eventually.ts';

const USERS = 40;
/** Before each, the operator pins other definitions by a reload. */
const ROUNDS = 5;
const STEPS = 50;

const NAMES = ['alpha', 'beta', 'gamma', 'delta'] as const;
type Name = (typeof NAMES)[number];
type Version = number;
const name = fc.constantFrom(...NAMES);
const version = fc.integer({ min: 0, max: 3 });

/** What versions of a tool say. Two of them take the same arguments each. */
function definition(of: Name, at: Version): ToolDefinition {
  return {
    name: of,
    description: `As of version ${at}.`,
    inputSchema: {
      type: 'object',
      properties: { version: { const: taken(at) } },
      required: ['version'],
      additionalProperties: false,
    },
    ...(at % 2 === 0 && { annotations: { readOnlyHint: true } }),
  };
}

const taken = (at: Version) => Math.floor(at / 2);
const reversed = <Value extends object>(value: Value) => Object.fromEntries(Object.entries(value).reverse()) as Value;

const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ does: fc.constant('change' as const), name, version }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('remove' as const), name }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('rename' as const), name, to: name }) },
  { weight: 10, arbitrary: fc.record({ does: fc.constant('restore' as const), name }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('reorder' as const) }) },
  { weight: 18, arbitrary: fc.record({ does: fc.constant('read' as const) }) },
  { weight: 10, arbitrary: fc.record({ does: fc.constant('allow' as const), name, seen: fc.option(version) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('block' as const), name, seen: fc.option(version) }) },
  { weight: 34, arbitrary: fc.record({ does: fc.constant('call' as const), name }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('reconnect' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
const pins = fc.dictionary(name, version, { maxKeys: 2 });
const rounds = fc.array(
  fc.record({ pins, scripts: fc.array(fc.array(step, { minLength: STEPS, maxLength: STEPS }), { minLength: USERS, maxLength: USERS }) }),
  { minLength: ROUNDS, maxLength: ROUNDS },
);

/** What the operator pins now. */
let pinned: Partial<Record<string, Version>> = {};
let source: McpSource;
let scene: ToolScene;
const players = new Map<string, Player>();

const file = () =>
  sourceFile(
    `{ url: "${source.address}", auth: header, header: x-key, label: Tickets }`,
    ...NAMES.map((one) => {
      const at = pinned[one];
      const hash = at === undefined ? '' : `, hash: "${toolHash(definition(one, at))}"`;
      return `${one}: { tool: ${one}, effect: read${hash}, policy: { rate: 10000/min } }`;
    }),
  );

/** A user with a connection, the server as that connection sees it, and what may be called by the rules. */
class Player {
  readonly key = newName();
  readonly counts = { called: 0, refused: 0, differing: 0 };
  token = '';
  userId = '';
  accountId = '';
  /** What the server defines at the moment. */
  readonly #server = new Map<Name, Version>(NAMES.slice(0, 3).map((one) => [one, 0]));
  #isReversed = false;
  #listedAt: string | null = null;
  /** As they were listed last; and what was approved, by the first list and by the user. */
  #listed: Map<Name, Version> | undefined;
  readonly #approved = new Map<Name, Version>();
  readonly #blocked = new Set<Name>();
  /** Calls that have arrived: with which arguments, and what the server defined then. */
  readonly #arrived: { name: Name; args: object; defined: Version | undefined }[] = [];

  async start(): Promise<void> {
    this.token = await scene.steward.signIn(this.key);
    await this.#connect();
    const [account] = await sourceAccounts(scene.steward, this.token);
    this.accountId = account?.id;
    const rows = await scene.steward.sql<{ id: string }>('select user_id as id from source_accounts where id = $1', [this.accountId]);
    this.userId = rows[0]?.id ?? '';
    await this.#wasRead();
  }

  /** The server's list. */
  get tools(): ToolDefinition[] {
    const tools = [...this.#server].map(([of, at]) => definition(of, at));
    return this.#isReversed ? tools.reverse().map(reversed) : tools;
  }

  arrives(of: Name, args: object): void {
    this.#arrived.push({ name: of, args, defined: this.#server.get(of) });
  }

  /** The version that may be called: what is approved, if that is what the server listed last. */
  #callable(of: Name): Version | undefined {
    const pin = pinned[of];
    if (pin === undefined && this.#blocked.has(of)) return undefined;
    const approved = pin ?? this.#approved.get(of);
    return this.#listed?.get(of) === approved ? approved : undefined;
  }

  async play(script: readonly Step[]): Promise<void> {
    for (const [index, one] of script.entries()) {
      await this.#take(one).catch((cause: unknown) => {
        throw new Error(`after ${JSON.stringify([pinned, ...script.slice(0, index + 1)])}`, { cause });
      });
    }
  }

  async #take(one: Step): Promise<void> {
    switch (one.does) {
      case 'change':
        this.#server.set(one.name, one.version);
        break;
      case 'remove':
        this.#server.delete(one.name);
        break;
      case 'rename':
        if (one.name !== one.to) this.#rename(one.name, one.to);
        break;
      case 'restore':
        this.#server.set(one.name, pinned[one.name] ?? this.#approved.get(one.name) ?? 0);
        break;
      case 'reorder':
        this.#isReversed = !this.#isReversed;
        break;
      case 'read':
        await this.#read();
        break;
      case 'reconnect':
        await this.#connect(this.accountId);
        await this.#wasRead();
        break;
      case 'call':
        await this.#call(one.name);
        break;
      default:
        await this.#decide(one.does, one.name, one.seen ?? undefined);
    }
  }

  #rename(from: Name, to: Name): void {
    const at = this.#server.get(from);
    if (at === undefined) return;
    this.#server.delete(from);
    this.#server.set(to, at);
  }

  async #connect(account?: string): Promise<void> {
    const form = { label: this.key, ...(account !== undefined && { account_id: account }) };
    const { post } = await openEntry(scene.steward, { token: this.token, source: 'tickets', form });
    expect((await post({ decision: 'connect', value: this.key })).status).toBe(200);
  }

  async #read(): Promise<void> {
    await scene.steward.sql('update source_accounts set list_after = now() where id = $1', [this.accountId]);
    const { listings } = (await scene.steward.context.sources?.open()) ?? expect.unreachable();
    listings.readNew(this.userId, this.accountId);
    await this.#wasRead();
  }

  async #wasRead(): Promise<void> {
    await scene.steward.context.sources?.settle();
    // The service's own poll may have been first. What is due after a failure is not made due earlier: nothing else reads it.
    await eventually(async () => {
      const rows = await scene.steward.sql<{ at: string }>(
        `update source_accounts set list_failures = 1
         where id = $1 and listed_at is distinct from $2::timestamptz and list_after > now() returning listed_at::text as at`,
        [this.accountId, this.#listedAt],
      );
      this.#listedAt = rows[0]?.at ?? this.#listedAt;
      return rows.length === 1;
    });
    if (this.#listed === undefined) {
      for (const [of, at] of this.#server) if ((pinned[of] ?? at) === at) this.#approved.set(of, at);
    }
    this.#listed = new Map(this.#server);
  }

  async #decide(decision: 'allow' | 'block', of: Name, seen: Version | undefined): Promise<void> {
    const listed = this.#listed?.get(of);
    const current = decision === 'allow' ? listed : (listed ?? this.#approved.get(of));
    const hash = toolHash(definition(of, seen ?? current ?? 0));
    const path = `/auth/sources/accounts/${this.accountId}/tools/${of}`;
    const { body } = await scene.steward.call(path, { token: this.token, form: { decision, hash } });
    const isTaken = pinned[of] === undefined && current !== undefined && (seen ?? current) === current;
    expect(body.success ?? false, `${decision} ${of}: ${JSON.stringify(body)}`).toBe(isTaken);
    if (!isTaken) return;
    if (decision === 'block') this.#blocked.add(of);
    else {
      this.#blocked.delete(of);
      this.#approved.set(of, current);
    }
  }

  async #call(of: Name): Promise<void> {
    const callable = this.#callable(of);
    const args = { version: taken(callable ?? this.#server.get(of) ?? 0) };
    this.#arrived.length = 0;
    const { body } = await scene.steward.call(`/agents/tickets.${of}`, {
      token: this.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    if (callable === undefined) {
      expect(body, of).toMatchObject({ code: 'forbidden', details: { reason: 'tool_held' } });
      expect(this.#arrived).toEqual([]);
      this.counts.refused += 1;
      return;
    }
    expect(body.code, JSON.stringify(body)).toBeUndefined();
    expect(this.#arrived).toMatchObject([{ name: of, args }]);
    this.counts.called += 1;
    // It was changed since it was listed: no list can tell.
    if (this.#arrived[0]?.defined !== callable) this.counts.differing += 1;
  }
}

beforeAll(async () => {
  source = await new McpSource().start();
  source.list = ({ headers }) => ({ tools: players.get(String(headers['x-key']))?.tools ?? [], ttlMs: 3_600_000 });
  source.call = (args, { headers, body }) => {
    players.get(String(headers['x-key']))?.arrives(body.params.name, args);
    return { content: [{ type: 'text', text: 'done' }] };
  };
  const plenty = ['REQUESTS', 'USER_REQUESTS', 'PROVIDER_REQUESTS', 'USER_PROVIDER_REQUESTS'];
  scene = await ToolScene.real(file(), Object.fromEntries(plenty.map((what) => [`LIMIT_${what}_PER_MINUTE`, '1000000'])));
});

afterAll(async () => {
  await scene?.steward.stop();
  await source?.stop();
});

describe(`in ${USERS * ROUNDS * STEPS} steps, a tool is called if, and only if, what its server listed last is what was approved`, () => {
  const all = Array.from({ length: USERS }, () => new Player());

  beforeAll(async () => {
    for (const player of all) players.set(player.key, player);
    await Promise.all(all.map((player) => player.start()));
  });

  // One long run, by the seed of the tests.
  it.for(fc.sample(rounds, 1)[0] ?? [])('round %$', async (round) => {
    pinned = round.pins;
    await scene.reload(file());
    await Promise.all(all.map((player, index) => player.play(round.scripts[index] ?? [])));
  });

  it('which were about something, and nothing else was called', () => {
    const total = (count: keyof Player['counts']) => all.reduce((sum, { counts }) => sum + counts[count], 0);
    expect(source.callsOf('/mcp').filter(({ body }) => body.method === 'tools/call')).toHaveLength(total('called'));
    expect(total('called')).toBeGreaterThan(500);
    expect(total('refused')).toBeGreaterThan(500);
    expect(total('differing')).toBeGreaterThan(0);
  });
});
