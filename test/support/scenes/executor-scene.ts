import { z } from 'zod';
import { type Action, type RunContext, toLazyAction } from '../../../src/actions/shared/action.ts';
import { builtIn } from '../../../src/actions/shared/built-in.ts';
import { addressesIn } from '../../../src/assistant/loop/addresses-in.ts';
import type { AppError, ErrorCode } from '../../../src/errors.ts';
import type { CallResult, Decision, Invocation } from '../../../src/executor/executor.ts';
import type { Catalog, ConfiguredAction, Policy } from '../../../src/integrations/catalog.ts';
import { people } from '../../../src/providers/shared/audience.ts';
import { WorkspaceEmulator } from '../emulators/workspace-emulator.ts';
import { UNRESTRICTED } from '../inputs/unrestricted-policy.ts';
import { respond } from '../servers/scripted-server.ts';
import { startSteward, type TestOverrides, type TestSteward } from '../steward.ts';
import { type ConnectedGrant, connectGrant } from '../users/refreshing.ts';

const PROFILE = '/api/gmail/v1/users/me/profile';
const SEND = '/api/gmail/v1/users/me/messages/send';

export interface CallOptions {
  account?: string;
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** The thread in which the assistant calls. */
  thread?: string;
  ownWords?: string;
}

/** A service whose provider and actions are scripted by a test; the actions are in the catalog beside the file's own. */
export class ExecutorScene {
  readonly provider: WorkspaceEmulator;
  steward!: TestSteward;
  /** Changes to the usual policy, by action. */
  readonly policies = new Map<string, Partial<Policy>>();
  /** Replaces the file's. */
  revision = 'r1';
  capBytes = 256 * 1024;
  /** The text of messages without one. */
  defaultText = 'Hello.';
  /** Further actions like `test.return`: `test.copy_0`, … */
  copies = 0;
  /** The result of `test.return`. */
  returned: unknown = {};
  /** Runs once a call of `test.notify` has passed its checks, before the user's approval is requested. */
  checked: () => void = () => {};
  /** The work of `test.run`. */
  work: (input: unknown, context: RunContext<'workspace'>) => Promise<unknown> = async () => ({});
  /** The work of `test.change`, whose results count as the user's own text. */
  change: (input: Record<string, unknown>, context: RunContext<'workspace'>) => Promise<{ id: string }> = (_input, context) =>
    send(context);
  readonly #actions: Action[];

  private constructor(provider: WorkspaceEmulator) {
    this.provider = provider;
    this.#actions = this.#define();
  }

  static async start(env: Record<string, string> = {}): Promise<ExecutorScene> {
    const scene = new ExecutorScene(await new WorkspaceEmulator().start());
    scene.steward = await scene.replica(env);
    scene.provider.clock = scene.steward.clock;
    scene.reset();
    return scene;
  }

  /** A second service in this process, on the same emulated provider. */
  replica(env: Record<string, string> = {}, overrides: Pick<TestOverrides, 'clock'> = {}): Promise<TestSteward> {
    const own = { ...this.provider.env, GOOGLE_API_URL: `${this.provider.url}/api` };
    return startSteward({ ...own, ...env }, { ...overrides, catalog: (loaded) => this.#catalog(loaded) });
  }

  /** Restores the defaults: the provider sends every message. */
  reset(): void {
    this.policies.clear();
    this.revision = 'r1';
    this.capBytes = 256 * 1024;
    this.copies = 0;
    this.told = [];
    this.isTrusted = false;
    this.defaultText = 'Hello.';
    this.checked = () => {};
    this.change = (_input, context) => send(context);
    this.provider.reset();
    this.answers(PROFILE, 200, { emailAddress: 'someone@example.com' });
    this.answers(SEND, 200, { id: 'm1' });
  }

  /** What `test.search` and `test.file` told. */
  told: string[] = [];
  /** Makes the operator answer for whom they tell it. */
  isTrusted = false;
  /** Requests to send that reached the provider since the last {@link sending}. */
  sent = 0;

  sending(status: number, body: unknown = { id: 'm1' }): void {
    this.sent = 0;
    this.answers(SEND, status, body);
  }

  /** The provider receives the message and never responds. */
  swallowing(): void {
    this.sent = 0;
    this.provider.on(SEND, () => {
      this.sent += 1;
    });
  }

  reading(status: number, body: unknown): void {
    this.answers(PROFILE, status, body);
  }

  answers(path: string, status: number, body: unknown): void {
    this.provider.on(path, (response) => {
      if (path === SEND) this.sent += 1;
      respond(response, { status, body });
    });
  }

  connect(of: { token?: string; email?: string } = {}): Promise<ConnectedGrant> {
    return connectGrant(this.steward, this.provider, this.steward.sql, of);
  }

  call(user: Invocation['user'], action: string, input: unknown = {}, options: CallOptions = {}, on = this.steward): Promise<CallResult> {
    const { signal = new AbortController().signal, ownWords, ...rest } = options;
    const surface = rest.thread === undefined ? 'socket' : 'assistant';
    return on.context.executor.invoke({ user, surface, action, input, signal, ...rest, named: addressesIn(ownWords) });
  }

  decide(
    user: Pick<ConnectedGrant, 'userId'>,
    approvalId: string,
    options: Partial<Decision> = {},
    on = this.steward,
  ): Promise<CallResult> {
    const { signal } = new AbortController();
    return on.context.executor.approve({ user, surface: 'socket', approvalId, approved: true, signal, ...options });
  }

  /** The error of a call that needs approval. */
  async ask(user: Invocation['user'], action: string, input: unknown, options: CallOptions = {}): Promise<Record<string, any>> {
    const { details } = await rejectedWith(this.call(user, action, input, options), 'approval_required');
    return details as Record<string, any>;
  }

  audit(user: Pick<ConnectedGrant, 'userId'>): Promise<Record<string, any>[]> {
    return this.steward.sql('select * from audit_log where user_id = $1 order by id', [user.userId]);
  }

  /** Audit rows as `decision outcome`. */
  async trail(user: Pick<ConnectedGrant, 'userId'>): Promise<string[]> {
    return (await this.audit(user)).map(({ decision, outcome }) => `${decision} ${outcome}`);
  }

  async stop(): Promise<void> {
    await this.steward.stop();
    await this.provider.stop();
  }

  #catalog(loaded: Catalog): Catalog {
    const one = this.#actions.find(({ name }) => name === 'test.return') as Action;
    const copies = Array.from({ length: this.copies }, (_, index) => ({ ...one, name: `test.copy_${index}` }));
    const trusted = { ...(this.isTrusted && { isTrusted: true as const }) };
    const own = [...this.#actions, ...copies].map((plain): [string, ConfiguredAction] => {
      const action = { ...plain, ...trusted };
      const policy = { ...UNRESTRICTED, ...this.policies.get(action.name) };
      const { name, description } = action;
      const named = { name, tool: name.replace('.', '_'), agent: 'test', description };
      return [name, { ...named, action: toLazyAction(action), policy, capBytes: this.capBytes, revision: this.revision }];
    });
    const tools = own.map(([name, { tool }]) => [tool, name] as const);
    const actions = new Map([...loaded.actions, ...own]);
    return { ...loaded, revision: this.revision, actions, tools: new Map([...loaded.tools, ...tools]) };
  }

  #define(): Action[] {
    const message = z.strictObject({
      to: z.array(z.string()),
      text: z.string().default(() => this.defaultText),
      notify: z.boolean().optional(),
      role: z.enum(['reader', 'writer']).optional(),
      files: z.array(z.string()).optional(),
      minutes: z.int().optional(),
    });
    const common = { scopes: ['mail.modify'], description: 'For tests.' } as const;
    const any = z.record(z.string(), z.unknown());
    const ofMessage = {
      ...common,
      integrity: 'own' as const,
      input: message,
      output: z.object({ id: z.string() }),
      allow: { to: ({ to }: z.output<typeof message>) => to },
      summary: ({ to }: z.output<typeof message>) => `Send to ${to.join(', ')}`,
    };
    // Its result contains text of others.
    const { integrity: _, ...reply } = ofMessage;
    return [
      builtIn('workspace', {
        ...common,
        name: 'test.read',
        effect: 'read',
        input: any,
        output: z.object({ emailAddress: z.string() }),
        costs: ({ live }) => live === true,
        sources: ({ emailAddress }) => [{ item: 'profile', integrity: 'others', author: emailAddress }],
        summary: () => 'Read',
        run: (_input, { session }) => session.call('gmail.users.getProfile', { userId: 'me' }, z.object({ emailAddress: z.string() })),
      }),
      builtIn('workspace', { ...ofMessage, name: 'test.send', effect: 'write', run: (_input, context) => send(context) }),
      builtIn('workspace', {
        ...ofMessage,
        name: 'test.notify',
        effect: 'write',
        exposes: ({ to }) => {
          this.checked();
          return people(to);
        },
        preview: async ({ to }, { session }) => {
          const { emailAddress } = await session.call('gmail.users.getProfile', { userId: 'me' }, z.object({ emailAddress: z.string() }));
          return `Tell ${to.join(', ')} from ${emailAddress}`;
        },
        run: (_input, context) => send(context),
      }),
      builtIn('workspace', {
        ...common,
        name: 'test.forward',
        effect: 'write',
        integrity: 'own',
        input: z.strictObject({ id: z.string() }),
        output: z.object({ id: z.string() }),
        exposes: () => people(['ana@example.com']),
        summary: ({ id }) => `Forward ${id}`,
        run: (_input, context) => send(context),
      }),
      // Both tell another people's server their arguments.
      ...(['test.search', 'test.file'] as const).map((name) =>
        builtIn('workspace', {
          ...common,
          name,
          ...(name === 'test.search' ? { effect: 'read' as const } : { effect: 'write' as const, integrity: 'own' as const }),
          input: z.strictObject({ query: z.string(), open: z.boolean().optional() }),
          output: z.object({ emailAddress: z.string() }),
          allow: { query: ({ query }) => [query] },
          exposes: () => [{ kind: 'service', host: 'tickets.example', name: 'Tickets' }],
          summary: ({ query }) => `Search for ${query}`,
          run: (input, { session }) => {
            this.told.push(input.query);
            return session.call('gmail.users.getProfile', { userId: 'me' }, z.object({ emailAddress: z.string() }));
          },
        }),
      ),
      builtIn('workspace', {
        ...common,
        name: 'test.copy',
        effect: 'write',
        input: any,
        output: z.object({ id: z.string() }),
        writes: ({ into }, output) => [...(typeof into === 'string' ? [into] : []), ...(output === undefined ? [] : [output.id])],
        summary: () => 'Copy',
        run: (_input, context) => send(context),
      }),
      builtIn('workspace', {
        ...common,
        name: 'test.change',
        effect: 'write',
        integrity: 'own',
        input: any,
        output: z.object({ id: z.string() }),
        summary: () => 'Change',
        run: (input, context) => this.change(input, context),
      }),
      builtIn('workspace', {
        ...common,
        name: 'test.answer',
        effect: 'write',
        integrity: 'own',
        input: any,
        output: z.object({ id: z.string() }),
        // Whom it answers, only the provider knows.
        facts: (_input, { session }) => session.call('gmail.users.getProfile', { userId: 'me' }, z.object({ emailAddress: z.string() })),
        version: ({ emailAddress }) => emailAddress,
        allowRead: { to: ({ emailAddress }) => [emailAddress] },
        summary: () => 'Answer',
        run: (_input, context) => send(context),
      }),
      builtIn('workspace', { ...ofMessage, name: 'test.remove', effect: 'destructive', run: (_input, context) => send(context) }),
      builtIn('workspace', {
        ...reply,
        name: 'test.reply',
        effect: 'write',
        async run(_input, context) {
          await context.session.call('gmail.users.getProfile', { userId: 'me' }, z.object({ emailAddress: z.string() }));
          return send(context);
        },
      }),
      builtIn('workspace', {
        ...common,
        name: 'test.return',
        effect: 'read',
        input: any,
        output: z.unknown(),
        summary: () => 'Return',
        run: async () => this.returned,
      }),
      builtIn('workspace', {
        ...common,
        name: 'test.run',
        effect: 'read',
        input: any,
        output: z.unknown(),
        summary: () => 'Run',
        run: (input, context) => this.work(input, context),
      }),
    ];
  }
}

function send({ session }: RunContext<'workspace'>): Promise<{ id: string }> {
  return session.call('gmail.users.messages.send', { userId: 'me', requestBody: { raw: 'aGk' } }, z.object({ id: z.string() }));
}

/** The error of a call. @throws any other result */
export async function rejectedWith(call: Promise<unknown>, code: ErrorCode): Promise<AppError> {
  const error = await call.then(
    (value) => {
      throw new Error(`it was answered: ${JSON.stringify(value)?.slice(0, 200)}`);
    },
    (thrown: AppError) => thrown,
  );
  if (error.code !== code) throw error;
  return error;
}
