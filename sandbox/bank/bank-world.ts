import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

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

interface Seed {
  accounts: Record<string, Omit<SandboxAccount, 'key'>>;
  /** `accounts`: keys. `products`: all where there is none. */
  institutions: (Omit<SandboxInstitution, 'products' | 'accounts'> & { products?: Product[]; accounts: string[] })[];
}

const SEED = load(readFileSync(new URL('institutions.yaml', import.meta.url), 'utf8')) as Seed;

/** The banks of the sandbox. */
export const INSTITUTIONS: readonly SandboxInstitution[] = SEED.institutions.map(({ products = PRODUCTS, accounts, ...bank }) => ({
  ...bank,
  products,
  accounts: accounts.map((key) => ({ key, ...(SEED.accounts[key] as Omit<SandboxAccount, 'key'>) })),
}));

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
