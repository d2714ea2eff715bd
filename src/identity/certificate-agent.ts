import { Agent, type ClientRequestArgs, globalAgent as plainAgent } from 'node:http';
import { globalAgent as tlsAgent } from 'node:https';
import { type Duplex, duplexPair } from 'node:stream';

type OnConnection = (error: Error | null, stream: Duplex) => void;

/**
 * Answers firebase-admin's requests for certificates from ours, in memory, and passes every other connection on.
 *
 * `createConnection` is Node's documented seam for this, `httpAgent` the library's. The answer carries no
 * Cache-Control, so that the library asks at every verification and our bounds on the keys hold alone
 * (docs/decisions: Firebase's certificates).
 */
export class CertificateAgent extends Agent {
  /** Unset, so that Node lets the agent serve both schemes: the emulator speaks plain HTTP, all others TLS. */
  readonly protocol = undefined;
  readonly #host: string;
  readonly #certificates: () => ReadonlyMap<string, string>;
  readonly #upstream: Agent;

  /**
   * @param host whose requests are answered here
   * @param certificates key id → PEM, as of now
   * @param upstream makes the connections to all other https hosts
   */
  constructor(host: string, certificates: () => ReadonlyMap<string, string>, upstream: Agent = tlsAgent) {
    super({ defaultPort: 443 });
    this.#host = host;
    this.#certificates = certificates;
    this.#upstream = upstream;
  }

  override createConnection(options: ClientRequestArgs, onConnection?: OnConnection): Duplex | null | undefined {
    if (options.host === this.#host) return answerWith(JSON.stringify(Object.fromEntries(this.#certificates())));
    const agent = options.protocol === 'http:' ? plainAgent : this.#upstream;
    return agent.createConnection(options, onConnection);
  }
}

/** A connection on which any request is answered with this JSON, once. */
function answerWith(json: string): Duplex {
  const [client, server] = duplexPair();
  const head = ['HTTP/1.1 200 OK', 'content-type: application/json', `content-length: ${Buffer.byteLength(json)}`, 'connection: close'];
  server.once('data', () => server.end(`${head.join('\r\n')}\r\n\r\n${json}`));
  return client;
}
