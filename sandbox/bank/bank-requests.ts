import { z } from 'zod';
import { AggregatorError } from './bank-sandbox-errors.ts';
import { ITEM_WEBHOOKS, TRANSACTION_WEBHOOKS } from './bank-webhook-bodies.ts';
import { PRODUCTS } from './bank-world.ts';

const COUNTRIES = [
  'US',
  'GB',
  'ES',
  'NL',
  'FR',
  'IE',
  'CA',
  'DE',
  'IT',
  'PL',
  'DK',
  'NO',
  'SE',
  'EE',
  'LT',
  'LV',
  'PT',
  'BE',
  'AT',
  'FI',
] as const;
const LANGUAGES = ['da', 'de', 'en', 'es', 'et', 'fr', 'hi', 'it', 'lt', 'lv', 'nl', 'no', 'pl', 'pt', 'ro', 'sv', 'vi'] as const;
const CLIENT_NAME_LENGTH = 30;
const URL_LENGTH = 2_000;

const text = z.string().min(1, 'must be a non-empty string').max(500);
const address = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(URL_LENGTH);
const person = z.string().max(500).optional();
const token = { access_token: text };
const products = z.array(z.enum(PRODUCTS));
const countryCodes = z.array(z.enum(COUNTRIES)).min(1, 'must name a country');
const accountIds = z.array(text);
const date = z.iso.date('must be a date, YYYY-MM-DD');
const day = { start_date: date, end_date: date };
const accountOptions = z.strictObject({ account_ids: accountIds.optional() }).optional();
/** They have no effect here. */
const transactionOptions = {
  include_original_description: z.boolean().nullish(),
  include_personal_finance_category: z.boolean().optional(),
  include_logo_and_counterparty_beta: z.boolean().optional(),
  personal_finance_category_version: z.enum(['v1', 'v2']).optional(),
  days_requested: z.int().min(1).max(730).optional(),
};
/** They have no effect here. */
const institutionOptions = {
  include_optional_metadata: z.boolean().optional(),
  include_status: z.boolean().optional(),
  include_auth_metadata: z.boolean().optional(),
  include_payment_initiation_metadata: z.boolean().optional(),
};
/** Fields of the real API that have no effect here. */
const ignored = z.unknown().optional();

/** The body of each call, without credentials. Other fields are UNKNOWN_FIELDS. */
export const requests = {
  linkTokenCreate: z.strictObject({
    client_name: text.max(CLIENT_NAME_LENGTH, `must have at most ${CLIENT_NAME_LENGTH} characters`),
    language: z.enum(LANGUAGES),
    country_codes: countryCodes,
    user: z.strictObject({ client_user_id: text, legal_name: person, phone_number: person, email_address: person }),
    products: products.nullish(),
    access_token: text.nullish(),
    update: z
      .strictObject({ account_selection_enabled: z.boolean().optional(), reauthorization_enabled: z.boolean().optional() })
      .optional(),
    webhook: address.optional(),
    redirect_uri: address.optional(),
    transactions: ignored,
    auth: ignored,
    account_filters: ignored,
    link_customization_name: ignored,
    optional_products: products.nullish(),
    required_if_supported_products: products.nullish(),
    additional_consented_products: products.nullish(),
  }),
  linkTokenGet: z.strictObject({ link_token: text }),
  publicTokenExchange: z.strictObject({ public_token: text }),
  item: z.strictObject(token),
  itemRemove: z.strictObject({ ...token, reason_code: ignored, reason_note: z.string().max(512).nullish() }),
  webhookUpdate: z.strictObject({ ...token, webhook: address.nullish() }),
  accounts: z.strictObject({ ...token, options: accountOptions }),
  balance: z.strictObject({
    ...token,
    options: z
      .strictObject({ account_ids: accountIds.optional(), min_last_updated_datetime: z.iso.datetime({ offset: true }).optional() })
      .optional(),
  }),
  sync: z.strictObject({
    ...token,
    cursor: z.string().max(256, 'must have at most 256 characters').optional(),
    count: z.int().min(1).max(500).optional(),
    options: z.strictObject({ ...transactionOptions, account_id: text.optional() }).optional(),
  }),
  transactions: z.strictObject({
    ...token,
    ...day,
    options: z
      .strictObject({
        ...transactionOptions,
        include_personal_finance_category_beta: z.boolean().optional(),
        account_ids: accountIds.optional(),
        count: z.int().min(1).max(500).optional(),
        offset: z.int().min(0).optional(),
      })
      .optional(),
  }),
  institution: z.strictObject({
    institution_id: text,
    country_codes: countryCodes,
    options: z.strictObject(institutionOptions).optional(),
  }),
  publicTokenCreate: z.strictObject({
    institution_id: text,
    initial_products: products.min(1, 'must name a product'),
    options: z
      .strictObject({
        webhook: address.optional(),
        override_username: text.nullish(),
        override_password: text.nullish(),
        transactions: ignored,
      })
      .optional(),
  }),
  fireWebhook: z.strictObject({
    ...token,
    webhook_type: z.enum(['ITEM', 'TRANSACTIONS']).optional(),
    webhook_code: z.enum([...ITEM_WEBHOOKS, ...TRANSACTION_WEBHOOKS]),
  }),
  webhookKey: z.strictObject({ key_id: text }),
};

/**
 * Validates a body in the aggregator's order: missing, then unknown, then invalid fields.
 *
 * @throws AggregatorError MISSING_FIELDS, UNKNOWN_FIELDS or INVALID_FIELD
 */
export function parseRequest<S extends z.ZodType>(schema: S, body: Record<string, unknown>): z.output<S> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const { issues } = result.error;
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key].join('.')) : [],
  );
  const others = issues.filter((issue) => issue.code !== 'unrecognized_keys');
  const missing = others.filter((issue) => valueAt(body, issue.path) === undefined).map((issue) => issue.path.join('.'));
  if (missing.length > 0) throw new AggregatorError('MISSING_FIELDS', `the following required fields are missing: ${missing.join(', ')}`);
  if (unknown.length > 0) {
    throw new AggregatorError('UNKNOWN_FIELDS', `the following fields are not recognized by this endpoint: ${unknown.join(', ')}`);
  }
  const [first] = others;
  throw new AggregatorError('INVALID_FIELD', `${first?.path.join('.')}: ${first?.message}`);
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined), body);
}
