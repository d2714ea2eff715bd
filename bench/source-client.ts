// Reference of (k) for sources: bare clients of the MCP SDK in a process of their own, each with one call at a time in progress.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The parent's request. */
export interface SourceClientOrder {
  url: string;
  clients: number;
  durationMs: number;
  tool: string;
  input: Record<string, unknown>;
}

export interface SourceClientResult {
  answers: number;
  elapsedMs: number;
  /** Processor time of the process. */
  cpuMs: number;
  /** Of the last answer. */
  structuredContent: unknown;
}

let connected: Client[] = [];

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function load({ url, clients, durationMs, tool, input }: SourceClientOrder): Promise<SourceClientResult> {
  if (connected.length !== clients) connected = await Promise.all(Array.from({ length: clients }, () => connect(url)));
  let answers = 0;
  let structuredContent: unknown;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const runLane = async (client: Client) => {
    while (performance.now() - start < durationMs) {
      ({ structuredContent } = await client.callTool({ name: tool, arguments: input }));
      answers += 1;
    }
  };
  await Promise.all(connected.map(runLane));
  const { user, system } = process.cpuUsage(cpu);
  return { answers, elapsedMs: performance.now() - start, cpuMs: (user + system) / 1000, structuredContent };
}

process.on('message', (order: SourceClientOrder) => {
  load(order).then(
    (result) => process.send?.(result),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
