/** Share of the limit that one address may use… */
const ADDRESS_SHARE = 0.05;
/** …but at least this many, because users share addresses and each may open ten sockets at once. */
const ADDRESS_MIN = 20;

interface Waiting {
  /** Its token is being verified. */
  readonly authenticating: boolean;
}

/** Sockets that are not authenticated yet. At the limit, a new one replaces the oldest silent one: clients usually authenticate immediately. */
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

  /** @returns the socket that it replaces */
  enter(socket: Socket, address: string): Socket | undefined {
    const neighbours = this.#byAddress.get(address) ?? new Set();
    const crowded = neighbours.size >= this.#addressPlaces ? neighbours : this.#waiting.keys();
    const full = neighbours.size >= this.#addressPlaces || this.#waiting.size >= this.#places;
    const leaving = full ? oldestSilent(crowded) : undefined;
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
function oldestSilent<Socket extends Waiting>(sockets: Iterable<Socket>): Socket | undefined {
  let oldest: Socket | undefined;
  for (const socket of sockets) {
    if (!socket.authenticating) return socket;
    oldest ??= socket;
  }
  return oldest;
}
