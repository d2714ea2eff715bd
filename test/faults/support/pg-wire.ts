/** One message of Postgres' protocol (version 3, "Message Formats"); the first of a client has no type. */
export interface WireMessage {
  type: string;
  bytes: Buffer;
  body: Buffer;
}

/** Cuts a stream into messages. */
export class WireReader {
  #rest: Buffer = Buffer.alloc(0);
  #startup: boolean;

  /** @param startup whether the stream begins with a message that has no type, as a client's does */
  constructor(startup: boolean) {
    this.#startup = startup;
  }

  read(chunk: Buffer): WireMessage[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const messages: WireMessage[] = [];
    for (;;) {
      const head = this.#startup ? 0 : 1;
      if (this.#rest.length < head + 4) return messages;
      const end = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < end) return messages;
      const bytes = this.#rest.subarray(0, end);
      messages.push({ type: this.#startup ? '' : String.fromCharCode(bytes[0] ?? 0), bytes, body: bytes.subarray(head + 4) });
      this.#rest = this.#rest.subarray(end);
      this.#startup = false;
    }
  }
}

/** A client's request between two ReadyForQuery messages. */
export class Statements {
  readonly #prepared = new Map<string, string>();
  #asked = '';

  /** @returns the SQL, once the message ends the request */
  take({ type, body }: WireMessage): string | undefined {
    if (type === 'Q') return texts(body)[0] ?? '';
    if (type === 'P') {
      const [name = '', sql = ''] = texts(body);
      this.#prepared.set(name, sql);
      this.#asked = sql;
    }
    // The second text of Bind names the statement.
    if (type === 'B') this.#asked = this.#prepared.get(texts(body)[1] ?? '') ?? this.#asked;
    if (type !== 'S') return undefined;
    const asked = this.#asked;
    this.#asked = '';
    return asked;
  }
}

/** The zero-terminated strings at the beginning of a body. */
function texts(body: Buffer): string[] {
  const first = body.indexOf(0);
  const second = body.indexOf(0, first + 1);
  return [body.toString('utf8', 0, first), body.toString('utf8', first + 1, second)];
}

/**
 * The lasting effect of a statement, in a word or two; undefined if it has none: a read, or a step within
 * a transaction. The queue's own statements are omitted: they come at any time.
 *
 * @param status of the transaction in ReadyForQuery: `I` is none
 */
export function lastingEffect(sql: string, status: string): string | undefined {
  const words = sql.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  if (words.includes('pgboss')) return undefined;
  if (words === 'commit') return 'commit';
  const [, verb, table] = /\b(insert into|update|delete from) (?:only )?([a-z_]+)/.exec(words) ?? [];
  if (status !== 'I' || verb === undefined) return undefined;
  return `${verb.split(' ', 1)[0]} ${table}`;
}
