import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { newName } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

/** What a scenario of a suite, or a server of others, is used with. */
export interface Order {
  /** The server's address. */
  url: string;
  /** Registered beforehand. */
  client?: { id: string; secret?: string };
  auth?: 'oauth' | 'none';
  /** Tools that the integrations file lists. */
  tools: readonly string[];
  /** What to call, with the arguments of each; default: each listed tool that the server has, without arguments. */
  calls?: readonly { name: string; arguments: object }[];
}

/** What became of it. */
export interface Report {
  /** `status` and `code` of the flow. */
  connected: string;
  /** State of each tool. */
  tools: Record<string, string>;
  /** Outcome of each call: `ok`, or the code of its error. */
  calls: string[];
}

/** Time that a scenario may take to list its tools. */
const ATTEMPTS_AT_SIGN_IN = 3;
const SECRET_VARIABLE = 'SUITE_CLIENT_SECRET';

/** A service whose sources are servers of others: each order is a source of its own, with a user of its own. */
export class SourceDesk {
  readonly steward: TestSteward;
  readonly #file: string;
  #sources = '';
  #agents = '';
  #count = 0;
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(steward: TestSteward, file: string) {
    this.steward = steward;
    this.#file = file;
  }

  /** @param secret of the client that suites register beforehand */
  static async start(secret = randomUUID()): Promise<SourceDesk> {
    const file = ownIntegrations('version: 1\nagents: {}\n');
    const env = { INTEGRATIONS_FILE: file, INTERNAL_HOSTS: 'localhost,127.0.0.0/8,::1/128', [SECRET_VARIABLE]: secret };
    return new SourceDesk(await startSteward(env), file);
  }

  stop(): Promise<void> {
    return this.steward.stop();
  }

  /** Adds a source, connects a new user to it, reads its tools and calls them. */
  async carryOut(order: Order): Promise<Report> {
    const source = await this.#add(order);
    const token = await this.steward.signIn(newName());
    const report: Report = { connected: await this.#connect(token, source), tools: {}, calls: [] };
    if (!report.connected.startsWith('connected')) return report;
    report.tools = await this.#tools(token);
    const known = order.calls ?? order.tools.map((name) => ({ name, arguments: {} }));
    for (const call of known.filter(({ name }) => report.tools[name] === 'allowed')) {
      report.calls.push(await this.#call(token, source, order.tools.indexOf(call.name), call.arguments));
    }
    return report;
  }

  /** One file for all: each change is read again. */
  async #add({ url, client, auth = 'oauth', tools }: Order): Promise<string> {
    const name = `s${(this.#count += 1)}`;
    const own =
      client === undefined
        ? ''
        : `, client_id: ${JSON.stringify(client.id)}${client.secret === undefined ? '' : `, client_secret_variable: ${SECRET_VARIABLE}`}`;
    this.#sources += `  ${name}: { url: ${JSON.stringify(url)}, label: Server ${this.#count}, auth: ${auth}${own} }\n`;
    const actions = tools.map((tool, index) => `      t${index}: { tool: ${JSON.stringify(tool)}, effect: read }\n`).join('');
    this.#agents += `  ${name}:\n    provider: mcp\n    source: ${name}\n    description: A server of others.\n    actions:\n${actions}`;
    this.#writing = this.#writing.then(async () => {
      writeFileSync(this.#file, `version: 1\nsources:\n${this.#sources}agents:\n${this.#agents}`);
      const { status, text: why } = await this.steward.call('/update_integrations');
      if (status !== 200) throw new Error(`${why}\n${readFileSync(this.#file, 'utf8')}`);
    });
    await this.#writing;
    return name;
  }

  /** As a browser would: to the authorization server, and back. */
  async #connect(token: string, source: string, accountId?: string): Promise<string> {
    const form = accountId === undefined ? {} : { account_id: accountId };
    const begun = await this.steward.call(`/auth/sources/${source}/connect`, { token, form });
    if (begun.status !== 200) return `${begun.status} ${begun.body?.error?.code ?? begun.body?.code ?? begun.text}`;
    const cookie = (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    let next = begun.body.login_url as string;
    for (let hops = 0; hops < 10; hops += 1) {
      const isOwn = next.startsWith(this.steward.url);
      const response = await fetch(next, { redirect: 'manual', headers: isOwn ? { cookie } : {} });
      const location = response.headers.get('location');
      await response.body?.cancel();
      if (location === null) return `${response.status} at ${new URL(next).pathname}`;
      next = new URL(location, next).href;
      const { searchParams } = new URL(next);
      if (searchParams.get('integration') !== null) return [searchParams.get('status'), searchParams.get('code')].filter(Boolean).join(' ');
    }
    return 'redirected too often';
  }

  async #tools(token: string): Promise<Record<string, string>> {
    const { account } = await this.#account(token);
    const { body } = await this.steward.call(`/auth/sources/accounts/${account.id}/tools`, { token });
    return Object.fromEntries(body.tools.map(({ tool, state }: { tool: string; state: string }) => [tool, state]));
  }

  /** The user's account, once its tools were read. */
  async #account(token: string): Promise<{ account: { id: string; status: string } }> {
    return eventually(async () => {
      const { body } = await this.steward.call('/auth/sources/accounts', { token });
      const [account] = body.accounts;
      if (account.listed_at === null && account.status === 'active') throw new Error('its tools are not read yet');
      return { account };
    });
  }

  /** A call that the account's permission doesn't cover is made again after a sign-in, as a user would. */
  async #call(token: string, source: string, index: number, input: object): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const body = JSON.stringify({ input });
      const headers = { 'content-type': 'application/json' };
      const response = await this.steward.call(`/agents/${source}.t${index}`, { token, body, headers });
      if (response.status === 200) return 'ok';
      const code: string = response.body?.error?.code ?? response.body?.code ?? String(response.status);
      if (!/reauth_required|missing_scopes/.test(code) || attempt > ATTEMPTS_AT_SIGN_IN) return code;
      const { account } = await this.#account(token);
      const again = await this.#connect(token, source, account.id);
      if (again !== 'connected') return `${code}: ${again}`;
    }
  }
}

/** Takes orders over HTTP, for the program that a suite starts for each of its scenarios. */
export async function openDesk(desk: SourceDesk): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const report = await desk.carryOut(JSON.parse(await text(request))).catch((error: unknown) => ({ error: String(error) }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(report));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
