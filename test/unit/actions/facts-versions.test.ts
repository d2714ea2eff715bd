import { describe, expect, it } from 'vitest';
import { loadBuiltIns } from '../../../src/actions/built-ins.ts';

describe('built-in actions', () => {
  it('have a version of the facts that they read to show them', async () => {
    const reading = (await loadBuiltIns()).filter(({ facts }) => facts !== undefined);
    expect(reading.length).toBeGreaterThan(15);
    expect(reading.filter(({ version }) => version === undefined).map(({ name }) => name)).toEqual([]);
  });
});
