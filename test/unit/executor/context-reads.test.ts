import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Database, Statement } from '../../../src/database/database.ts';
import { ContextReads } from '../../../src/executor/taint/context-reads.ts';
import { passagesIn } from '../../../src/executor/taint/passages.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import type { UserKeys } from '../../../src/vault/keys/user-keys.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const READING = { userId: 'ana', client: undefined, thread: undefined, action: 'mail.read', provider: 'workspace', accountId: 'mailbox' };

/** A database that stores one read at a time, each when it is let. */
function heldDatabase() {
  const rows: { id: string; sources: Buffer }[] = [];
  const held: (() => void)[] = [];
  const query = async (statement: string | Statement, values: unknown[] = []) => {
    if (typeof statement === 'string') return rows.toReversed();
    await new Promise<void>((resolve) => held.push(resolve));
    rows.push({ id: values[2] as string, sources: values[3] as Buffer });
    return [];
  };
  const db = { query, clock: new TestClock({ standsAt: 0 }) } as unknown as Database;
  /** Lets the next one be stored, once it has begun. */
  const storeNext = async () => {
    await settled();
    held.shift()?.();
    await settled();
  };
  return { db, storeNext, waiting: () => held.length };
}

async function settled(): Promise<void> {
  for (let count = 0; count < 5; count += 1) await turn();
}

const KEY = { id: 'k1', secret: randomBytes(32) };
const USER_KEYS = { forUser: async () => KEY, forRecords: () => async () => KEY } as unknown as UserKeys;
const source = (author: string) => ({ integrity: 'others' as const, sources: [{ item: author, integrity: 'others' as const, author }] });

describe('what was read in a context', () => {
  it('is known only with the reads that are still being stored, each in turn', async () => {
    const { db, storeNext, waiting } = heldDatabase();
    const reads = new ContextReads(db, USER_KEYS, createLogger('silent'));
    for (const name of ['oscar', 'mallory', 'trudy']) reads.record(READING, { text: `A text by ${name}` }, source(name));
    let known: string[] | undefined;
    const asking = (async () => {
      known = (await reads.of(READING)).map(({ author }) => author ?? '');
    })();
    for (let count = 0; count < 3; count += 1) {
      await settled();
      expect([known, waiting()]).toEqual([undefined, 1]);
      const later = reads.of(READING).then((found) => found.length);
      const isKnown = await Promise.race([later.then(() => true), settled().then(() => false)]);
      expect(isKnown).toBe(false);
      await storeNext();
    }
    await asking;
    expect(known).toEqual(['trudy', 'mallory', 'oscar']);
  });

  it('has the hashes of its addresses and long lines, of its beginning', async () => {
    const { db, storeNext } = heldDatabase();
    const reads = new ContextReads(db, USER_KEYS, createLogger('silent'));
    const others = { integrity: 'others' as const, sources: [] };
    const hashesOf = async (output: object) => {
      reads.record(READING, output, others);
      await storeNext();
      return (await reads.of(READING))[0]?.hashes ?? new Set();
    };
    const [address] = passagesIn('mallory@evil.example');
    expect(await hashesOf({ from: 'mallory@evil.example', text: 'Hello' })).toEqual(new Set([address?.hash]));
    const many = Array.from({ length: 10_000 }, (_, place) => `a${place}@b.example`);
    expect((await hashesOf({ many })).size).toBe(4_096);
    const filled = (length: number) => ({ text: 'a b '.repeat(length / 4), from: ' mallory@evil.example' });
    expect(await hashesOf(filled(199_960))).toContain(address?.hash);
    expect(await hashesOf(filled(200_000))).not.toContain(address?.hash);
  });
});
