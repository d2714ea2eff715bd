import { checkPrimeSync, createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';

const GENERATOR = 65_537n;
const PRIME_BITS = 1_024;

/** An RSA key pair of 2,048 bits as the library of CVE-2017-15361 made them: each prime is k·M + (65537^a mod M). */
export function vulnerableKeyPair(): { publicKey: KeyObject; privateKey: KeyObject } {
  const p = vulnerablePrime();
  const q = vulnerablePrime();
  const d = inverse(GENERATOR, (p - 1n) * (q - 1n));
  const numbers = { n: p * q, e: GENERATOR, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const encoded = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, encode(value)]));
  const privateKey = createPrivateKey({ key: { kty: 'RSA', ...encoded }, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

function vulnerablePrime(): bigint {
  const product = smallPrimes(701).reduce((all, prime) => all * BigInt(prime), 1n);
  const least = (3n << BigInt(PRIME_BITS - 2)) / product + 1n;
  for (;;) {
    const k = least + (random(8) % (least / 4n));
    const candidate = k * product + power(GENERATOR, random(8), product);
    if (checkPrimeSync(candidate)) return candidate;
  }
}

function smallPrimes(last: number): number[] {
  const all = Array.from({ length: last - 1 }, (_, index) => index + 2);
  return all.filter((candidate) => all.every((divisor) => divisor === candidate || candidate % divisor !== 0));
}

function random(bytes: number): bigint {
  return BigInt(`0x${randomBytes(bytes).toString('hex')}`);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [base % modulus, exponent]; left > 0n; square = (square * square) % modulus, left >>= 1n)
    if ((left & 1n) === 1n) result = (result * square) % modulus;
  return result;
}

function inverse(value: bigint, modulus: bigint): bigint {
  let [oldR, r, oldS, s] = [value % modulus, modulus, 1n, 0n];
  while (r !== 0n) {
    const quotient = oldR / r;
    [oldR, r, oldS, s] = [r, oldR - quotient * r, s, oldS - quotient * s];
  }
  return ((oldS % modulus) + modulus) % modulus;
}

function encode(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}
