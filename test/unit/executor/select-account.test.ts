import { describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/errors.ts';
import type { AgentAccountRow } from '../../../src/executor/call/agent-accounts-repository.ts';
import { selectAccount } from '../../../src/executor/call/select-account.ts';

const account = (label: string, id = label) => ({ id, label, provider: 'bank', masks: [], isDefault: false }) as unknown as AgentAccountRow;
const ACCOUNTS = ['ana@m\u00fcller.example', 'kate@example.com', 'Sparkasse K\u00d6LN', 'Mu\u0308ller Bank'].map((label) => account(label));

/** The error that names the accounts. */
function refusal(accounts: readonly AgentAccountRow[], wanted?: string): AppError {
  try {
    selectAccount(accounts, 'bank', wanted);
  } catch (error) {
    return error as AppError;
  }
  throw new Error('an account was selected');
}

describe('an account by its name', () => {
  it.each([
    ['ANA@M\u00dcLLER.example', 0],
    ['ana@xn--mller-kva.example', 0],
    ['ana@mu\u0308ller.example', 0],
    ['Kate@Example.com', 1],
    ['sparkasse k\u00f6ln', 2],
    ['sparkasse ko\u0308ln', 2],
    ['m\u00fcller bank', 3],
  ])('is found in each spelling that means the same: %j', (wanted, index) => {
    expect(selectAccount(ACCOUNTS, 'bank', wanted)).toBe(ACCOUNTS[index]);
  });

  it.each(['\u212aate@example.com', 'k\u0430te@example.com', 'kate@example.com.', 'kate@exa\u00admple.com', 'ana@muller.example'])(
    'is not found by one that only looks like it: %j',
    (wanted) => expect(refusal(ACCOUNTS, wanted)).toMatchObject({ code: 'invalid_request' }),
  );

  it('is told by the last digits of its numbers only where another one has its name', () => {
    const banks = ['Bank A', 'bank a', 'Bank B'].map((label, index) => ({ ...account(label), id: `${index}`, masks: [`471${index}`] }));
    const { message, details } = refusal(banks);
    expect(message).toMatch(/Choices: Bank A \(…4710\), bank a \(…4711\), Bank B\.$/);
    expect(details?.choices).toEqual([
      { id: '0', label: 'Bank A', masks: ['4710'] },
      { id: '1', label: 'bank a', masks: ['4711'] },
      { id: '2', label: 'Bank B' },
    ]);
  });

  it('is asked for in a sentence that is short, however many there are', () => {
    const many = Array.from({ length: 200 }, (_, index) => account(`Bank ${index} ${'x'.repeat(400)}`));
    const { message, details } = refusal(many);
    expect(message.length).toBeLessThan(2_000);
    expect(message).toMatch(/, … and 19\d more\.$/);
    expect(details?.choices).toHaveLength(200);
  });
});
