import type { Clock, Timer } from '../../clock/clock.ts';
import { timeoutSignal } from '../../clock/clock.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import { readAccess } from './credentials.ts';
import { RpcError, SourceConnection } from './source-connection.ts';
import { REQUEST_MS } from './source-fetch.ts';

interface Entry {
  connection: Promise<SourceConnection>;
  uses: number;
  /** Closes it after a while without use. */
  idle: Timer | undefined;
}

const IDLE_MS = 60_000;
/** Beyond it, connections are closed with their last use. */
const MOST_KEPT = 500;

/** Connections to servers, kept open for a while: agreeing on one takes several requests. None is shared between users or credentials. */
export class SourceConnections {
  readonly #outbound: Outbound;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(outbound: Outbound, clock: Clock) {
    this.#outbound = outbound;
    this.#clock = clock;
  }

  /**
   * Works with the connection of a credential; after an error that is not the server's own answer, the next one opens another.
   *
   * @param owner whose connection it is: a user with a credential
   * @param credential the access token of a grant
   */
  async use<Result>(owner: string, credential: string, work: (connection: SourceConnection) => Promise<Result>): Promise<Result> {
    const entry = this.#entries.get(owner) ?? this.#open(owner, credential);
    entry.uses += 1;
    entry.idle?.cancel();
    try {
      return await work(await entry.connection);
    } catch (error) {
      if (!(error instanceof RpcError)) this.#drop(owner, entry);
      throw error;
    } finally {
      entry.uses -= 1;
      if (entry.uses === 0) this.#rest(owner, entry);
    }
  }

  /** Ends those that rest: the stream of a server would keep the process. */
  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const { idle } of entries) idle?.cancel();
    await Promise.allSettled(entries.map(async ({ connection }) => (await connection).close()));
  }

  #open(owner: string, credential: string): Entry {
    const signal = timeoutSignal(this.#clock, REQUEST_MS);
    const connection = SourceConnection.open(this.#outbound, this.#clock, readAccess(credential), signal);
    const entry = { connection, uses: 0, idle: undefined };
    this.#entries.set(owner, entry);
    return entry;
  }

  #drop(owner: string, entry: Entry): void {
    if (this.#entries.get(owner) === entry) this.#entries.delete(owner);
  }

  #rest(owner: string, entry: Entry): void {
    const close = () => {
      this.#drop(owner, entry);
      entry.connection.then((connection) => connection.close()).catch(() => {});
    };
    if (this.#entries.get(owner) !== entry || this.#entries.size > MOST_KEPT) close();
    else entry.idle = this.#clock.after(IDLE_MS, close).unref();
  }
}
