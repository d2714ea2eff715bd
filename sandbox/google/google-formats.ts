import { z } from 'zod';

const INT32 = 2 ** 31;

/** Whether a value of the right type has a format of the discovery documents (Type and format summary). */
const FORMATS: Record<string, (value: never) => boolean> = {
  int32: (value: number) => isWhole(value, -INT32, INT32 - 1),
  uint32: (value: number) => isWhole(value, 0, 2 * INT32 - 1),
  int64: (value: string) => /^-?\d{1,19}$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value),
  uint64: (value: string) => /^\d{1,20}$/.test(value) && BigInt.asUintN(64, BigInt(value)) === BigInt(value),
  float: Number.isFinite,
  double: Number.isFinite,
  // Of both alphabets, with or without padding; six bits are no byte (RFC 4648, 4 and 5).
  byte: (value: string) => /^[\w+/-]*={0,2}$/.test(value) && value.replace(/=+$/, '').length % 4 !== 1,
  date: (value: string) => z.iso.date().safeParse(value).success,
  // RFC 3339, which takes any case.
  'date-time': (value: string) => isTime(value.toUpperCase()),
  'google-datetime': isTime,
  'date-time-or-local': (value: string) => isTime(value.toUpperCase()) || isTime(`${value.toUpperCase()}Z`),
};

/**
 * Whether a value has a format.
 *
 * @param value of the right type
 * @param format in google-methods.json: `int32`, or with bounds `int32(1..100)`
 */
export function hasFormat(value: unknown, format: string): boolean {
  const [, name = '', least, most] = /^([\w-]+)(?:\((\d*)\.\.(\d*)\))?$/.exec(format) ?? [];
  const test = FORMATS[name];
  if (test === undefined) throw new Error(`a format that the sandbox does not know: ${format}`);
  return test(value as never) && !(least && Number(value) < Number(least)) && !(most && Number(value) > Number(most));
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

function isTime(text: string): boolean {
  return z.iso.datetime({ offset: true }).safeParse(text).success;
}
