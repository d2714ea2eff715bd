import type { Policy } from '../../../src/integrations/catalog.ts';

/** Asks in tainted contexts only; its rate is higher than a test needs. */
export const UNRESTRICTED: Policy = {
  enabled: true,
  approval: 'never',
  timeoutMs: 20_000,
  rate: { calls: 1_000, perMs: 60_000 },
  allow: {},
  unmasked: false,
  tainted: 'ask',
  financial: 'ask',
};
