import { describe, expect, it } from 'vitest';
import { resemblesOwnName } from '../../../src/executor/taint/own-name.ts';

describe('a name that a client gives itself', () => {
  it.each([
    'Steward',
    'STEWARD',
    ' steward ',
    'Steward Security',
    'The Steward',
    's t e w a r d',
    'Ste\u200bward',
    'Stéward',
    'Ｓｔｅｗａｒｄ',
    '𝐒𝐭𝐞𝐰𝐚𝐫𝐝',
    'Stewаrd',
    'ЅтеԝагԀ',
    '5t3w4rd',
    'Stevvard',
    'Ste-ward',
    'ꓢꓔꓰꓪꓮꓣꓓ',
    'ᏚᎢᎬᎳᎪᎡᎠ',
    'ꜱᴛᴇᴡᴀʀᴅ',
    'ՏτεաαrԀ',
  ])('is not the service’s: %j', (name) => {
    expect(resemblesOwnName(name)).toBe(true);
  });

  it.each(['Claude Code', 'script', 'Stuart', 'Westward', 'Ana’s assistant', '', 'Забота', 'ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ', 'Հայերեն', 'Ελληνικά', '日本語'])(
    'may be %j',
    (name) => {
      expect(resemblesOwnName(name)).toBe(false);
    },
  );
});
