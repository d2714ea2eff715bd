/** Share of all places that one address may have… */
const ADDRESS_SHARE = 0.05;
/** …but at least so many: people share addresses, and each may open ten sockets at once. */
const ADDRESS_MIN = 20;

interface Waiting {
  /** It has spoken, and its token is being checked. */
  readonly authenticating: boolean;
}

/** Sockets that have not signed in yet. Who came last is let in: most need a moment only, and the silent ones hold their places on purpose. */
export class UnauthenticatedConnections<Socket extends Waiting> {
  readonly #places: number;
  readonly #addressPlaces: number;
  /** With their addresses, oldest first. */
  readonly #waiting = new Map<Socket, string>();
  readonly #byAddress = new Map<string, Set<Socket>>();

  constructor(places: number) {
    this.#places = places;
    this.#addressPlaces = Math.max(ADDRESS_MIN, Math.floor(places * ADDRESS_SHARE));
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** @returns the one that had to make room */
  enter(socket: Socket, address: string): Socket | undefined {
    const neighbours = this.#byAddress.get(address) ?? new Set();
    const crowded = neighbours.size >= this.#addressPlaces ? neighbours : this.#waiting.keys();
    const full = neighbours.size >= this.#addressPlaces || this.#waiting.size >= this.#places;
    const leaving = full ? first(crowded) : undefined;
    if (leaving !== undefined) this.leave(leaving);
    neighbours.add(socket);
    this.#byAddress.set(address, neighbours);
    this.#waiting.set(socket, address);
    return leaving;
  }

  leave(socket: Socket): void {
    const address = this.#waiting.get(socket);
    if (address === undefined) return;
    this.#waiting.delete(socket);
    const neighbours = this.#byAddress.get(address);
    neighbours?.delete(socket);
    if (neighbours?.size === 0) this.#byAddress.delete(address);
  }
}

/** The oldest that is silent, or else the oldest. */
function first<Socket extends Waiting>(sockets: Iterable<Socket>): Socket | undefined {
  let oldest: Socket | undefined;
  for (const socket of sockets) {
    if (!socket.authenticating) return socket;
    oldest ??= socket;
  }
  return oldest;
}
