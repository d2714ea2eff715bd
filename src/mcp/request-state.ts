import { hash } from 'node:crypto';
import { createRequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '../clock/clock.ts';
import { canonicalJson } from '../validation/canonical-json.ts';

/** Longer than an approval is open: the client may call again after the decision. */
const TTL_SECONDS = 15 * 60;

/** What a client brings back with the call that it repeats after the user was asked. */
export interface AskedState {
  approvalId: string;
  /** Of the call: {@link hashOfCall}. */
  call: string;
}

interface MintedState extends AskedState {
  /** Milliseconds since 1970. The library has an expiry, too, by the machine's clock. */
  until: number;
}

/**
 * Signs and verifies this state, which passes through the client (Model Context Protocol, “Multi round-trip requests”).
 * It is bound to the client and its user, so that another's is as good as forged.
 */
export class AskedStates {
  readonly #keys: () => Promise<readonly Uint8Array[]>;
  readonly #clock: Clock;

  /** @param keys newest first; each has at least 32 bytes */
  constructor(keys: () => Promise<readonly Uint8Array[]>, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  async mint(state: AskedState, context: ServerContext): Promise<string> {
    const [newest] = await this.#codecs();
    if (newest === undefined) throw new Error('there is no key for the state of requests');
    return newest.mint({ ...state, until: this.#clock.now() + TTL_SECONDS * 1_000 }, context);
  }

  /** @throws Error for a state that is forged, has expired, or is of another client */
  async verify(state: string, context: ServerContext): Promise<AskedState> {
    const { until, ...asked } = await Promise.any((await this.#codecs()).map((codec) => codec.verify(state, context)));
    if (until < this.#clock.now()) throw new Error('the state of a request has expired');
    return asked;
  }

  async #codecs() {
    return (await this.#keys()).map((key) => createRequestStateCodec<MintedState>({ key, ttlSeconds: TTL_SECONDS, bind }));
  }
}

/** Of a tool's name and arguments. */
export function hashOfCall({ name, arguments: input = {} }: { name: string; arguments?: Record<string, unknown> | undefined }): string {
  return hash('sha256', canonicalJson([name, input]), 'base64url');
}

/** The id of a client's grant is its user's, too. */
function bind({ http }: ServerContext): string {
  return http?.authInfo?.clientId ?? '';
}
