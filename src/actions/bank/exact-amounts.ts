/** More digits than any currency of a bank has. */
const DIGITS = 10;
const UNITS = 10n ** BigInt(DIGITS);
/** Outside of these, the text of a number has an exponent. */
const SMALLEST_PLAIN = 1e-6;
const LARGEST_PLAIN = 1e21;

/** An amount as an integer, so that sums are exact: 0.1 + 0.2 is 0.3. It counts units of 10^-10 of the currency. */
export function toUnits(amount: number): bigint {
  const [whole = '', fraction = ''] = plainText(amount).replace('-', '').split('.');
  const units = BigInt(whole) * UNITS + BigInt(fraction.slice(0, DIGITS).padEnd(DIGITS, '0'));
  return amount < 0 ? -units : units;
}

/** The number nearest to the exact amount. */
export function fromUnits(units: bigint): number {
  const size = units < 0n ? -units : units;
  const amount = Number(`${size / UNITS}.${String(size % UNITS).padStart(DIGITS, '0')}`);
  return units < 0n ? -amount : amount;
}

/** The shortest decimal digits that identify the number, which are those that the bank has sent. */
function plainText(amount: number): string {
  const size = Math.abs(amount);
  if (size >= LARGEST_PLAIN) return String(BigInt(amount));
  return size < SMALLEST_PLAIN ? amount.toFixed(DIGITS) : String(amount);
}
