import type { SandboxApi } from './api-method.ts';

/** The stand-in for the provider's docs API. */
export const docsApi: SandboxApi<object> = { name: 'docs', unitsPerMinute: 6_000, seed: () => ({}), methods: [] };
