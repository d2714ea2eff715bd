import { SocketClient } from '../../support/users/socket-client.ts';
import { ask, within } from './ask.ts';
import { Claims } from './claims.ts';
import { type Operation, type Outcome, operationsOf } from './person-operations.ts';
import type { World } from './world.ts';

/** Authentication and the response, each within 20 s. */
const FRAME_MS = 45_000;

let people = 0;

/** A user who remembers the service's responses, with one operation at a time. */
export class Person {
  readonly name: string;
  readonly claims = new Claims();
  readonly token: string;
  /** Tokens of this user may be lost before they are stored: the process is killed, or rejects the response. */
  mayForget = false;
  readonly #world: World;
  readonly #operations = operationsOf(this);
  #sockets = new Map<string, SocketClient>();
  #things = 0;

  private constructor(world: World, name: string, token: string) {
    this.#world = world;
    this.name = name;
    this.token = token;
  }

  static async create(world: World): Promise<Person> {
    people += 1;
    const name = `p${people}`;
    const issued = Math.floor(Date.now() / 1000) - world.tokenAge;
    return new Person(world, name, await world.issuer.sign(name, { iat: issued, auth_time: issued }));
  }

  /** @param base the replica's address */
  do(operation: Operation, base: string): Promise<Outcome> {
    return this.#operations[operation](base);
  }

  get world(): World {
    return this.#world;
  }

  /** A unique name. */
  newThing(): string {
    this.#things += 1;
    return `${this.name}-${this.#things}`;
  }

  call(base: string, path: string, request: { method?: string; form?: Record<string, string>; cookie?: string } = {}) {
    return ask(base, path, { ...request, token: this.token });
  }

  /** One frame and its response; undefined if there was none. */
  async frame(base: string, frame: object): Promise<Record<string, any> | undefined> {
    const response = await within(FRAME_MS, this.#exchange(base, frame));
    if (response === undefined) {
      this.#sockets.get(base)?.socket.terminate();
      this.#sockets.delete(base);
    }
    return response;
  }

  async #exchange(base: string, frame: object): Promise<Record<string, any>> {
    const open = this.#sockets.get(base);
    const socket = open?.socket.readyState === 1 ? open : await SocketClient.signedIn(base, this.token);
    this.#sockets.set(base, socket);
    // Earlier frames are obsolete.
    socket.frames.length = 0;
    return socket.request(frame);
  }

  leave(): void {
    for (const { socket } of this.#sockets.values()) socket.terminate();
    this.#sockets = new Map();
  }
}
