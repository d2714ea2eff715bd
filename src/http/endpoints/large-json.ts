import { once } from 'node:events';
import { z } from 'zod';
import { WorkTurns } from '../../concurrency/work-turns.ts';
import type { Response } from './endpoint.ts';
import { leavingSignal } from './endpoint.ts';

/** Small pieces are sent together. */
const PIECE_BYTES = 64 * 1024;

/**
 * The JSON of a large body, as its schema has it, made in several turns of the event loop.
 *
 * @param schema whose lists may be long: their items are checked and written one by one
 * @throws ZodError for a body that doesn't match
 */
export async function largeJson(schema: z.ZodObject, body: Readonly<Record<string, unknown>>): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  const turns = new WorkTurns();
  let text = '';
  const add = async (more: string) => {
    text += more;
    if (text.length >= PIECE_BYTES) {
      pieces.push(Buffer.from(text));
      text = '';
    }
    await turns.done(more.length);
  };
  let before = '{';
  for (const [name, field] of Object.entries(schema.shape)) {
    const value = body[name];
    const list = Array.isArray(value) && field instanceof z.ZodArray ? value : undefined;
    const written = list === undefined ? JSON.stringify(z.parse(field, value)) : '[';
    // An optional field that is absent.
    if (written === undefined) continue;
    await add(`${before}${JSON.stringify(name)}:${written}`);
    before = ',';
    if (list === undefined) continue;
    const { element } = field as z.ZodArray;
    for (const [index, item] of list.entries()) await add(`${index === 0 ? '' : ','}${JSON.stringify(z.parse(element, item)) ?? 'null'}`);
    await add(']');
  }
  pieces.push(Buffer.from(`${text}${before === '{' ? '{}' : '}'}`));
  return pieces;
}

/** Sends the pieces of a body, no faster than the client reads them. */
export async function sendPieces(response: Response, pieces: readonly Buffer[]): Promise<void> {
  response.setHeader(
    'content-length',
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
  const signal = leavingSignal(response);
  for (const piece of pieces) {
    if (signal.aborted) return;
    if (!response.write(piece)) await once(response, 'drain', { signal }).catch(() => {});
  }
  response.end();
}
