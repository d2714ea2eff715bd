import { z } from 'zod';
import { identifier } from '../../providers/provider-text.ts';
import { builtIn } from '../built-in.ts';
import { accountIds, accountName, bankText, masked, withOptions } from './bank-shapes.ts';

const of = { account_id: identifier };
const answer = z.object({
  accounts: z.array(z.object({ ...of, name: accountName, type: bankText, subtype: bankText.nullish() })),
  numbers: z.object({
    ach: z
      .array(
        z.object({
          ...of,
          account: bankText,
          routing: bankText,
          wire_routing: bankText.nullish(),
          is_tokenized_account_number: z.boolean().nullish(),
        }),
      )
      .default([]),
    eft: z.array(z.object({ ...of, account: bankText, institution: bankText, branch: bankText })).default([]),
    international: z.array(z.object({ ...of, iban: bankText, bic: bankText })).default([]),
    bacs: z.array(z.object({ ...of, account: bankText, sort_code: bankText })).default([]),
  }),
});

const numberRow = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('ach').describe('United States.'),
    account: z.string(),
    routing: z.string(),
    wire_routing: z.string().nullable(),
    tokenized: z.boolean().describe('A number made for this connection; it ends with it.'),
  }),
  z.object({ kind: z.literal('eft').describe('Canada.'), account: z.string(), institution: z.string(), branch: z.string() }),
  z.object({ kind: z.literal('international'), iban: z.string(), bic: z.string() }),
  z.object({ kind: z.literal('bacs').describe('United Kingdom.'), account: z.string(), sort_code: z.string() }),
]);

export const numbers = builtIn({
  name: 'bank.numbers',
  provider: 'bank',
  effect: 'read',
  description:
    'Read the account and routing numbers of a bank’s checking and savings accounts. All but the last digits are hidden unless the operator allows more.',
  scopes: [],
  input: z.strictObject({ account_ids: accountIds }),
  output: z.object({
    accounts: z.array(
      z.object({ id: z.string(), name: z.string(), type: z.string(), subtype: z.string().nullable(), numbers: z.array(numberRow) }),
    ),
    masked: z.boolean(),
  }),
  summary: () => 'Read account and routing numbers',
  async run({ account_ids }, { session, unmasked }) {
    const given = await session.call('auth/get', withOptions({ account_ids }), answer);
    const show = unmasked ? (number: string) => number : masked;
    const accounts = given.accounts.map(({ account_id: id, name, type, subtype }) => ({
      id,
      name,
      type,
      subtype: subtype ?? null,
      numbers: numbersOf(given.numbers, id, show),
    }));
    return { accounts, masked: !unmasked };
  },
});

function numbersOf(
  { ach, eft, international, bacs }: z.output<typeof answer>['numbers'],
  id: string,
  show: (number: string) => string,
): z.output<typeof numberRow>[] {
  const mine = <Row extends { account_id: string }>(rows: Row[]) => rows.filter(({ account_id }) => account_id === id);
  return [
    ...mine(ach).map(({ account, routing, wire_routing: wire, is_tokenized_account_number: tokenized }) => ({
      kind: 'ach' as const,
      account: show(account),
      routing: show(routing),
      wire_routing: wire == null ? null : show(wire),
      tokenized: tokenized ?? false,
    })),
    ...mine(eft).map(({ account, institution, branch }) => ({
      kind: 'eft' as const,
      account: show(account),
      institution: show(institution),
      branch: show(branch),
    })),
    ...mine(international).map(({ iban, bic }) => ({ kind: 'international' as const, iban: show(iban), bic: show(bic) })),
    ...mine(bacs).map(({ account, sort_code: code }) => ({ kind: 'bacs' as const, account: show(account), sort_code: show(code) })),
  ];
}
