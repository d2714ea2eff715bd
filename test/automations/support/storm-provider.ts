import type { ServerResponse } from 'node:http';
import type { Random } from '../../faults/support/random.ts';
import { ACCESS_TOKEN, BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { WorkspaceEmulator } from '../../support/emulators/workspace-emulator.ts';
import { respond, type ScriptedCall, type ScriptedResponse, type ScriptedServer } from '../../support/servers/scripted-server.ts';
import type { StormBank } from './storm-bank.ts';
import type { StormMailbox } from './storm-mailbox.ts';

const API = '/api/';

/** Responses that are lost, and how often. */
export class Losses {
  readonly #random: Random;
  /** From 0 to 1. */
  share = 0;
  count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Answers, or loses the answer: before or after what was asked is done. */
  async answer(response: ServerResponse, done: () => ScriptedResponse | Promise<ScriptedResponse>): Promise<void> {
    if (this.#random.next() >= this.share) return respond(response, await done());
    this.count += 1;
    const kind = this.#random.pick(['503', 'reset', 'hang', 'cut', 'late 503', 'half'] as const);
    if (kind === '503') return respond(response, { status: 503, body: {} });
    if (kind === 'reset') return void response.destroy();
    const { status = 200, body } = await done();
    if (kind === 'late 503') return respond(response, { status: 503, body: {} });
    if (kind === 'hang') return;
    const json = JSON.stringify(body);
    const half = json.slice(0, Math.floor(json.length / 2));
    if (kind === 'half') return void response.writeHead(status, { 'content-type': 'application/json' }).end(half);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }).write(half);
    setImmediate(() => response.destroy());
  }
}

/** Has a server's answers given by `answer`. */
function answering(server: ScriptedServer, answer: (response: ServerResponse, call: ScriptedCall) => Promise<void>): void {
  server.on('*', (response, call) => {
    // What was asked is of no use to anybody, and there would be a hundred thousand.
    server.calls.length = 0;
    answer(response, call).catch(() => response.destroy());
  });
}

/** Mail, calendars and drives of accounts, outside of the service. */
export class StormWorkspace extends WorkspaceEmulator {
  readonly mailboxes = new Map<string, StormMailbox>();
  readonly #owners = new Map<string, string>();
  readonly #losses: Losses;

  constructor(losses: Losses) {
    super();
    this.#losses = losses;
    answering(this, (response, call) => this.#answer(response, call));
  }

  override get env(): Record<string, string> {
    return { ...super.env, GOOGLE_API_URL: `${this.url}/api` };
  }

  async #answer(response: ServerResponse, call: ScriptedCall): Promise<void> {
    const email = this.#owners.get(call.headers.authorization?.replace('Bearer ', '') ?? '') ?? '';
    if (call.path.startsWith(API)) {
      const mailbox = this.mailboxes.get(email);
      if (mailbox === undefined)
        return respond(response, { status: 401, body: { error: { code: 401, errors: [{ reason: 'authError' }] } } });
      return this.#losses.answer(response, () => mailbox.respond(call));
    }
    const answered = await this.usual(call);
    if (call.path === '/token') this.#noteOwner(new URLSearchParams(call.text), answered.body as Record<string, string>);
    respond(response, answered);
  }

  /** Whose the tokens are that were issued. */
  #noteOwner(form: URLSearchParams, { id_token: idToken, access_token: access, refresh_token: refresh }: Record<string, string>): void {
    const claims = idToken === undefined ? {} : JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString());
    const email = claims.email ?? this.#owners.get(form.get('refresh_token') ?? '');
    for (const token of [access, refresh]) if (token !== undefined) this.#owners.set(token, email);
  }
}

/** Transactions of bank items, outside of the service. */
export class StormBanks extends BankEmulator {
  readonly banks = new Map<string, StormBank>();

  constructor(losses: Losses) {
    super();
    answering(this, async (response, call) => {
      const item = String(call.body?.access_token ?? '').replace(`${ACCESS_TOKEN}-`, 'item-');
      const bank = this.banks.get(item);
      if (call.path !== '/transactions/sync' || bank === undefined) return respond(response, this.usual(call));
      await losses.answer(response, () => bank.sync(call.body));
    });
  }
}
