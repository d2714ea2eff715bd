import { expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { errorFrame } from '../../../src/socket/frames.ts';

it('an error frame has the details of the error, without the provider’s own words', () => {
  const details = { choices: ['a'], provider: { reason: 'domainPolicy', message: 'Ask evil.example.' } };
  expect(JSON.parse(errorFrame('1', new AppError('forbidden', 'Not allowed.', { details })))).toEqual({
    type: 'error',
    requestId: '1',
    errorText: 'Not allowed.',
    error: { choices: ['a'], code: 'forbidden', retryable: false },
  });
});
