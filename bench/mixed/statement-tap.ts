import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** The value of a parameter: text, or bytes if the client sent it as such. */
type Value = string | Buffer | null;

/** A proxy in front of Postgres that records the SQL. */
export interface StatementTap {
  /** The database's address through it. */
  url: string;
  /** Every statement that ran, with its largest parameters. */
  statements: Map<string, Value[]>;
  /** How many statements ran so far; one of several commands counts once. */
  readonly executed: number;
  close(): void;
}

const BIND = 0x42;
const PARSE = 0x50;
const QUERY = 0x51;

/**
 * Records what clients send (PostgreSQL, "Message Formats": Parse, Bind and Query). Connections without TLS only.
 *
 * @param databaseUrl of a Postgres that listens on TCP
 */
export async function tapStatements(databaseUrl: string): Promise<StatementTap> {
  const target = new URL(databaseUrl);
  const statements = new Map<string, Value[]>();
  let executed = 0;
  const server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port || 5432) });
    const texts = new Map<string, string>();
    const note = (text: string, values: Value[]) => {
      executed += 1;
      if (size(values) >= size(statements.get(text) ?? [])) statements.set(text, values);
    };
    const read = frontendReader((type, body) => {
      const message = new MessageReader(body);
      if (type === PARSE) texts.set(message.string(), message.string());
      if (type === BIND) {
        message.string();
        note(texts.get(message.string()) ?? '', message.values());
      }
      if (type === QUERY) note(message.string(), []);
    });
    client.on('data', read).on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href;
  return {
    url,
    statements,
    get executed() {
      return executed;
    },
    close: () => server.close(),
  };
}

function size(values: readonly Value[]): number {
  return values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
}

/** Cuts a client's stream into messages: first the one of the start-up, which has no type. */
function frontendReader(take: (type: number, body: Buffer) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  let started = false;
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const head = started ? 1 : 0;
      if (pending.length < head + 4) return;
      const end = head + pending.readInt32BE(head);
      if (pending.length < end) return;
      if (started) take(pending[0] ?? 0, pending.subarray(5, end));
      started = true;
      pending = pending.subarray(end);
    }
  };
}

/** The fields of one message, one after the other. */
class MessageReader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  string(): string {
    const end = this.#body.indexOf(0, this.#at);
    const text = this.#body.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  /** Formats (none: all are text; one: for all; 1 means bytes), then lengths (-1: null) and values. */
  values(): Value[] {
    const formats = Array.from({ length: this.#int16() }, () => this.#int16());
    return Array.from({ length: this.#int16() }, (_, index) => {
      const length = this.#int32();
      if (length < 0) return null;
      const bytes = this.#body.subarray(this.#at, this.#at + length);
      this.#at += length;
      const format = formats.length > 1 ? formats[index] : formats[0];
      return format === 1 ? Buffer.from(bytes) : bytes.toString();
    });
  }

  #int16(): number {
    this.#at += 2;
    return this.#body.readInt16BE(this.#at - 2);
  }

  #int32(): number {
    this.#at += 4;
    return this.#body.readInt32BE(this.#at - 4);
  }
}
