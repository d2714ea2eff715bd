import fc from 'fast-check';
import { SEED } from './seed.ts';

// Every property of a run draws from the same seed, which its failure names beside the counterexample.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });

/** fast-check with the seed of the run. Tests import it from here only; `npm run check:tests` sees to that. */
export { fc };
