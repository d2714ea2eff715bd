import type Provider from 'oidc-provider';
import type { Clock } from '../clock/clock.ts';
import { pollUntil } from '../clock/poll-until.ts';
import { AppError } from '../errors.ts';
import { CURRENT_REQUEST } from './entries/current-request.ts';
import type { Entries } from './entries/entries.ts';
import { PATHS } from './protocol.ts';
import { type KoaContext, settled } from './token-requests.ts';

const POLL_MS = 100;
/** The first answer may wait for the client's document. */
const POLL_LIMIT_MS = 3_000;

/**
 * Authorization requests that go on after the user's decision. Browsers ask again: the user presses twice, loads the page
 * again, or has lost the answer on the way. The first makes the code, and each gets its answer until the client has used it.
 */
export class ResumedRequests {
  readonly #provider: Provider;
  readonly #entries: Entries;
  readonly #clock: Clock;

  constructor(provider: Provider, entries: Entries, clock: Clock) {
    this.#provider = provider;
    this.#entries = entries;
    this.#clock = clock;
  }

  /**
   * @param next the library
   * @throws AppError `forbidden` in another browser than that in which the user has decided, and when the request is over;
   * what the library has thrown, as `context.state.failure`
   */
  async respond(context: KoaContext, next: () => Promise<void>): Promise<void> {
    const uid = context.path.slice(PATHS.authorize.length + 1);
    // The library goes on with the request that the cookie names, whatever the path says.
    if (context.cookies.get(this.#provider.cookieName('resume'), { signed: true }) !== uid) throw notHere();
    const interaction = await this.#provider.Interaction.find(uid);
    if (interaction === undefined) return this.#repeat(context, uid, notHere());
    const { error, login } = interaction.result ?? {};
    if (error === undefined) assertDecider(login?.accountId);
    try {
      await this.#first(context, uid, login?.accountId, next);
    } catch (failure) {
      await this.#repeat(context, uid, failure);
    }
  }

  async #first(context: KoaContext, uid: string, userId: string | undefined, next: () => Promise<void>): Promise<void> {
    await this.#entries.request(() => settled(context, next));
    const location = context.response.get('location');
    // The library has asked the user again.
    if (location === '' || location.startsWith(`${this.#provider.issuer}${PATHS.consent}/`)) return;
    await this.#entries.storeAnswer(uid, { location, code: context.oidc.entities.AuthorizationCode?.jti, userId });
    // The library ends its cookie, without which the browser couldn't ask again.
    context.res.removeHeader('set-cookie');
  }

  /** Responds as to the first request, which may still be under way. @throws `failure` when there was none, or it is over */
  async #repeat(context: KoaContext, uid: string, failure: unknown): Promise<void> {
    const look = () => this.#entries.answerOf(uid);
    const answer = await pollUntil(this.#clock, look, (seen) => seen !== undefined, { everyMs: POLL_MS, limitMs: POLL_LIMIT_MS });
    if (answer === undefined || answer.isUsed) throw failure;
    if (answer.userId !== undefined) assertDecider(answer.userId);
    context.state.failure = undefined;
    context.res.removeHeader('set-cookie');
    context.redirect(answer.location);
    context.status = 303;
  }
}

/**
 * The code is given to the browser in which the user has decided: another one could have begun the request, and have placed
 * its cookies in the user's (RFC 9700, 4.7).
 *
 * @param userId who has decided; undefined: nobody yet, and a decision could be made at any moment
 * @throws AppError `forbidden`
 */
function assertDecider(userId: string | undefined): void {
  const current = CURRENT_REQUEST.getStore();
  if (current === undefined || userId === undefined || userId !== current.userId) throw notHere();
  // The decision has stored the client.
  current.mayFetch = false;
}

function notHere(): AppError {
  return new AppError('forbidden', 'Continue in the browser in which you decided, or start again in the app.');
}
