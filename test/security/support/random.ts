import fc from 'fast-check';

/** One seed for the whole run, so that `SEED=… RUNS=…` repeats it. */
export const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.RUNS ?? 60);
/** Attempts to shrink a failing input, which would take hours for a long text. */
const SHRINKS = 200;

/**
 * Runs a property with the suite's seed.
 *
 * @param share of the suite's runs
 * @param always inputs that are tested beside the random ones
 * @returns the number of runs, and the smallest failing input
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

/** After this number of attempts to shrink, the property always holds, so that the smallest failure so far is the result. */
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
