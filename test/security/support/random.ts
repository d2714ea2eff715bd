import fc from 'fast-check';

/** One seed for the whole run, so that `SEED=… RUNS=…` runs the same again. */
export const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.RUNS ?? 60);
/** Tries to make an input that failed smaller. Of a long text there would be hours of them. */
const SHRINKS = 200;

/**
 * Runs a property with the suite's seed.
 *
 * @param share of the suite's runs
 * @param always inputs that are tried beside those of chance
 * @returns how often it ran, and the smallest input that it failed on
 */
export async function tryOut<Input>(
  name: string,
  inputs: fc.Arbitrary<Input>,
  property: (input: Input) => Promise<void>,
  share = 1,
  always: readonly Input[] = [],
): Promise<{ tried: number; failed: string[] }> {
  const numRuns = Math.max(1, Math.round(RUNS * share)) + always.length;
  const examples = always.map((input): [Input] => [input]);
  const details = await fc.check(fc.asyncProperty(inputs, brieflyShrunk(property)), { seed: SEED, numRuns, examples, endOnFailure: false });
  if (!details.failed) return { tried: details.numRuns, failed: [] };
  const [input] = details.counterexample ?? [];
  const cause = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  const failure = `${name}: ${cause.split('\n')[0]} with ${JSON.stringify(input)?.slice(0, 600)} (SEED=${SEED} RUNS=${RUNS})`;
  return { tried: details.numRuns, failed: [failure] };
}

/** Once it has failed, a property holds of whatever comes after so many tries: the smallest failure so far is the last. */
function brieflyShrunk<Input>(property: (input: Input) => Promise<void>): (input: Input) => Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  return async (input) => {
    if (left === 0) return;
    left -= 1;
    try {
      await property(input);
    } catch (error) {
      left = Math.min(left, SHRINKS);
      throw error;
    }
  };
}
