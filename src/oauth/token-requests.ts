import type { IncomingMessage } from 'node:http';
import type Provider from 'oidc-provider';
import type { Entries } from './entries/entries.ts';

/** A request whose body was read. */
export interface BufferedRequest extends IncomingMessage {
  text?: string;
}

export type KoaContext = Parameters<Parameters<Provider['use']>[0]>[0];

/** Runs the library for a request. @throws what it has thrown, which it has put into `context.state.failure` */
export async function settled(context: KoaContext, next: () => Promise<void>): Promise<void> {
  await next();
  if (context.state.failure !== undefined) throw context.state.failure;
}

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
 * A refresh token gives one response, which is repeated for some seconds: to clients that refresh several times at the same
 * moment, once for each call under way, and to those that did not receive it. Later, its use is reuse and ends the grant
 * (RFC 9700, 4.14.2).
 */
export class TokenRequests {
  readonly #entries: Entries;

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  /** @param next the library @throws what it has thrown, as `context.state.failure` */
  async respond(context: KoaContext, next: () => Promise<void>): Promise<void> {
    const entries = this.#entries;
    const secret = secretOf(context);
    const isRefresh = secret?.model === 'RefreshToken';
    const work = async () => {
      await settled(context, next);
      if (context.status >= 400) throw new Rejected();
      if (isRefresh) await entries.storeResponse(secret.value, context.body as object);
    };
    const userId = secret && (await entries.userOf(secret.model, secret.value));
    const isRepeated = async () => isRefresh && this.#repeat(context, secret.value);
    await entries.transaction(userId, work, isRepeated).catch((error: unknown) => {
      if (!(error instanceof Rejected)) throw error;
    });
  }

  /** Responds as to the first request with this token, if that was a moment ago. The library has checked the client. */
  async #repeat(context: KoaContext, token: string): Promise<boolean> {
    const response = await this.#entries.responseOf(token);
    if (response === undefined) return false;
    context.status = 200;
    context.body = response;
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
