import { randomUUID } from 'node:crypto';
import type { TestSteward } from '../steward.ts';

/** Begins a thread of a user, with some messages of the user's. @returns its id */
export async function newThread(
  { context: { threads } }: TestSteward,
  userId: string,
  { id = randomUUID(), said = ['Hello.'] }: { id?: string; said?: readonly string[] } = {},
): Promise<string> {
  await threads.write(userId, async (tx) => {
    await threads.begin(tx, userId, id, { title: said[0] ?? '' });
    for (const [index, text] of said.entries()) {
      await threads.append(tx, userId, id, { id: `m${index + 1}`, role: 'user', parts: [{ type: 'text', text }] });
    }
  });
  return id;
}
