import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { largeJson } from '../../../src/http/endpoints/large-json.ts';
import { fc } from '../../support/runner/property.ts';

const schema = z.object({
  id: z.string(),
  items: z.array(z.object({ name: z.string(), note: z.string().optional() })),
  more: z.unknown().optional(),
  others: z.array(z.unknown()),
});
const text = async (body: object) => String(Buffer.concat(await largeJson(schema, body as Record<string, unknown>)));

describe('a large body', () => {
  it('is the JSON that its schema gives', async () => {
    const item = fc.record({ name: fc.string({ unit: 'binary' }), note: fc.option(fc.string(), { nil: undefined }), unknown: fc.string() });
    const body = fc.record({
      id: fc.string(),
      items: fc.array(item),
      more: fc.jsonValue(),
      others: fc.array(fc.jsonValue()),
      unknown: fc.string(),
    });
    await fc.assert(
      fc.asyncProperty(body, async (one) => {
        expect(JSON.parse(await text(one))).toEqual(JSON.parse(JSON.stringify(schema.parse(one))));
      }),
    );
  });

  it('lets other work run while it is made', async () => {
    let turns = 0;
    let isMade = false;
    const counting = (async () => {
      for (; !isMade; turns += 1) await turn();
    })();
    const items = Array.from({ length: 20_000 }, (_, index) => ({ name: `${index} ${'x'.repeat(200)}` }));
    const made = await text({ id: '1', items, others: [] });
    isMade = true;
    await counting;
    expect(JSON.parse(made).items).toHaveLength(20_000);
    expect(turns).toBeGreaterThan(2);
  });

  it('with an item of another form is rejected', async () => {
    await expect(text({ id: '1', items: [{ name: 1 }], others: [] })).rejects.toThrow(z.ZodError);
    await expect(text({ items: [], others: [] })).rejects.toThrow(z.ZodError);
  });
});
