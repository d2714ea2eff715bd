import type { IncomingMessage } from 'node:http';
import type Provider from 'oidc-provider';
import type { Clock } from '../clock/clock.ts';
import type { Entries } from './entries.ts';
import type { Arrival } from './entries-repository.ts';

/** A request whose body was read. */
export interface BufferedRequest extends IncomingMessage {
  text?: string;
}

export type KoaContext = Parameters<Parameters<Provider['use']>[0]>[0];

/** The code or refresh token of a token request. */
interface Secret {
  model: 'AuthorizationCode' | 'RefreshToken';
  value: string;
}

/** What a token request brings, by its grant type (RFC 6749, 4.1.3 and 6); its other parameters are ignored. */
const BROUGHT = new Map<string | null, { model: Secret['model']; parameter: string }>([
  ['authorization_code', { model: 'AuthorizationCode', parameter: 'code' }],
  ['refresh_token', { model: 'RefreshToken', parameter: 'refresh_token' }],
]);

/**
 * Token requests: each is one transaction, because the library uses a token up before it has checked everything.
 *
 * A refresh token is good for one response. Clients with several calls under way when their access token expires refresh
 * once for each of these, at the same moment; so each response waits a little, and requests with the same token that
 * arrive until then get the same response, also those that another replica answers later. It is kept until it is sent, also
 * for a client that repeats its request because none arrived. A request that arrives once it was sent ends the grant
 * (RFC 9700, 4.14.2).
 */
export class TokenRequests {
  readonly #entries: Entries;
  readonly #waitMs: number;
  readonly #clock: Clock;
  /** Requests with a refresh token that this process has under way, by the token. */
  readonly #underWay = new Map<string, { count: number; isSent: boolean }>();

  /** @param waitMs how long the response to a refresh waits, milliseconds */
  constructor(entries: Entries, waitMs: number, clock: Clock) {
    this.#entries = entries;
    this.#waitMs = waitMs;
    this.#clock = clock;
  }

  /** @param next the library @throws what it has thrown, as `context.state.failure` */
  async respond(context: KoaContext, next: () => Promise<void>): Promise<void> {
    const secret = secretOf(context);
    if (secret?.model !== 'RefreshToken') return this.#run(context, secret, next);
    const { value: token } = secret;
    const same = this.#underWay.get(token) ?? { count: 0, isSent: false };
    this.#underWay.set(token, same);
    same.count += 1;
    try {
      await this.#run(context, secret, next);
      if (context.status === 200) await this.#clock.sleep(this.#waitMs);
      // A client that has left will repeat its request.
      same.isSent ||= context.status === 200 && !context.res.destroyed;
    } finally {
      same.count -= 1;
      if (same.count === 0) await this.#end(token, same.isSent);
    }
  }

  /** The last of several ends it for all, also when it failed itself. */
  async #end(token: string, isSent: boolean): Promise<void> {
    this.#underWay.delete(token);
    if (isSent) await this.#entries.markSent(token);
  }

  async #run(context: KoaContext, secret: Secret | undefined, next: () => Promise<void>): Promise<void> {
    const entries = this.#entries;
    const isRefresh = secret?.model === 'RefreshToken';
    const work = async () => {
      await next();
      if (context.state.failure !== undefined) throw context.state.failure;
      if (context.status >= 400) throw new Rejected();
      if (isRefresh) await entries.keepResponse(secret.value, context.body as object);
    };
    // Before it waits for its user's other requests: the response can be sent meanwhile, on another replica.
    const arrival = secret && (await entries.arrivalOf(secret.model, secret.value));
    const again = async () => isRefresh && arrival !== undefined && this.#respondAgain(context, secret.value, arrival);
    await entries.transaction(arrival?.userId ?? undefined, work, again).catch((error: unknown) => {
      if (!(error instanceof Rejected)) throw error;
    });
  }

  /** The response that another request with this token gets, if this one arrived in time. The library has checked the client. */
  async #respondAgain(context: KoaContext, token: string, arrival: Arrival): Promise<boolean> {
    const kept = await this.#entries.keptResponse(token, arrival);
    if (kept === undefined) return false;
    context.status = 200;
    context.body = kept;
    return true;
  }
}

/** The request is answered with an error, and what it has stored until then is rolled back. */
class Rejected extends Error {}

function formOf({ req }: KoaContext): URLSearchParams {
  return new URLSearchParams((req as BufferedRequest).text);
}

function secretOf(context: KoaContext): Secret | undefined {
  const form = formOf(context);
  const brought = BROUGHT.get(form.get('grant_type'));
  const value = brought && form.get(brought.parameter);
  return brought && value ? { model: brought.model, value } : undefined;
}
