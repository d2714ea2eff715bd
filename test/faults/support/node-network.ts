import { execFileSync } from 'node:child_process';

/** Addresses for tests of networks (RFC 2544), of which one run takes 256. */
const RANGE = '198.18';
/** Addresses of loopback without network namespaces. */
const LOOPBACK = '127.18';
const FIRST_HOST = 11;

/**
 * Addresses of machines that are connected by a network. As root on Linux, each is a network namespace that can be cut
 * off; otherwise they are addresses of loopback, which cannot.
 */
export class NodeNetwork {
  readonly #number = (process.pid % 255) + 1;
  readonly #size: number;
  readonly canCut: boolean;

  /** @param size number of nodes */
  constructor(size: number) {
    this.#size = size;
    process.once('exit', () => this.remove());
    this.canCut = this.#create();
  }

  /** @param node from 0 */
  address(node: number): string {
    return `${this.canCut ? RANGE : LOOPBACK}.${this.#number}.${FIRST_HOST + node}`;
  }

  /** The command line that runs a program on a node. */
  command(node: number, program: string, args: readonly string[]): [string, string[]] {
    if (!this.canCut) return [program, [...args]];
    // Entering a namespace requires root; the program runs as another user.
    const user = ['--setuid', postgresId('-u'), '--setgid', postgresId('-g')];
    return ['nsenter', [`--net=/run/netns/${this.#name(node)}`, ...user, program, ...args]];
  }

  /** Nothing reaches the node or leaves it, and nothing is reset. */
  cut(node: number): void {
    ip(`link set ${this.#name(node)} down`);
  }

  join(node: number): void {
    ip(`link set ${this.#name(node)} up`);
  }

  remove(): void {
    // A namespace without its name continues as long as a process runs in it, and with it the network interface.
    const commands = this.#nodes((name) => [`link del ${name}`, `netns del ${name}`]).flat();
    for (const command of [...commands, `link del ${this.#bridge}`]) {
      try {
        ip(command);
      } catch {
        // It was not created.
      }
    }
  }

  #create(): boolean {
    if (process.getuid?.() !== 0) return false;
    try {
      ip(`link add ${this.#bridge} type bridge`);
      ip(`addr add ${RANGE}.${this.#number}.1/24 dev ${this.#bridge}`);
      ip(`link set ${this.#bridge} up`);
      this.#nodes((name, node) => {
        ip(`netns add ${name}`);
        ip(`link add ${name} type veth peer name eth0 netns ${name}`);
        ip(`link set ${name} master ${this.#bridge} up`);
        ip(`-n ${name} addr add ${RANGE}.${this.#number}.${FIRST_HOST + node}/24 dev eth0`);
        ip(`-n ${name} link set lo up`);
        ip(`-n ${name} link set eth0 up`);
      });
      return true;
    } catch {
      // A container may not create network interfaces.
      this.remove();
      return false;
    }
  }

  #nodes<Result>(each: (name: string, node: number) => Result): Result[] {
    return Array.from({ length: this.#size }, (_, node) => each(this.#name(node), node));
  }

  get #bridge(): string {
    return `stw${this.#number}`;
  }

  #name(node: number): string {
    return `stw${this.#number}n${node + 1}`;
  }
}

function ip(args: string): void {
  execFileSync('ip', args.split(' '), { stdio: 'ignore' });
}

function postgresId(flag: string): string {
  return execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }).trim();
}
