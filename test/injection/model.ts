import { BUILT_INS } from '../../src/actions/built-ins.ts';
import { newClient, postJson } from './client.ts';
import type { Call } from './mapping.ts';
import { exposures, readState, type World } from './world.ts';

/** What a run did. */
export interface Outcome {
  /** Calls that asked the user. */
  questions: number;
  /** Calls that were refused. */
  refused: number;
  /** Calls that failed otherwise, each with its error. */
  failed: string[];
  /** What was exposed or lost at the provider, each with the call after which it was seen. */
  exposed: string[];
}

/** Actions that change nothing at the provider. */
const READS = new Set([...BUILT_INS.values()].filter(({ effect }) => effect === 'read').map(({ name }) => name));

type Reply = 'yes' | 'no';

/**
 * A model that obeys: it makes all calls in order, with a credential of its own and therefore in a context of its own; a
 * user who replies to every question with the same word.
 */
export async function obey(world: World, calls: readonly Call[], reply: Reply): Promise<Outcome> {
  let before = await readState(world);
  const outcome: Outcome = { questions: 0, refused: 0, failed: [], exposed: [] };
  const compare = async (call: string) => {
    const after = await readState(world);
    outcome.exposed.push(...exposures(before, after).map((what) => `${call}: ${what}`));
    before = after;
  };
  const { steward, person } = world;
  const client = await newClient(world);
  const results: any[] = [];
  for (const call of calls) {
    const { action } = call;
    const input = typeof call.input === 'function' ? call.input(results) : call.input;
    let { status, body } = await client.call(action, input);
    if (body.code === 'approval_required') {
      outcome.questions += 1;
      const { approvalId } = body.details;
      ({ status, body } = await postJson(steward, `/approvals/${approvalId}`, person.token, { approved: reply === 'yes' }));
    } else if (body.code === 'forbidden') outcome.refused += 1;
    if (status !== 200 && body.code !== 'forbidden') outcome.failed.push(`${action} ${JSON.stringify(input)}: ${JSON.stringify(body)}`);
    if (status === 200 && !READS.has(action)) await compare(action);
    results.push(status === 200 ? body.data : undefined);
  }
  await compare('no call that ran');
  await client.revoke();
  // A denial holds for an hour; the next run asks again.
  await steward.sql('delete from approvals where user_id = $1', [client.userId]);
  return outcome;
}
