import { describe, expect, it } from 'vitest';
import { effectOn } from '../../../src/actions/documents/document-replacing.ts';

const paragraph = (...runs: string[]) => ({ paragraph: { elements: runs.map((content) => ({ textRun: { content } })) } });

describe('a replacement', () => {
  it('is looked for in every paragraph, at any depth, and in headers', () => {
    const table = { table: { tableRows: [{ tableCells: [{ content: [paragraph('a boat\n')] }] }] } };
    const parts = [
      [paragraph('boat, boat\n'), table],
      [{ h1: { content: [paragraph('boat\n')] } }, undefined],
    ];
    expect(effectOn(parts, { find: 'boat', replace: 'ship' })).toEqual({ matches: 4, isReversible: true });
    expect(effectOn(parts, { find: 'boat', replace: 'a' })).toEqual({ matches: 4, isReversible: false });
  });

  it('is not tried out if the text would become too long', () => {
    const effect = effectOn([paragraph('a'.repeat(100_000))], { find: 'a', replace: 'b'.repeat(100_000) });
    expect(effect).toEqual({ matches: 100_000, isReversible: false });
    expect(effectOn([paragraph('abc')], { find: '', replace: '' })).toEqual({ matches: 0, isReversible: false });
  });
});
