import type { KeyObject } from 'node:crypto';

/** The 38 odd primes up to 167, whose product divides that of every vulnerable key size. */
const PRIMES = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139,
  149, 151, 157, 163, 167,
] as const;
const GENERATOR = 65_537;

/** For each prime, what the powers of the generator can be. */
const POWERS = new Map(PRIMES.map((prime) => [prime, powersModulo(prime)]));

/**
 * Whether an RSA key was made by the library of CVE-2017-15361 ("ROCA"), so that its owner need not be the only one
 * who signs with it. Its primes are k·M + (65537^a mod M), so the modulus is a power of 65537 modulo every small
 * prime (Nemec et al., CCS 2017, 5.2); of other keys one in 2^154 is.
 */
export function isFactorable(key: KeyObject): boolean {
  const { n } = key.export({ format: 'jwk' });
  if (n === undefined) return false;
  const modulus = BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`);
  return PRIMES.every((prime) => POWERS.get(prime)?.has(Number(modulus % BigInt(prime))) === true);
}

function powersModulo(prime: number): Set<number> {
  const powers = new Set<number>();
  for (let power = 1; !powers.has(power); power = (power * GENERATOR) % prime) powers.add(power);
  return powers;
}
