const WINDOW_MS = 1_000;

/**
 * Divides a rate among clients by what each asks for (max-min fairness): who asks for less than an equal share gets all of
 * it, and what is left is shared equally by the others.
 *
 * The maps hold the clients of two seconds, so their size is bounded by what a process can read in that time.
 */
export class FairShares {
  #current = new Map<string, number>();
  #last = new Map<string, number>();
  #startedAt: number;
  #share = { ofRate: Number.NaN, requests: 0, clients: 0 };
  /** Requests since the share was computed. */
  #since = 0;

  /** @param now milliseconds */
  constructor(now: number) {
    this.#startedAt = now;
  }

  /**
   * Counts a request, whatever becomes of it.
   *
   * @returns what the client asks for a second
   */
  count(client: string, now: number): number {
    this.#advance(now);
    const asked = (this.#current.get(client) ?? 0) + 1;
    this.#current.set(client, asked);
    this.#since += 1;
    return Math.max(asked, this.#last.get(client) ?? 0);
  }

  /**
   * The most requests a second that one client may have, so that all together have `perSecond`. Computed again after as many
   * requests as there are clients, because it takes a look at each of them.
   */
  shareOf(perSecond: number): number {
    if (this.#share.ofRate !== perSecond || this.#since >= this.#share.clients) {
      const asked = this.#asked();
      this.#share = { ofRate: perSecond, requests: equalShare(asked, perSecond), clients: asked.length };
      this.#since = 0;
    }
    return this.#share.requests;
  }

  /** What each client asks for a second, ascending. */
  #asked(): Float64Array {
    const asked = new Map(this.#last);
    for (const [client, count] of this.#current) asked.set(client, Math.max(count, asked.get(client) ?? 0));
    return Float64Array.from(asked.values()).sort();
  }

  #advance(now: number): void {
    const elapsed = now - this.#startedAt;
    if (elapsed < WINDOW_MS) return;
    this.#last = elapsed < 2 * WINDOW_MS ? this.#current : new Map();
    this.#current = new Map();
    this.#startedAt = now;
  }
}

/** @param asked by each client, ascending */
function equalShare(asked: Float64Array, total: number): number {
  let left = total;
  for (const [index, count] of asked.entries()) {
    const equal = left / (asked.length - index);
    if (count > equal) return equal;
    left -= count;
  }
  return Number.POSITIVE_INFINITY;
}
