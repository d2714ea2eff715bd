import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { BankError } from '../../providers/bank/bank-errors.ts';
import { identifier } from '../../providers/shared/provider-text.ts';
import { optionalRows, readableRows } from '../../providers/transport/response-list.ts';
import { distinctBy } from '../../validation/distinct-by.ts';
import { builtIn } from '../shared/built-in.ts';
import { singleLine } from '../shared/display-text.ts';
import {
  accountIds,
  accountsPart,
  fromAccount,
  masked,
  namedAccount,
  nextAccount,
  shownAccounts,
  unreadable,
  unreadableIn,
  withOptions,
} from './bank-schemas.ts';

const NO_NUMBERS = 'This bank does not provide account and routing numbers. Its balances and transactions can be read.';
const NO_NUMBERS_MESSAGES: Partial<Record<string, string>> = {
  PRODUCTS_NOT_SUPPORTED: NO_NUMBERS,
  PRODUCT_NOT_ENABLED: NO_NUMBERS,
  NO_AUTH_ACCOUNTS: 'None of these accounts has account and routing numbers: only checking and savings accounts do.',
};

const ofAccount = { account_id: identifier };
const authResponse = z.object({
  accounts: readableRows(namedAccount),
  numbers: z
    .object({
      ach: optionalRows(
        z.object({
          ...ofAccount,
          account: singleLine,
          routing: singleLine,
          wire_routing: singleLine.nullish(),
          is_tokenized_account_number: z.boolean().nullish(),
        }),
      ),
      eft: optionalRows(z.object({ ...ofAccount, account: singleLine, institution: singleLine, branch: singleLine })),
      international: optionalRows(z.object({ ...ofAccount, iban: singleLine, bic: singleLine })),
      bacs: optionalRows(z.object({ ...ofAccount, account: singleLine, sort_code: singleLine })),
    })
    .nullish(),
});
type Numbers = NonNullable<z.output<typeof authResponse>['numbers']>;

const numberRow = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('ach').describe('United States.'),
    account: z.string(),
    routing: z.string(),
    wire_routing: z.string().nullable(),
    tokenized: z.boolean().describe('A number issued for this connection and valid only as long as it exists.'),
  }),
  z.object({ kind: z.literal('eft').describe('Canada.'), account: z.string(), institution: z.string(), branch: z.string() }),
  z.object({ kind: z.literal('international'), iban: z.string(), bic: z.string() }),
  z.object({ kind: z.literal('bacs').describe('United Kingdom.'), account: z.string(), sort_code: z.string() }),
]);

export const numbers = builtIn('bank', {
  name: 'bank.numbers',
  effect: 'read',
  description: 'Read the accounts’ numbers and routing numbers, masked unless the operator allows full ones.',
  scopes: [],
  requires: 'auth',
  input: z.strictObject({ account_ids: accountIds, from: fromAccount }),
  output: z.object({
    accounts: z.array(
      z.object({ id: z.string(), name: z.string(), type: z.string(), subtype: z.string().nullable(), numbers: z.array(numberRow) }),
    ),
    masked: z.boolean(),
    unreadable,
    next: nextAccount,
  }),
  sources: ({ accounts }) => accounts.map(({ id: item, name }) => ({ item, integrity: 'others', name })),
  summary: () => 'Read account and routing numbers',
  shown: shownAccounts,
  async run({ account_ids, from }, { session, unmasked, capBytes }) {
    const response = await session.call('auth/get', withOptions({ account_ids }), authResponse).catch(explainMissingNumbers);
    const show = unmasked ? (number: string) => number : masked;
    const numbersOf = byAccount(response.numbers, show);
    const accounts = distinctBy(response.accounts.rows, ({ id }) => id).map(({ id, name, type, subtype }) => {
      const numbers = numbersOf.get(id) ?? [];
      return { id, name, type, subtype, numbers: numbers.map(([, row]) => row) };
    });
    return { ...accountsPart(accounts, from, capBytes), masked: !unmasked, ...unreadableIn(unreadableCount(response)) };
  },
});

function unreadableCount({ accounts, numbers }: z.output<typeof authResponse>): number {
  return [accounts, ...Object.values(numbers ?? {})].reduce((sum, { unreadable: count }) => sum + count, 0);
}

/** Explains errors of banks and accounts without numbers. */
function explainMissingNumbers(error: unknown): never {
  const message = error instanceof BankError ? NO_NUMBERS_MESSAGES[error.bankCode] : undefined;
  throw message === undefined ? error : new AppError('unsupported_account', message, { cause: error });
}

type AccountNumber = [accountId: string, row: z.output<typeof numberRow>];

function byAccount(numbers: Numbers | null | undefined, show: (number: string) => string) {
  if (numbers == null) return new Map<string, AccountNumber[]>();
  const { ach, eft, international, bacs } = numbers;
  const rows: AccountNumber[] = [
    ...ach.rows.map(({ account_id: id, account, routing, wire_routing: wire, is_tokenized_account_number: tokenized }): AccountNumber => {
      const shown = { account: show(account), routing: show(routing), wire_routing: wire == null ? null : show(wire) };
      return [id, { kind: 'ach', ...shown, tokenized: tokenized ?? false }];
    }),
    ...eft.rows.map((one): AccountNumber => {
      return [one.account_id, { kind: 'eft', account: show(one.account), institution: show(one.institution), branch: show(one.branch) }];
    }),
    ...international.rows.map(
      (one): AccountNumber => [one.account_id, { kind: 'international', iban: show(one.iban), bic: show(one.bic) }],
    ),
    ...bacs.rows.map(
      (one): AccountNumber => [one.account_id, { kind: 'bacs', account: show(one.account), sort_code: show(one.sort_code) }],
    ),
  ];
  return Map.groupBy(rows, ([id]) => id);
}
