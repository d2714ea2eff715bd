import type { Policy } from '../../src/integrations/catalog.ts';

/** Asks nothing, and limits as good as nothing. */
export const UNRESTRICTED: Policy = {
  enabled: true,
  approval: 'never',
  timeoutMs: 20_000,
  rate: { calls: 1_000, perMs: 60_000 },
  allow: {},
  unmasked: false,
  tainted: 'ask',
};
