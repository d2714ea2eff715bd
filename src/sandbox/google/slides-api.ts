import type { SandboxApi } from './api-method.ts';

/** The stand-in for the provider's slides API. */
export const slidesApi: SandboxApi<object> = { name: 'slides', unitsPerMinute: 6_000, seed: () => ({}), methods: [] };
