import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Parses a large text, decoding and parsing in turns of the event loop of their own.
 *
 * @throws SyntaxError
 */
export async function parseLargeJson(bytes: Buffer): Promise<unknown> {
  await nextTurn();
  const text = bytes.toString();
  await nextTurn();
  const value: unknown = JSON.parse(text);
  // What is done with it is work, too.
  await nextTurn();
  return value;
}
