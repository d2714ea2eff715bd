import type { Plan, World } from './plans.ts';

/** The named groups of a pattern; the optional ones may be undefined. */
export type Said = Record<string, string | undefined>;

/** A kind of request that the stand-in understands. */
export interface Intent {
  example: string;
  /** Has named groups. */
  pattern: RegExp;
  plan(said: Said, world: World): Plan;
}
