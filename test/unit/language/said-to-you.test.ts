import { describe, expect, it } from 'vitest';
import { saidToYou } from '../../../public/language/en/said-to-you.js';

describe('saidToYou', () => {
  it.each([
    [
      'A bank’s data was read, so this may go only to the user’s own addresses, to those that the user typed in it.',
      'A bank’s data was read, so this may go only to your own addresses, to those that you typed in it.',
    ],
    ['The user has set ana@example.org to read-only.', 'You have set ana@example.org to read-only.'],
    ['The user is being asked about it.', 'You are being asked about it.'],
    ['The user can make one that does.', 'You can make one that does.'],
    ['Log in with the username that the users chose.', 'Log in with the username that the users chose.'],
  ])('says %j to the user', (sentence, said) => {
    expect(saidToYou(sentence)).toBe(said);
  });
});
