import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { SourceUser } from './source-user.ts';

/** A server that becomes a source. */
export interface OfferedServer {
  /** Its address. */
  url: string;
  auth: 'oauth' | 'none';
  /** Registered beforehand. */
  client?: { id: string; secret?: string };
  /** Tools that the integrations file lists. */
  tools: readonly string[];
}

/** What a scenario of a suite is used with. */
export interface Order extends OfferedServer {
  /** What to call, with the arguments of each. */
  calls: readonly { name: string; arguments: object }[];
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

const SECRET_VARIABLE = 'SUITE_CLIENT_SECRET';

/** A service whose sources are servers of others: each is a source of its own, with a user of its own. */
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
  static async start(secret: string = randomUUID()): Promise<SourceDesk> {
    const file = ownIntegrations('version: 1\nagents: {}\n');
    const env = { INTEGRATIONS_FILE: file, INTERNAL_HOSTS: 'localhost,127.0.0.1' };
    process.env[SECRET_VARIABLE] = secret;
    return new SourceDesk(await startSteward(env), file);
  }

  async stop(): Promise<void> {
    delete process.env[SECRET_VARIABLE];
    await this.steward.stop();
  }

  /** @returns a new user, who isn't connected yet */
  async offer(server: OfferedServer): Promise<SourceUser> {
    return SourceUser.signIn(this.steward, await this.#add(server), server.tools);
  }

  /** Adds a source, connects a new user to it, reads its tools and calls them. */
  async carryOut({ calls, ...server }: Order): Promise<Report> {
    const user = await this.offer(server);
    const report: Report = { connected: await user.connect(), tools: {}, calls: [] };
    if (report.connected !== 'connected') return report;
    if ((await user.account()).status !== 'active') report.connected = await user.connectAgain();
    report.tools = await user.tools();
    for (const call of calls.filter(({ name }) => report.tools[name] === 'allowed')) {
      report.calls.push(await user.callWithSignIns(call.name, call.arguments));
    }
    return report;
  }

  /** One file for all: with each source, it is read again. */
  async #add({ url, client, auth, tools }: OfferedServer): Promise<string> {
    this.#count += 1;
    const name = `s${this.#count}`;
    const secret = client?.secret === undefined ? '' : `, client_secret_variable: ${SECRET_VARIABLE}`;
    const own = client === undefined ? '' : `, client_id: ${JSON.stringify(client.id)}${secret}`;
    this.#sources += `  ${name}: { url: ${JSON.stringify(url)}, label: Server ${this.#count}, auth: ${auth}${own} }\n`;
    const actions = tools.map((tool, index) => `      t${index}: { tool: ${JSON.stringify(tool)}, effect: read }\n`).join('');
    this.#agents += `  ${name}:\n    provider: mcp\n    source: ${name}\n    description: A server of others.\n    actions:\n${actions}`;
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
    return name;
  }

  async #write(): Promise<void> {
    writeFileSync(this.#file, `version: 1\nsources:\n${this.#sources}agents:\n${this.#agents}`);
    const { status, text: why } = await this.steward.call('/update_integrations');
    if (status !== 200) throw new Error(why);
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
