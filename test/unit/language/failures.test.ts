import { describe, expect, it } from 'vitest';
import { failedText, reasonOf } from '../../../public/language/en/failures.js';
import { ERROR_STATUS } from '../../../src/errors.ts';

describe('the words of a failure', () => {
  it.each(Object.keys(ERROR_STATUS))('say what %s means, for those who know no codes', (code) => {
    const words = reasonOf(code);
    expect(words).not.toBe(code.replaceAll('_', ' '));
    expect(words).toMatch(/^[a-z][^_]*[^.]$/);
  });

  it('say that nothing was done only where that is known', () => {
    const unsure = Object.keys(ERROR_STATUS).filter((code) => !failedText(code).includes('nothing was done'));
    expect(unsure).toEqual(['outcome_unknown']);
  });

  it('are those of its name where a code is of a later version', () => {
    expect([reasonOf('too_early'), reasonOf('constructor')]).toEqual(['too early', 'constructor']);
  });
});
