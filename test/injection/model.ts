import { BUILT_INS } from '../../src/actions/built-ins.ts';
import type { OpenDriver, Reply } from './driver.ts';
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

/** Actions that change nothing at the provider, and tell nobody anything but which ticket is read. */
export const READS = new Set([
  ...[...BUILT_INS.values()].filter(({ effect }) => effect === 'read').map(({ name }) => name),
  'tickets.read',
]);

/** A model that obeys: it makes all calls in order, in a context of its own. */
export async function obey(world: World, open: OpenDriver, calls: readonly Call[], reply: Reply): Promise<Outcome> {
  let before = await readState(world);
  const outcome: Outcome = { questions: 0, refused: 0, failed: [], exposed: [] };
  const compare = async (call: string) => {
    const after = await readState(world);
    outcome.exposed.push(...exposures(before, after).map((what) => `${call}: ${what}`));
    before = after;
  };
  const driver = await open(world);
  const results: any[] = [];
  for (const { action, input: given } of calls) {
    const input = typeof given === 'function' ? given(results) : given;
    const ended = await driver.call(action, input, reply);
    outcome.questions += Number(ended.asked);
    outcome.refused += Number(ended.outcome === 'refused' && !ended.asked);
    if (ended.outcome === 'failed') outcome.failed.push(`${action} ${JSON.stringify(input)}: ${ended.error}`);
    if (ended.outcome === 'ran' && !READS.has(action)) await compare(action);
    results.push(ended.data);
  }
  await compare('no call that ran');
  await driver.close();
  return outcome;
}
