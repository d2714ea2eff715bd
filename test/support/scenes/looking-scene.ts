import { WorkspaceEmulator } from '../emulators/workspace-emulator.ts';
import type { ScriptedCall, ScriptedResponse } from '../servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../steward.ts';
import { type ConnectedGrant, connectGrant } from '../users/refreshing.ts';
import { callAutomations } from './automations.ts';

/** Longer than from one look to the next. */
const MINUTE_MS = 70_000;
const FIRST_ID = 1_000;

export interface PlayedMail {
  labelIds: string[];
  headers: { name: string; value: string | null }[];
  internalDate?: string;
  payload?: object;
}

/** An emulated provider with an API of mail. */
class MailEmulator extends WorkspaceEmulator {
  mail: (call: ScriptedCall) => Promise<ScriptedResponse> = async () => ({ status: 404 });

  protected override async usual(call: ScriptedCall): Promise<ScriptedResponse> {
    return call.path.startsWith('/api/') ? this.mail(call) : super.usual(call);
  }
}

/** A service whose accounts' mail is played by a test: users.history.list, users.messages.list and users.messages.get. */
export class LookingScene {
  readonly provider: MailEmulator;
  steward!: TestSteward;
  readonly messages = new Map<string, PlayedMail>();
  /** Of users.history.list. */
  records: { id: string; messages: string[] }[] = [];
  newest = FIRST_ID;
  /** Ids before this one are too old. */
  oldest = FIRST_ID;
  pageSize = 500;
  /** Status of the next responses to a path that ends like this. */
  readonly faults = new Map<string, { status: number; retryAfter?: number; times: number }>();
  readonly calls: ScriptedCall[] = [];
  /** Awaited before a response to users.history.list. */
  beforeHistory: () => Promise<void> = async () => {};

  private constructor(provider: MailEmulator) {
    this.provider = provider;
    provider.mail = (call) => this.#responseTo(call);
  }

  static async start(): Promise<LookingScene> {
    const scene = new LookingScene(await new MailEmulator().start());
    scene.steward = await startSteward({ ...scene.provider.env, GOOGLE_API_URL: `${scene.provider.url}/api` });
    scene.provider.clock = scene.steward.clock;
    return scene;
  }

  reset(): void {
    this.messages.clear();
    this.records = [];
    this.newest = FIRST_ID;
    this.oldest = FIRST_ID;
    this.pageSize = 500;
    this.faults.clear();
    this.calls.length = 0;
    this.beforeHistory = async () => {};
  }

  async stop(): Promise<void> {
    await this.steward.stop();
    await this.provider.stop();
  }

  connect(of: Parameters<typeof connectGrant>[3] = {}): Promise<ConnectedGrant> {
    return connectGrant(this.steward, this.provider, this.steward.sql, of);
  }

  /** Makes an automation for received mail. @returns its id */
  async onMail(user: ConnectedGrant, filter: object = {}, rest: object = { does: { type: 'notify' } }): Promise<string> {
    const trigger = { type: 'event', event: 'mail.received', account: user.accountId, filter };
    const made = await callAutomations(this.steward, user.token, 'POST', '', { name: 'Mail', trigger, ...rest });
    if (made.status !== 201) throw new Error(made.text);
    return made.body.id;
  }

  /** A mail arrives. */
  receive(id: string, mail: Partial<PlayedMail> = {}, ...more: string[]): void {
    const internalDate = String(this.steward.clock.now());
    const headers = [
      { name: 'From', value: 'Ana <ana@example.com>' },
      { name: 'Subject', value: 'Hello' },
    ];
    this.messages.set(id, { labelIds: ['INBOX', 'UNREAD'], headers, internalDate, ...mail });
    this.newest += 1;
    this.records.push({ id: String(this.newest), messages: [id, ...more] });
  }

  /** Time for another look at each account passes, and they are looked at. */
  async look(steward: TestSteward = this.steward, milliseconds = MINUTE_MS): Promise<void> {
    steward.clock.setBy(milliseconds);
    await steward.tick();
    await steward.context.automations.looked();
  }

  /** The occurrences of a user's runs, without the account. */
  async occurrences({ userId, accountId }: ConnectedGrant): Promise<string[]> {
    const rows = await this.steward.sql<{ occurrence: string }>(
      'select occurrence from automation_runs where user_id = $1 order by occurrence',
      [userId],
    );
    return rows.map(({ occurrence }) => occurrence.replace(`${accountId}:`, ''));
  }

  async watch({ userId }: ConnectedGrant) {
    const rows = await this.steward.sql<{ position: unknown; failures: number; error: string | null; revision: number; lookAfter: Date }>(
      'select position, failures, error, revision, look_after as "lookAfter" from watches where user_id = $1',
      [userId],
    );
    return rows[0];
  }

  async #responseTo(call: ScriptedCall): Promise<ScriptedResponse> {
    this.calls.push(call);
    const path = call.path.replace('/api/gmail/v1/users/me/', '');
    if (path === 'history') await this.beforeHistory();
    const fault = this.faults.get(path);
    if (fault !== undefined && fault.times > 0) {
      fault.times -= 1;
      const headers: Record<string, string> = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
      return { status: fault.status, headers, body: { error: { code: fault.status } } };
    }
    const body = this.#bodyOf(path, call.query);
    return body === undefined ? { status: 404, body: { error: { code: 404 } } } : { body };
  }

  #bodyOf(path: string, query: URLSearchParams): object | undefined {
    if (path === 'profile') return { historyId: String(this.newest) };
    if (path === 'history') return this.#history(Number(query.get('startHistoryId')), Number(query.get('pageToken') ?? 0));
    if (path === 'messages') return this.#list(query.get('q') ?? '');
    const id = path.replace('messages/', '');
    const mail = this.messages.get(id);
    if (mail === undefined) return undefined;
    const { labelIds, internalDate, headers, payload } = mail;
    return { id, threadId: `t-${id}`, labelIds, internalDate, payload: { headers, ...payload } };
  }

  #history(start: number, offset: number): object | undefined {
    if (start < this.oldest) return undefined;
    const found = this.records.filter(({ id }) => Number(id) > start);
    const shown = found.slice(offset, offset + this.pageSize).map(({ id, messages }) => ({
      id,
      messagesAdded: messages.map((message) => ({ message: { id: message, labelIds: this.messages.get(message)?.labelIds } })),
    }));
    const next = offset + this.pageSize;
    return { history: shown, historyId: String(this.newest), ...(next < found.length && { nextPageToken: String(next) }) };
  }

  #list(q: string): object {
    const after = Number(q.replace('after:', '')) * 1_000;
    const ids = [...this.messages].flatMap(([id, { internalDate }]) => (Number(internalDate) >= after ? [{ id }] : []));
    return { messages: ids.reverse() };
  }
}
