import type { SandboxApi } from './api-method.ts';

/** The stand-in for the provider's sheets API. */
export const sheetsApi: SandboxApi<object> = { name: 'sheets', unitsPerMinute: 6_000, seed: () => ({}), methods: [] };
