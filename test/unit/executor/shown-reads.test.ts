import { describe, expect, it } from 'vitest';
import { READ_LABELS } from '../../../public/language/en/reads.js';
import { BUILT_INS } from '../../../src/actions/built-ins.ts';
import type { LazyAction } from '../../../src/actions/shared/action.ts';
import { displayOf } from '../../../src/executor/display/display.ts';
import { isObject } from '../../../src/validation/is-object.ts';

const QUESTION = { summary: 'Read what the id x1 names', audience: [], notices: [], provenance: [], matches: [] };
const ID = 'x1-abc';
const labels = new Set<string>(Object.values(READ_LABELS));
const reads = [...BUILT_INS.values()].filter(({ effect }) => effect === 'read');

/** The arguments of an action, each with another value than its default. */
async function argumentsOf(action: LazyAction): Promise<[name: string, value: unknown][]> {
  const { properties } = (await action.schemas()).input as { properties: Record<string, Record<string, unknown>> };
  return Object.entries(properties).map(([name, property]) => [name, sampleOf(property)]);
}

function sampleOf({ type, enum: choices, default: usual, items }: Record<string, unknown>): unknown {
  if (Array.isArray(choices)) return choices.findLast((one) => one !== usual);
  if (type === 'boolean') return usual !== true;
  if (type === 'integer') return Number(usual ?? 0) + 3;
  return type === 'array' ? [sampleOf(isObject(items) ? items : {})] : ID;
}

const shown = (use: string, input: object) => displayOf({ ...QUESTION, use, input });

describe.each(reads)('a question on $name', (action) => {
  const use = action.name;

  it('is titled by what is done', () => {
    expect(shown(use, {}).title).not.toContain('x1');
  });

  it('has words for each argument', async () => {
    for (const [name, value] of await argumentsOf(action)) {
      const [without, { title, fields }] = [shown(use, {}), shown(use, { [name]: value })];
      expect({ title, fields }, name).not.toEqual({ title: without.title, fields: without.fields });
      for (const { label } of fields) expect(labels).toContain(label);
    }
  });

  it('shows no id, and nothing of where a beginning is', async () => {
    const ids = (await argumentsOf(action)).filter(([name]) =>
      /^(ids?|account_ids|folder|message|thread|attachment|page|cursor)$/.test(name),
    );
    const { fields } = shown(use, { offset: 0, from: use === 'presentations.read' ? 1 : undefined, ...Object.fromEntries(ids) });
    expect(JSON.stringify(fields)).not.toContain(ID);
    expect(shown(use, { offset: 0 }).fields).toEqual(shown(use, {}).fields);
  });
});
