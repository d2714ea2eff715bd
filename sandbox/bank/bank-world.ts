import { createHash } from 'node:crypto';
import { readSeed } from '../read-seed.ts';

/** All products of the sandbox. */
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
  /** Few banks provide ids that are stable across links; without them, duplicates are found by name and mask. */
  persistentIds: boolean;
  products: readonly Product[];
  accounts: readonly SandboxAccount[];
}

export interface SandboxAccount {
  /** Identifies the account within its bank, for every login. */
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
  /** `accounts`: keys. `products` left out: all. */
  institutions: (Omit<SandboxInstitution, 'products' | 'accounts'> & { products?: Product[]; accounts: string[] })[];
}

const SEED = readSeed<Seed>('institutions.yaml', import.meta.url);

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

/** A hash of the text, from which all data is derived. */
export function draw(seed: string): Buffer {
  return createHash('sha256').update(seed).digest();
}

/** An id in the aggregator's format, 37 letters and digits, derived from the text. */
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
