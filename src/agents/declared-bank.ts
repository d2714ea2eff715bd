import { didYouMean } from '../http/nearest-name.ts';
import { BANK_CALLS, type BankCall, type BankSession } from '../providers/bank-session.ts';
import type { ValueKind } from '../providers/workspace-methods.ts';
import { anyAnswer, type Target, type TargetOrRefusal } from './declared-target.ts';

type Product = 'transactions' | 'auth';

interface BankMethod {
  fields: Record<string, ValueKind>;
  required: readonly string[];
  product?: Product;
}

/** Fields as the aggregator's API reference lists them, without token and credentials. */
const METHODS: Record<BankCall, BankMethod> = {
  'accounts/get': { fields: { options: 'object' }, required: [] },
  'accounts/balance/get': { fields: { options: 'object' }, required: [] },
  'transactions/get': {
    fields: { start_date: 'string', end_date: 'string', options: 'object' },
    required: ['start_date', 'end_date'],
    product: 'transactions',
  },
  'transactions/sync': { fields: { cursor: 'string', count: 'number', options: 'object' }, required: [], product: 'transactions' },
  'auth/get': { fields: { options: 'object' }, required: [], product: 'auth' },
  'item/get': { fields: {}, required: [] },
  'institutions/get_by_id': {
    fields: { institution_id: 'string', country_codes: 'array', options: 'object' },
    required: ['institution_id'],
  },
};

/** The bank call that is meant, if declared actions may make it and the agent has its product. */
export function bankTarget(name: string, products: readonly Product[]): TargetOrRefusal {
  const call = BANK_CALLS.find((known) => known === name);
  if (call === undefined) {
    return { refusal: `${name} is not open to actions: only ${BANK_CALLS.join(', ')} are${didYouMean(name, BANK_CALLS)}` };
  }
  const { fields, required, product } = METHODS[call];
  if (product !== undefined && !products.includes(product)) return { refusal: `${call} needs ${product} in the agent’s products` };
  const target: Target = {
    name: call,
    fields,
    required,
    leavesPath: () => false,
    refusal: () => undefined,
    scopes: [],
    effect: () => 'read',
    async send({ session }, args) {
      const answer = await (session as BankSession).call(call, args, anyAnswer);
      return call === 'auth/get' ? maskNumbers(answer) : answer;
    },
  };
  return { target };
}

/** Whole numbers are for bank.numbers, where a policy has to allow them. */
function maskNumbers(answer: unknown): unknown {
  if (!isObject(answer)) return answer;
  return { ...answer, numbers: maskTexts(answer.numbers) };
}

function maskTexts(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return key === 'account_id' ? value : `••••${value.length > 4 ? value.slice(-4) : ''}`;
  if (Array.isArray(value)) return value.map((item) => maskTexts(item, key));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, maskTexts(child, name)]));
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
