import { hash } from 'node:crypto';
import { createRequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';
import { canonicalJson } from '../validation/canonical-json.ts';

/** Longer than an approval is open: the client may call again after the decision. */
const TTL_SECONDS = 15 * 60;

/** What a client brings back with the call that it repeats after the user was asked. */
export interface AskedState {
  approvalId: string;
  /** Of the call: {@link hashOfCall}. */
  call: string;
}

/**
 * Signs and verifies this state, which passes through the client (Model Context Protocol, “Multi round-trip requests”).
 * It is bound to the client and its user, so that another's is as good as forged.
 */
export class AskedStates {
  readonly #keys: () => Promise<readonly Uint8Array[]>;

  /** @param keys newest first; each has at least 32 bytes */
  constructor(keys: () => Promise<readonly Uint8Array[]>) {
    this.#keys = keys;
  }

  async mint(state: AskedState, context: ServerContext): Promise<string> {
    const [newest] = await this.#codecs();
    if (newest === undefined) throw new Error('there is no key for the state of requests');
    return newest.mint(state, context);
  }

  /** @throws Error for a state that is forged, has expired, or is of another client */
  async verify(state: string, context: ServerContext): Promise<AskedState> {
    return Promise.any((await this.#codecs()).map((codec) => codec.verify(state, context)));
  }

  async #codecs() {
    return (await this.#keys()).map((key) => createRequestStateCodec<AskedState>({ key, ttlSeconds: TTL_SECONDS, bind }));
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
