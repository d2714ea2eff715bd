import type { SandboxApi } from './api-method.ts';

/** The stand-in for the provider's gmail API. */
export const gmailApi: SandboxApi<object> = { name: 'gmail', unitsPerMinute: 6_000, seed: () => ({}), methods: [] };
