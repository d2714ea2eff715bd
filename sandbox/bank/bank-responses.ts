import { accountsOf, bankOf, consentedProducts, holderOf, type ItemAccount } from './bank-items.ts';
import { withOddRow } from './bank-odd-rows.ts';
import { AggregatorError, errorBody } from './bank-sandbox-errors.ts';
import type { Item } from './bank-state.ts';
import type { Transaction } from './bank-transactions.ts';
import { draw, type SandboxInstitution, stableId } from './bank-world.ts';

/** An item in a response. */
export function itemBody(item: Item): object {
  const bank = bankOf(item);
  return {
    item_id: item.id,
    institution_id: bank.id,
    institution_name: bank.name,
    webhook: item.webhook,
    auth_method: 'INSTANT_AUTH',
    error: item.status === 'login_required' ? errorBody('ITEM_LOGIN_REQUIRED') : null,
    available_products: bank.products.filter((product) => !item.products.includes(product)),
    billed_products: item.products,
    products: item.products,
    consented_products: consentedProducts(item),
    consent_expiration_time: item.consentExpiresAt === undefined ? null : new Date(item.consentExpiresAt).toISOString(),
    update_type: 'background',
  };
}

/** An item in the response of `/item/get`, which alone says when it was created. */
export function datedItemBody(item: Item): object {
  return { ...itemBody(item), created_at: new Date(item.createdAt).toISOString() };
}

/**
 * Accounts of an item in a response.
 *
 * @param ids only these
 * @param readAt when the bank returned the balances, ISO 8601; absent: cached balances
 * @throws AggregatorError INVALID_ACCOUNT_ID
 */
export function accountBodies(item: Item, ids?: readonly string[], readAt: string | null = null): object[] {
  const bodies = selected(item, ids).map((account) => accountBody(item, account, readAt));
  return withOddRow(item, bodies);
}

/** Account and routing numbers (product `auth`) of an item's checking and savings accounts. */
export function authBody(item: Item, ids?: readonly string[]): object {
  const accounts = selected(item, ids).filter(({ subtype }) => subtype === 'checking' || subtype === 'savings');
  if (accounts.length === 0) throw new AggregatorError('NO_AUTH_ACCOUNTS');
  const inDollars = accounts.filter(({ currency }) => currency === 'USD');
  const { routing } = bankOf(item);
  const ach = inDollars.map((account) => ({
    account_id: account.id,
    account: accountNumber(item, account),
    is_tokenized_account_number: false,
    routing,
    // Many banks allow no wires to savings accounts.
    wire_routing: account.subtype === 'savings' ? null : routing,
    can_transfer_in: true,
    can_transfer_out: true,
  }));
  const international = accounts
    .filter((account) => !inDollars.includes(account))
    .map((account) => ({ account_id: account.id, iban: ibanOf(accountNumber(item, account)), bic: 'SANDDEFFXXX' }));
  return { accounts: accounts.map((account) => accountBody(item, account)), numbers: { ach, eft: [], international, bacs: [] } };
}

export function institutionBody(bank: SandboxInstitution): object {
  return {
    institution_id: bank.id,
    name: bank.name,
    products: bank.products,
    country_codes: ['US'],
    url: bank.url,
    primary_color: null,
    logo: null,
    routing_numbers: [bank.routing],
    dtc_numbers: [],
    oauth: false,
    status: null,
  };
}

export function transactionBody({ currency, category, subcategory, ...transaction }: Transaction): object {
  return {
    ...transaction,
    iso_currency_code: currency,
    unofficial_currency_code: null,
    original_description: null,
    category: null,
    category_id: null,
    transaction_type: transaction.payment_channel === 'in store' ? 'place' : 'special',
    logo_url: null,
    website: null,
    merchant_entity_id: transaction.merchant_name === null ? null : stableId(`merchant/${transaction.merchant_name}`),
    check_number: null,
    location: NOWHERE,
    payment_meta: NO_PAYMENT_META,
    account_owner: null,
    authorized_datetime: null,
    datetime: null,
    personal_finance_category: { primary: category, detailed: subcategory, confidence_level: 'HIGH', version: 'v2' },
    personal_finance_category_icon_url: `https://plaid-category-icons.plaid.com/PFC_${category}.png`,
    transaction_code: null,
    counterparties: [],
  };
}

const NOWHERE = { address: null, city: null, region: null, postal_code: null, country: null, lat: null, lon: null, store_number: null };
const NO_PAYMENT_META = {
  reference_number: null,
  ppd_id: null,
  payee: null,
  by_order_of: null,
  payer: null,
  payment_method: null,
  payment_processor: null,
  reason: null,
};

function selected(item: Item, ids: readonly string[] | undefined): ItemAccount[] {
  const accounts = accountsOf(item);
  if (ids === undefined) return accounts;
  return ids.map((id) => {
    const account = accounts.find((candidate) => candidate.id === id);
    if (account === undefined) throw new AggregatorError('INVALID_ACCOUNT_ID');
    return account;
  });
}

function accountBody(item: Item, account: ItemAccount, readAt: string | null = null): object {
  const { available, current, limit, currency } = account;
  return {
    account_id: account.id,
    balances: { available, current, limit, iso_currency_code: currency, unofficial_currency_code: null, last_updated_datetime: readAt },
    mask: account.mask,
    name: account.name,
    official_name: account.officialName,
    type: account.type,
    subtype: account.subtype,
    holder_category: 'personal',
    ...(bankOf(item).persistentIds && account.type === 'depository' && { persistent_account_id: persistentId(item, account) }),
  };
}

/** The same for every link of one login to one account. */
function persistentId(item: Item, account: ItemAccount): string {
  return stableId(`persistent/${holderOf(item.institutionId, item.login)}/${account.key}`);
}

/** Ten digits that end in the mask. */
function accountNumber(item: Item, account: ItemAccount): string {
  const luck = draw(`number/${holderOf(item.institutionId, item.login)}/${account.key}`).readUInt32BE(0);
  return `${String(100_000 + (luck % 900_000))}${account.mask ?? ''}`;
}

/** A German IBAN with its check digits (ISO 13616): D and E count as 13 and 14, and 00 replaces the digits. */
function ibanOf(number: string): string {
  const basic = `37040044${number}`;
  const check = 98n - (BigInt(`${basic}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${basic}`;
}
