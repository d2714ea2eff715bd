import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from './figures.ts';
import { plainReference, type Running, SERVICE, startServer } from './processes.ts';
import { hello, SocketLoad } from './socket-load.ts';
import type { Stage } from './stage.ts';

const PAIRS = 3;
const USERS = 1_000;
/** The maximum of one user. */
const SOCKETS_EACH = 10;
const SETTLE_MS = 5_000;
const WARM_UP = 1_000;

/** (h) Memory of 10,000 sockets after their first message: the service has authenticated it, bare ws has echoed it. */
export async function measureSockets(stage: Stage): Promise<Figure[]> {
  const hellos: string[] = [];
  for (let user = 0; user < USERS; user += 1) {
    hellos.push(...Array<string>(SOCKETS_EACH).fill(hello(await stage.issuer.sign(`socket-${user}`))));
  }
  const service: number[] = [];
  const reference: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    service.push(await memoryEach(SERVICE, stage.serviceEnv, hellos));
    reference.push(await memoryEach(plainReference('socket-reference'), stage.referenceEnv, hellos));
  }
  return [{ label: '(h) 10,000 sockets, memory each', unit: 'kB', service, reference, goal: { kind: 'at most', value: 2, of: 'ratio' } }];
}

/** Growth of a server's resident memory per socket, kB of 10³ bytes. */
async function memoryEach(file: string, env: Record<string, string>, hellos: string[]): Promise<number> {
  await using server = await startServer(file, env);
  using client = new SocketLoad();
  await warmUp(server, client, hellos);
  const before = server.residentMb();
  await client.run({ kind: 'open', port: server.port, hellos });
  await sleep(SETTLE_MS);
  const grown = server.residentMb() - before;
  await client.run({ kind: 'close' });
  return (grown * 1000) / hellos.length;
}

/** Loads the code and grows the heap's young generation, which do not belong to a socket. */
async function warmUp(server: Running, client: SocketLoad, hellos: string[]): Promise<void> {
  await client.run({ kind: 'open', port: server.port, hellos: hellos.slice(0, WARM_UP) });
  await client.run({ kind: 'close' });
  await sleep(SETTLE_MS);
}
