import { stillOwed } from './support/owed.ts';
import type { Person } from './support/person.ts';
import type { Operation, Outcome } from './support/person-operations.ts';
import { untilNothingIsLeft } from './support/progress.ts';
import type { Step } from './support/steps.ts';

import type { Sql } from './support/world.ts';

/** An operation of which each step is interrupted once. */
export interface Struck {
  name: string;
  rotation: 'off' | 'strict';
  /** Its preconditions. */
  prepare: Operation[];
  /** The access token has expired before it, so that it begins with a refresh. */
  expired?: boolean;
  operation: Operation;
}

/** Every operation with a lasting effect. Those that end an account include the revocation after them. */
export const OPERATIONS: readonly Struck[] = [
  { name: 'connect', rotation: 'off', prepare: ['list'], operation: 'connect' },
  { name: 'refresh', rotation: 'off', prepare: ['connect'], expired: true, operation: 'search' },
  { name: 'refresh, strict rotation', rotation: 'strict', prepare: ['connect'], expired: true, operation: 'search' },
  { name: 'draft', rotation: 'off', prepare: ['connect'], operation: 'draft' },
  { name: 'approve and send', rotation: 'off', prepare: ['connect'], operation: 'send' },
  { name: 'default', rotation: 'off', prepare: ['connect', 'connect'], operation: 'makeDefault' },
  { name: 'disconnect', rotation: 'off', prepare: ['connect'], operation: 'disconnect' },
  { name: 'link a bank', rotation: 'off', prepare: ['list'], operation: 'link' },
  { name: 'delete a bank', rotation: 'off', prepare: ['link'], operation: 'unlink' },
  { name: 'webhook', rotation: 'off', prepare: ['link'], operation: 'webhook' },
  { name: 'waitlist', rotation: 'off', prepare: [], operation: 'waitlist' },
  { name: 'delete the user', rotation: 'off', prepare: ['connect', 'link'], operation: 'erase' },
];

const TRIES = 5;
/** Maximum time without progress of a revocation: the queue polls once a minute. */
const STILL_MS = 120_000;

/** Prepares a new user for the operation. */
export async function prepare(person: Person, struck: Struck, base: string): Promise<void> {
  for (const operation of struck.prepare) {
    let outcome = await person.do(operation, base);
    // On a busy machine a response may come too late.
    for (let tries = 1; outcome !== 'answered' && tries < TRIES; tries += 1) outcome = await person.do(operation, base);
    if (outcome !== 'answered') throw new Error(`${operation}, which ${struck.name} begins with, was ${outcome}`);
  }
  if (struck.expired) await expire(person);
}

/**
 * The operation with all of its consequences, unless it is interrupted.
 *
 * @param isStruck ends the wait for what may happen much later after an interruption
 */
export async function carryOut(person: Person, { operation }: Struck, base: string, isStruck: () => boolean): Promise<Outcome> {
  const begun = new Date();
  const outcome = await person.do(operation, base);
  if (outcome !== 'answered') return outcome;
  // The last step of a revocation follows the provider's response. Older ones may have to wait for a minute.
  await untilNothingIsLeft(async () => {
    if (isStruck()) return { left: 0, state: '' };
    const rows = await sql(person)('select attempts from revocations where token is not null and created_at >= $1', [begun]);
    const owed = await stillOwed([person]);
    return { left: owed.length + rows.length, state: JSON.stringify([owed, rows]) };
  }, STILL_MS);
  return outcome;
}

/** Makes the access tokens of the user's accounts expired since a minute. */
async function expire(person: Person): Promise<void> {
  await sql(person)(
    `update grants set expires_at = now() - interval '1 minute', updated_at = now() - interval '61 minutes'
     where user_id = (select id from users where subject = $1)`,
    [person.name],
  );
}

function sql({ world }: Person): Sql {
  if (world.sql === undefined) throw new Error('steps are struck on Postgres');
  return world.sql;
}

/** Whether the provider has rotated a token in these steps that Postgres has not stored. */
export function hasRotatedInVain(steps: readonly Step[]): boolean {
  const is = (at: string, phase: string) => (step: Step) => step.at === at && step.phase === phase;
  const rotated = steps.findIndex(is('workspace /token', 'after'));
  return rotated >= 0 && !steps.slice(rotated).some(is('database update grants', 'after'));
}
