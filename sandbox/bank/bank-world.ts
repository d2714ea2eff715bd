import { createHash } from 'node:crypto';

/** Products that the sandbox knows. */
export const PRODUCTS = [
  'assets',
  'auth',
  'balance',
  'identity',
  'investments',
  'liabilities',
  'signal',
  'transactions',
  'transfer',
] as const;

export type Product = (typeof PRODUCTS)[number];

export interface SandboxInstitution {
  id: string;
  name: string;
  url: string;
  routing: string;
  /** Few banks offer ids that survive another link; without them duplicates show by name and mask only. */
  persistentIds: boolean;
  products: readonly Product[];
  accounts: readonly SandboxAccount[];
}

export interface SandboxAccount {
  /** Names the account within its bank, whoever logs in. */
  key: string;
  name: string;
  officialName: string | null;
  mask: string | null;
  type: 'depository' | 'credit';
  subtype: 'checking' | 'savings' | 'credit card' | null;
  current: number;
  available: number | null;
  limit: number | null;
  /** ISO 4217. */
  currency: 'USD' | 'EUR';
}

const CHECKING: SandboxAccount = {
  key: 'checking',
  name: 'Checking',
  officialName: 'Everyday Interest Checking',
  mask: '0000',
  type: 'depository',
  subtype: 'checking',
  current: 2340.55,
  available: 2215.35,
  limit: null,
  currency: 'USD',
};
const SAVING: SandboxAccount = {
  key: 'saving',
  name: 'Saving',
  officialName: 'Silver Standard Saving',
  mask: '1111',
  type: 'depository',
  subtype: 'savings',
  current: 8210.2,
  available: 8210.2,
  limit: null,
  currency: 'USD',
};
const CARD: SandboxAccount = {
  key: 'card',
  name: 'Credit Card',
  officialName: 'Diamond Credit Card',
  mask: '3333',
  type: 'credit',
  subtype: 'credit card',
  current: 410.18,
  available: 4589.82,
  limit: 5000,
  currency: 'USD',
};
/** Banks exist that tell neither an account's digits nor its kind. */
const MASKLESS: SandboxAccount = {
  key: 'envelope',
  name: 'Holiday Envelope',
  officialName: null,
  mask: null,
  type: 'depository',
  subtype: null,
  current: 320,
  available: null,
  limit: null,
  currency: 'USD',
};

/** Not every account is in dollars, nor has numbers for payments within the United States. */
const TRAVEL: SandboxAccount = {
  key: 'travel',
  name: 'Reisekonto (Euro)',
  officialName: 'Travel Account in Euro',
  mask: '2222',
  type: 'depository',
  subtype: 'checking',
  current: 1204.1,
  available: null,
  limit: null,
  currency: 'EUR',
};

/** The banks of the sandbox, under the ids they have in the aggregator's own. */
export const INSTITUTIONS: readonly SandboxInstitution[] = [
  {
    id: 'ins_109508',
    name: 'First Platypus Bank',
    url: 'https://platypus.example',
    routing: '011401533',
    persistentIds: true,
    products: PRODUCTS,
    accounts: [CHECKING, SAVING, MASKLESS],
  },
  {
    id: 'ins_109509',
    name: 'First Gingham Credit Union',
    url: 'https://gingham.example',
    routing: '011401534',
    persistentIds: true,
    products: PRODUCTS,
    accounts: [CHECKING, SAVING, TRAVEL],
  },
  // Many banks tell what was paid and not an account's number.
  {
    id: 'ins_109510',
    name: 'Tattersall Federal Credit Union',
    url: 'https://tattersall.example',
    routing: '011401537',
    persistentIds: true,
    products: ['balance', 'transactions'],
    accounts: [CHECKING, SAVING],
  },
  {
    id: 'ins_109511',
    name: 'Tartan Bank',
    url: 'https://tartan.example',
    routing: '011401535',
    persistentIds: true,
    products: PRODUCTS,
    accounts: [CHECKING, SAVING, CARD],
  },
  {
    id: 'ins_109512',
    name: 'Houndstooth Bank',
    url: 'https://houndstooth.example',
    routing: '011401536',
    persistentIds: false,
    products: PRODUCTS,
    accounts: [CHECKING, CARD],
  },
];

export function institution(id: string): SandboxInstitution | undefined {
  return INSTITUTIONS.find((candidate) => candidate.id === id);
}

/** Whether a bank has all of these products. */
export function supports(bank: SandboxInstitution, products: readonly Product[]): boolean {
  return products.every((product) => bank.products.includes(product));
}

/** A number that always is the same for the same text: the whole world is drawn from it. */
export function draw(seed: string): Buffer {
  return createHash('sha256').update(seed).digest();
}

/** An id as the aggregator's look: 37 letters and digits, always the same for the same text. */
export function stableId(seed: string): string {
  const digits = BigInt(`0x${draw(seed).toString('hex')}`);
  let rest = digits;
  let id = '';
  while (id.length < 37) {
    id += ALPHABET[Number(rest % 62n)];
    rest /= 62n;
  }
  return id;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
