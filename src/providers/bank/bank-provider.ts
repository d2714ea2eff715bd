import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlaidApi } from 'plaid';
import { z } from 'zod';
import type { Clock } from '../../clock/clock.ts';
import { loadOnce } from '../../concurrency/load-once.ts';
import { UserConcurrency } from '../../concurrency/user-concurrency.ts';
import type { BankSettings } from '../../config/config.ts';
import { type Telemetry, UNMEASURED } from '../../observability/telemetry.ts';
import { identifier } from '../shared/provider-text.ts';
import { deadline } from '../transport/deadline.ts';
import { parseJson } from '../transport/response-json.ts';
import { LARGE_BYTES } from '../transport/responses.ts';
import { asInputError, BankError, checkResponse, toBankError } from './bank-errors.ts';
import {
  accountsResponse,
  type BankItem,
  type ItemState,
  itemResponse,
  productsWithoutConsent,
  toBankItem,
  toItemState,
} from './bank-item.ts';
import { type BankItemAccess, type BankSession, type CallOptions, openBankSession, type Send } from './bank-session.ts';
import type { WebhookKey } from './bank-webhook-keys.ts';

const CLIENT_NAME = 'Steward';
const UNKNOWN_KEY = 'INVALID_WEBHOOK_VERIFICATION_KEY_ID';
/** The product that every item must have. */
const PRODUCT = 'transactions';
/** A product for banks that offer it. Requiring it would hide all other banks. */
const PRODUCT_IF_SUPPORTED = 'auth';
/** Concurrent calls of one user whose responses may be large. */
const LARGE_AT_A_TIME = 2;

const linkTokenResponse = z.object({ link_token: z.string().min(1), expiration: z.string().min(1), request_id: z.string() });
/** `expiration` is ISO 8601. */
export type LinkToken = z.output<typeof linkTokenResponse>;
const exchangeResponse = z.object({ access_token: z.string().min(1), item_id: identifier.optional().catch(undefined) });
const removeResponse = z.object({ request_id: z.string() });
const keyResponse = z.object({
  key: z.object({
    kid: identifier,
    alg: z.string(),
    crv: z.string(),
    kty: z.string(),
    x: z.string(),
    y: z.string(),
    expired_at: z.number().nullish(),
  }),
});

/** The bank aggregator (Plaid), through its SDK. Every error is converted by {@link toBankError}. */
export class BankProvider {
  readonly #settings: BankSettings;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #telemetry: Telemetry;
  readonly #concurrency = new UserConcurrency(LARGE_AT_A_TIME);
  readonly #connected: () => Promise<PlaidApi>;

  constructor(settings: BankSettings, timeoutMs: number, clock: Clock, telemetry: Telemetry = UNMEASURED) {
    this.#clock = clock;
    this.#settings = settings;
    this.#connected = loadOnce(() => connect(settings));
    this.#timeoutMs = timeoutMs;
    this.#telemetry = telemetry;
  }

  /** Where the aggregator sends webhooks; undefined if it cannot reach this service. */
  get webhookUrl(): string | undefined {
    return this.#settings.webhookUrl;
  }

  /** Page of the sandbox's link flow; undefined for the real aggregator, whose widget runs in the front end. */
  linkPage(linkToken: string): string | undefined {
    if (this.#settings.linkPageUrl === undefined) return undefined;
    return `${this.#settings.linkPageUrl}?link_token=${encodeURIComponent(linkToken)}`;
  }

  /**
   * A token for the aggregator's link widget.
   *
   * @param userId internal id, never a mail address
   * @param accessToken of an item to repair or extend (update mode, which requests missing consent instead of products)
   */
  async createLinkToken(userId: string, accessToken?: string): Promise<LinkToken> {
    const { webhookUrl } = this.#settings;
    const purpose =
      accessToken === undefined
        ? {
            products: [PRODUCT],
            required_if_supported_products: [PRODUCT_IF_SUPPORTED],
            ...(webhookUrl !== undefined && { webhook: webhookUrl }),
          }
        : { access_token: accessToken, update: { account_selection_enabled: true }, ...(await this.#missingConsent(accessToken)) };
    const response = await this.#call((client, options) =>
      client.linkTokenCreate(
        {
          client_name: CLIENT_NAME,
          language: 'en',
          country_codes: this.#settings.countryCodes,
          user: { client_user_id: userId },
          ...(this.#settings.redirectUri !== undefined && { redirect_uri: this.#settings.redirectUri }),
          ...purpose,
          // The SDK's enums are closed lists of plain strings; the aggregator validates them.
        } as Parameters<PlaidApi['linkTokenCreate']>[0],
        options,
      ),
    );
    return checkResponse(linkTokenResponse, response);
  }

  /** The consent that update mode requests beside the login; none if the item cannot be read, because then it needs the repair even more. */
  async #missingConsent(accessToken: string): Promise<{ additional_consented_products?: string[] }> {
    const missing = await this.#call((client, options) => client.itemGet({ access_token: accessToken }, options)).then(
      (item) => productsWithoutConsent(checkResponse(itemResponse, item), [PRODUCT, PRODUCT_IF_SUPPORTED]),
      () => [],
    );
    return missing.length === 0 ? {} : { additional_consented_products: missing };
  }

  /**
   * Exchanges a public token, which works once.
   *
   * @returns an undefined item id if it is invalid; the item must be removed even then
   */
  async exchange(publicToken: string): Promise<{ accessToken: string; itemId: string | undefined }> {
    const exchange = this.#call((client, options) => client.itemPublicTokenExchange({ public_token: publicToken }, options));
    const response = await exchange.catch((error: unknown) => {
      // Its only field comes from the client.
      throw asInputError(error, 'public_token: is not one of the bank aggregator’s. Start linking again.');
    });
    const { access_token: accessToken, item_id: itemId } = checkResponse(exchangeResponse, response);
    return { accessToken, itemId };
  }

  /** The item with its accounts. If the item needs a new login, its accounts cannot be read. */
  async describe(accessToken: string): Promise<BankItem> {
    const [item, accounts] = await Promise.all([
      this.#call((client, options) => client.itemGet({ access_token: accessToken }, options)),
      this.#call((client, options) => client.accountsGet({ access_token: accessToken }, options)),
    ]);
    return toBankItem(checkResponse(itemResponse, item), checkResponse(accountsResponse, accounts));
  }

  /** The item alone, which can be read even while the bank requires a login. Free of charge. */
  async itemState(accessToken: string): Promise<ItemState> {
    const item = await this.#call((client, options) => client.itemGet({ access_token: accessToken }, options));
    return toItemState(checkResponse(itemResponse, item));
  }

  /** Sets the address for an item's webhooks (Plaid: /item/webhook/update). */
  async updateWebhook(accessToken: string, webhook: string): Promise<void> {
    await this.#call((client, options) => client.itemWebhookUpdate({ access_token: accessToken, webhook }, options));
  }

  /**
   * The key that webhooks are signed with (Plaid: /webhook_verification_key/get).
   *
   * @returns undefined if the aggregator has no such key id
   */
  async webhookKey(kid: string): Promise<WebhookKey | undefined> {
    try {
      const response = await this.#call((client, options) => client.webhookVerificationKeyGet({ key_id: kid }, options));
      const { expired_at: expiredAt, ...jwk } = checkResponse(keyResponse, response).key;
      return { jwk, expiredAt: expiredAt ?? null };
    } catch (error) {
      // The key id comes from an unauthenticated request, so its rejection is no fault of the service.
      if (error instanceof BankError && (error.bankCode === UNKNOWN_KEY || asInputError(error) !== error)) return undefined;
      throw error;
    }
  }

  /** Removes the item, which ends its access token and its billing. An item that is already gone counts as removed. */
  async remove(accessToken: string): Promise<void> {
    try {
      // A web page with status 200 comes from an intermediary: nothing was removed.
      checkResponse(removeResponse, await this.#call((client, options) => client.itemRemove({ access_token: accessToken }, options)));
    } catch (error) {
      if (error instanceof BankError && error.bankCode === 'ITEM_NOT_FOUND') return;
      throw error;
    }
  }

  /** Opens a session for an item's actions. @param signal ends all of its requests */
  session(item: BankItemAccess, signal: AbortSignal): BankSession {
    const { countryCodes } = this.#settings;
    const options = {
      send: (send: Send, limits: CallOptions) => this.#send(send, limits),
      concurrency: this.#concurrency,
      timeoutMs: this.#timeoutMs,
      clock: this.#clock,
      countryCodes,
    };
    return openBankSession(options, item, signal);
  }

  /** A call with a small response. */
  async #call(send: Send): Promise<unknown> {
    const bytes = await this.#send(send, { signal: deadline(this.#clock, this.#timeoutMs), maxContentLength: LARGE_BYTES });
    return parseJson(bytes);
  }

  async #send(send: Send, limits: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    const client = await this.#connected();
    return this.#telemetry.step({ kind: 'provider', name: 'bank' }, async () => {
      try {
        // Instead of axios' timeout, which does not cover a response that never ends, and discards data that has arrived.
        const { data } = await send(client, limits);
        return Uint8Array.from(data as Uint8Array);
      } catch (error) {
        throw toBankError(error, this.#clock);
      }
    });
  }
}

/**
 * The SDK takes some 60 MB, so the first call that needs it loads it: its HTTP client first, in a turn of the event loop of
 * its own. An import would also search its 10 MB for the names of its exports, which takes a third of the time.
 */
async function connect(settings: BankSettings): Promise<PlaidApi> {
  const require = createRequire(import.meta.url);
  require('plaid/dist/base.js');
  await nextTurn();
  const { Configuration, PlaidApi: Api }: typeof import('plaid') = require('plaid');
  return new Api(
    new Configuration({
      basePath: settings.baseUrl,
      baseOptions: {
        headers: { 'PLAID-CLIENT-ID': settings.clientId, 'PLAID-SECRET': settings.secret, 'Plaid-Version': '2020-09-14' },
        maxRedirects: 0,
        // Parsed by the reader, which knows how large it may be.
        responseType: 'arraybuffer',
        proxy: false,
      },
    }),
  );
}
