import { createHash } from 'node:crypto';
import { displayName } from './identity/identity-issuer.ts';

/** An account at the emulated provider. */
export interface Account {
  /** 21 digits, derived from the address. */
  sub: string;
  email: string;
  name: string;
}

/** 44 characters starting with 1, derived from the account and a key: an id in the provider's format. */
export function fileIdOf(account: Account, kind: 'drive' | 'sheets' | 'slides', key: string): string {
  return `1${createHash('sha256').update(`${kind}:${account.sub}:${key}`).digest('base64url')}`;
}

/** The initial accounts. */
export function seedAccounts(): Account[] {
  return [
    makeAccount('demo@example.com'),
    makeAccount('demo.work@example.com'),
    { ...makeAccount('ana.mueller@example.org'), name: 'Ana Müller' },
  ];
}

/** The account of an address, created if there is none. `name+tag@…` is the account `name@…`, as in mail delivery. */
export function findAccount(accounts: Account[], address: string): Account {
  const email = canonicalAddress(address);
  const known = accounts.find((account) => account.email === email);
  if (known !== undefined) return known;
  const account = makeAccount(email);
  accounts.push(account);
  return account;
}

function canonicalAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const untagged = local.split('+', 1)[0] ?? '';
  return `${untagged === '' ? local : untagged}${address.slice(at)}`.toLowerCase();
}

function makeAccount(email: string): Account {
  return { sub: subjectOf(email), email, name: displayName(email.slice(0, email.lastIndexOf('@'))) };
}

function subjectOf(email: string): string {
  const digest = createHash('sha256').update(`workspace:${email}`).digest('hex');
  return `1${(BigInt(`0x${digest}`) % 10n ** 20n).toString().padStart(20, '0')}`;
}

const AVATAR_COLOURS = ['#3b5bdb', '#0b7285', '#5f3dc4', '#a61e4d', '#2b8a3e', '#9c4221'];

/** The account's profile picture: a colored disc as SVG. */
export function avatar(account: Account): string {
  const colour = AVATAR_COLOURS[Number(account.sub.at(-1)) % AVATAR_COLOURS.length];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><circle cx="48" cy="48" r="48" fill="${colour}"/><circle cx="48" cy="38" r="16" fill="#fff"/><path d="M16 84a32 28 0 0 1 64 0" fill="#fff"/></svg>`;
}
