import type { SandboxApi } from './api-method.ts';

/** The stand-in for the provider's drive API. */
export const driveApi: SandboxApi<object> = { name: 'drive', unitsPerMinute: 6_000, seed: () => ({}), methods: [] };
