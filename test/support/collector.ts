import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code?: number };
  attributes: Record<string, unknown>;
}

/** An OTLP/HTTP collector (OpenTelemetry protocol, "OTLP/HTTP") that keeps what it is sent. */
export interface Collector {
  url: string;
  /** What came, as bytes. */
  bodies: Buffer[];
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Of all that came as JSON. */
  spans(): CollectedSpan[];
  /** The resource that the last spans belong to. */
  resource(): Record<string, unknown>;
  /** Answers so from now on; 200 unless told. */
  status: number;
  close(): void;
}

export async function startCollector(): Promise<Collector> {
  const bodies: Buffer[] = [];
  const requests: Collector['requests'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(Buffer.concat(chunks));
    requests.push({ path: request.url ?? '', headers: request.headers });
    response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    requests,
    spans: () => resources(bodies).flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: any) => spans.map(toSpan))),
    resource: () => flat(resources(bodies).at(-1)?.resource.attributes),
    status: 200,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return collector;
}

function resources(bodies: Buffer[]): any[] {
  return bodies.flatMap((body) => JSON.parse(body.toString()).resourceSpans);
}

function toSpan(span: any): CollectedSpan {
  return { ...span, attributes: flat(span.attributes) };
}

function flat(attributes: { key: string; value: Record<string, unknown> }[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
