import { didYouMean } from '../../validation/nearest-name.ts';
import type { CallOrRejection, DeclaredCall, Field, Fields } from '../shared/declared-call.ts';

import { BANK_CALLS, type BankCall, type BankSession } from './bank-session.ts';

interface BankMethod {
  fields: Fields;
  required: readonly string[];
  product?: 'transactions' | 'auth';
  paid?: true;
}

const TEXT: Field = { kind: 'string' };
const NUMBER: Field = { kind: 'number' };
const SWITCH: Field = { kind: 'boolean' };
const TEXTS: Field = { kind: 'array', items: TEXT };

function options(fields: Fields): { options: Field } {
  return { options: { kind: 'object', fields: () => fields } };
}

/** Options of both calls for transactions. */
const SHOWN = {
  include_original_description: SWITCH,
  include_personal_finance_category: SWITCH,
  include_logo_and_counterparty_beta: SWITCH,
  personal_finance_category_version: { kind: 'string', values: ['v1', 'v2'] },
  days_requested: NUMBER,
} satisfies Fields;

/** Fields from the aggregator's API reference, without token and credentials. */
const METHODS: Record<BankCall, BankMethod> = {
  'accounts/get': { fields: options({ account_ids: TEXTS }), required: [] },
  'accounts/balance/get': { fields: options({ account_ids: TEXTS, min_last_updated_datetime: TEXT }), required: [], paid: true },
  'transactions/get': {
    fields: {
      start_date: TEXT,
      end_date: TEXT,
      ...options({ account_ids: TEXTS, count: NUMBER, offset: NUMBER, include_personal_finance_category_beta: SWITCH, ...SHOWN }),
    },
    required: ['start_date', 'end_date'],
    product: 'transactions',
  },
  'transactions/sync': {
    fields: { cursor: TEXT, count: NUMBER, ...options({ account_id: TEXT, ...SHOWN }) },
    required: [],
    product: 'transactions',
  },
  'auth/get': { fields: options({ account_ids: TEXTS }), required: [], product: 'auth' },
  'item/get': { fields: {}, required: [] },
  'institutions/get_by_id': {
    fields: {
      institution_id: TEXT,
      country_codes: TEXTS,
      ...options({
        include_optional_metadata: SWITCH,
        include_status: SWITCH,
        include_auth_metadata: SWITCH,
        include_payment_initiation_metadata: SWITCH,
      }),
    },
    required: ['institution_id'],
  },
};

/** The call of a name, if actions may declare it and the agent has its product. */
export function findBankCall(name: string, products: readonly string[]): CallOrRejection {
  const known = BANK_CALLS.find((one) => one === name);
  if (known === undefined) {
    return { rejection: `${name} is not open to actions: only ${BANK_CALLS.join(', ')} are${didYouMean(name, BANK_CALLS)}` };
  }
  const { fields, required, product, paid } = METHODS[known];
  if (product !== undefined && !products.includes(product)) return { rejection: `${known} needs ${product} in the agent’s products` };
  const call: DeclaredCall = {
    name: known,
    fields,
    required,
    takesNull: () => false,
    escapesPath: () => false,
    rejection: () => undefined,
    scopes: [],
    effect: () => 'read',
    ...(paid && { paid }),
    ...(known === 'auth/get' && { masked: true }),
    tellingField: () => undefined,
    destructiveFields: [],
    exposure: async () => ({ audience: [], version: '', items: [] }),
    send: (session, args, reader, readerArgs) => (session as BankSession).call(known, args, reader, readerArgs),
  };
  return { call };
}
