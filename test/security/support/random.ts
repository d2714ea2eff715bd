import fc from 'fast-check';

/** One seed for the whole run, so that `SEED=… RUNS=…` runs the same again. */
export const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env.RUNS ?? 60);

/**
 * Runs a property with the suite's seed.
 *
 * @param share of the suite's runs
 * @returns how often it ran, and the smallest input that it failed on
 */
export async function tryOut<Input>(
  name: string,
  inputs: fc.Arbitrary<Input>,
  property: (input: Input) => Promise<void>,
  share = 1,
): Promise<{ tried: number; failed: string[] }> {
  const numRuns = Math.max(1, Math.round(RUNS * share));
  const details = await fc.check(fc.asyncProperty(inputs, property), { seed: SEED, numRuns, endOnFailure: false });
  if (!details.failed) return { tried: details.numRuns, failed: [] };
  const [input] = details.counterexample ?? [];
  const cause = details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  const failure = `${name}: ${cause.split('\n')[0]} with ${JSON.stringify(input)?.slice(0, 600)} (SEED=${SEED} RUNS=${RUNS})`;
  return { tried: details.numRuns, failed: [failure] };
}
