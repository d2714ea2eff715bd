import type { PlaidApi } from 'plaid';
import { z } from 'zod';
import type { BankSettings } from '../../config/config.ts';
import { type Telemetry, UNMEASURED } from '../../observability/telemetry.ts';
import { UserConcurrency } from '../../threads/user-concurrency.ts';
import { deadline } from '../deadline.ts';
import { identifier } from '../provider-text.ts';
import { parseJson } from '../response-json.ts';
import { LARGE_BYTES } from '../responses.ts';
import { asInputError, BankError, checkAnswer, toBankError } from './bank-errors.ts';
import { accountsAnswer, type BankItem, type ItemState, itemAnswer, productsWithoutConsent, toBankItem, toItemState } from './bank-item.ts';
import { type BankItemAccess, type BankSession, type CallOptions, openBankSession, type Send } from './bank-session.ts';
import type { WebhookKey } from './bank-webhook-keys.ts';

export interface LinkToken {
  link_token: string;
  /** ISO 8601. */
  expiration: string;
  request_id: string;
}

const CLIENT_NAME = 'Steward';
const UNKNOWN_KEY = 'INVALID_WEBHOOK_VERIFICATION_KEY_ID';
/** What an item must have. */
const PRODUCT = 'transactions';
/** What it has where its bank offers it: requiring account numbers would hide every bank without them. */
const PRODUCT_IF_SUPPORTED = 'auth';
/** Calls of one user at a time whose answers may be large. */
const LARGE_AT_A_TIME = 2;

const linkTokenAnswer = z.object({ link_token: z.string().min(1), expiration: z.string().min(1), request_id: z.string() });
const exchangeAnswer = z.object({ access_token: z.string().min(1), item_id: identifier.optional().catch(undefined) });
const removeAnswer = z.object({ request_id: z.string() });
const keyAnswer = z.object({
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

/** The bank-data aggregator (Plaid), through its SDK; every error is converted by {@link toBankError}. */
export class BankProvider {
  readonly #settings: BankSettings;
  readonly #timeoutMs: number;
  readonly #telemetry: Telemetry;
  readonly #lanes = new UserConcurrency(LARGE_AT_A_TIME);
  #client: Promise<PlaidApi> | undefined;

  constructor(settings: BankSettings, timeoutMs: number, telemetry: Telemetry = UNMEASURED) {
    this.#settings = settings;
    this.#timeoutMs = timeoutMs;
    this.#telemetry = telemetry;
  }

  /** Where the aggregator sends its events; undefined while it couldn't reach us. */
  get webhookUrl(): string | undefined {
    return this.#settings.webhookUrl;
  }

  /** Page of the sandbox's link flow for a link token; undefined with the real aggregator, whose widget runs in the front end. */
  linkPage(linkToken: string): string | undefined {
    if (this.#settings.linkPageUrl === undefined) return undefined;
    return `${this.#settings.linkPageUrl}?link_token=${encodeURIComponent(linkToken)}`;
  }

  /**
   * A token for the aggregator's link widget.
   *
   * @param userId opaque id of ours: never an e-mail address
   * @param accessToken of an item to repair or extend (update mode, which takes no products but asks for consent that is missing)
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
    const answer = await this.#call((client, options) =>
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
    return checkAnswer(linkTokenAnswer, answer);
  }

  /** What update mode asks for beside the login. Where the item can't be read, update mode is all the more needed: it goes without. */
  async #missingConsent(accessToken: string): Promise<{ additional_consented_products?: string[] }> {
    const missing = await this.#call((client, options) => client.itemGet({ access_token: accessToken }, options)).then(
      (item) => productsWithoutConsent(checkAnswer(itemAnswer, item), [PRODUCT, PRODUCT_IF_SUPPORTED]),
      () => [],
    );
    return missing.length === 0 ? {} : { additional_consented_products: missing };
  }

  /**
   * Exchanges a public token, which works once.
   *
   * @returns the item's id as undefined where it can't be used: the item has to be given back all the same
   */
  async exchange(publicToken: string): Promise<{ accessToken: string; itemId: string | undefined }> {
    const exchange = this.#call((client, options) => client.itemPublicTokenExchange({ public_token: publicToken }, options));
    const answer = await exchange.catch((error: unknown) => {
      // Its one field is whatever a client sent.
      throw asInputError(error, 'public_token: is not one of the bank aggregator’s. Start linking again.');
    });
    const { access_token: accessToken, item_id: itemId } = checkAnswer(exchangeAnswer, answer);
    return { accessToken, itemId };
  }

  /** The item with its accounts. An item that needs a new login refuses its accounts. */
  async describe(accessToken: string): Promise<BankItem> {
    const [item, accounts] = await Promise.all([
      this.#call((client, options) => client.itemGet({ access_token: accessToken }, options)),
      this.#call((client, options) => client.accountsGet({ access_token: accessToken }, options)),
    ]);
    return toBankItem(checkAnswer(itemAnswer, item), checkAnswer(accountsAnswer, accounts));
  }

  /** The item alone, which answers also while its bank doesn't let us in. Free of charge. */
  async itemState(accessToken: string): Promise<ItemState> {
    const item = await this.#call((client, options) => client.itemGet({ access_token: accessToken }, options));
    return toItemState(checkAnswer(itemAnswer, item));
  }

  /** Sends an item's events to this service from now on (Plaid: /item/webhook/update). */
  async updateWebhook(accessToken: string, webhook: string): Promise<void> {
    await this.#call((client, options) => client.itemWebhookUpdate({ access_token: accessToken, webhook }, options));
  }

  /**
   * The key that webhooks are signed with (Plaid: /webhook_verification_key/get).
   *
   * @returns undefined where the aggregator knows no such key id
   */
  async webhookKey(kid: string): Promise<WebhookKey | undefined> {
    try {
      const answer = await this.#call((client, options) => client.webhookVerificationKeyGet({ key_id: kid }, options));
      const { expired_at: expiredAt, ...jwk } = checkAnswer(keyAnswer, answer).key;
      return { jwk, expiredAt: expiredAt ?? null };
    } catch (error) {
      // A key id is whatever a stranger wrote: a refusal of it is no fault of ours.
      if (error instanceof BankError && (error.bankCode === UNKNOWN_KEY || asInputError(error) !== error)) return undefined;
      throw error;
    }
  }

  /** Removes the item, which ends its access token and its billing; one that is gone already counts as removed. */
  async remove(accessToken: string): Promise<void> {
    try {
      // A web page with 200 comes from something that stands before the aggregator: nothing is removed by it.
      checkAnswer(removeAnswer, await this.#call((client, options) => client.itemRemove({ access_token: accessToken }, options)));
    } catch (error) {
      if (error instanceof BankError && error.bankCode === 'ITEM_NOT_FOUND') return;
      throw error;
    }
  }

  /** Opens a session for an entry's actions; `signal` ends whatever it does. */
  session(item: BankItemAccess, signal: AbortSignal): BankSession {
    const { countryCodes } = this.#settings;
    const options = {
      send: (send: Send, limits: CallOptions) => this.#send(send, limits),
      lanes: this.#lanes,
      timeoutMs: this.#timeoutMs,
      countryCodes,
    };
    return openBankSession(options, item, signal);
  }

  /** A load that failed is tried again by the next call. */
  #connected(): Promise<PlaidApi> {
    this.#client ??= connect(this.#settings).catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  /** A call whose answer is small. */
  async #call(send: Send): Promise<unknown> {
    const bytes = await this.#send(send, { signal: deadline(this.#timeoutMs), maxContentLength: LARGE_BYTES });
    return parseJson(bytes);
  }

  async #send(send: Send, limits: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    const client = await this.#connected();
    return this.#telemetry.step({ kind: 'provider', name: 'bank' }, async () => {
      try {
        // Instead of axios' own time-out, which doesn't cover an answer that never ends, and fires before what came is read.
        const { data } = await send(client, limits);
        return Uint8Array.from(data as Uint8Array);
      } catch (error) {
        throw toBankError(error);
      }
    });
  }
}

/** The SDK costs some 275 ms and 60 MB: it is loaded by the first call that needs it. */
async function connect(settings: BankSettings): Promise<PlaidApi> {
  const { Configuration, PlaidApi: Api } = await import('plaid');
  return new Api(
    new Configuration({
      basePath: settings.baseUrl,
      baseOptions: {
        headers: { 'PLAID-CLIENT-ID': settings.clientId, 'PLAID-SECRET': settings.secret, 'Plaid-Version': '2020-09-14' },
        maxRedirects: 0,
        // Parsed by whoever knows how large it may be.
        responseType: 'arraybuffer',
        proxy: false,
      },
    }),
  );
}
