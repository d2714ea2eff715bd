import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startLoopbackServer } from './loopback-server.ts';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code?: number };
  attributes: Record<string, unknown>;
}

/** An OTLP/HTTP collector (OpenTelemetry protocol, "OTLP/HTTP") that keeps what it receives. */
export interface Collector {
  url: string;
  /** The bodies received, as protobuf. */
  bodies: Buffer[];
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** All spans received. */
  spans(): CollectedSpan[];
  /** Attributes of the resource of the last spans. */
  resource(): Record<string, unknown>;
  /** Status of the following responses; 200 by default. */
  status: number;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const bodies: Buffer[] = [];
  const requests: Collector['requests'] = [];
  const { url, close } = await startLoopbackServer(async (request, response) => {
    bodies.push(await buffer(request));
    requests.push({ path: request.url ?? '', headers: request.headers });
    response.writeHead(collector.status, { 'content-type': 'application/x-protobuf' }).end();
  });
  const collector: Collector = {
    url,
    bodies,
    requests,
    spans: () => resources(bodies).flatMap(spansOf),
    resource: () => attributesOf(messages(resources(bodies).at(-1) ?? new Map(), 1)[0], 1),
    status: 200,
    close,
  };
  return collector;
}

/** ExportTraceServiceRequest → ResourceSpans (opentelemetry-proto, trace/v1). */
function resources(bodies: Buffer[]): Message[] {
  return bodies.flatMap((body) => messages(decode(body), 1));
}

function spansOf(resourceSpans: Message): CollectedSpan[] {
  return messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2).map(toSpan));
}

function toSpan(span: Message): CollectedSpan {
  const hex = (field: number) => bytes(span, field).toString('hex');
  const code = messages(span, 15)[0]?.get(3)?.[0];
  return {
    traceId: hex(1),
    spanId: hex(2),
    ...(span.has(4) && { parentSpanId: hex(4) }),
    name: bytes(span, 5).toString(),
    kind: Number(span.get(6)?.[0]),
    status: code === undefined ? {} : { code: Number(code) },
    attributes: attributesOf(span, 9),
  };
}

/** KeyValue → its AnyValue, text as such. */
function attributesOf(message: Message | undefined, field: number): Record<string, unknown> {
  const pairs = message === undefined ? [] : messages(message, field);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value] = [...(messages(pair, 2)[0]?.values() ?? [])].flat();
      return [bytes(pair, 1).toString(), Buffer.isBuffer(value) ? value.toString() : Number(value)];
    }),
  );
}

/** Field number → values as received: integers, or bytes of strings and messages. */
type Message = Map<number, (bigint | Buffer)[]>;

function messages(message: Message, field: number): Message[] {
  return (message.get(field) ?? []).map((value) => decode(value as Buffer));
}

function bytes(message: Message, field: number): Buffer {
  return message.get(field)?.[0] as Buffer;
}

/** Protocol buffers' wire format (protobuf.dev, "Encoding"). */
function decode(body: Buffer): Message {
  const message: Message = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = body.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    at += length;
    return body.subarray(at - length, at);
  };
  while (at < body.length) {
    const tag = Number(varint());
    const type = tag & 7;
    const value = type === 0 ? varint() : take(type === 2 ? Number(varint()) : type === 1 ? 8 : 4);
    message.set(tag >> 3, [...(message.get(tag >> 3) ?? []), value]);
  }
  return message;
}
