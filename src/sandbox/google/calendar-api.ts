import type { SandboxApi } from './api-method.ts';

/** The stand-in for the provider's calendar API. */
export const calendarApi: SandboxApi<object> = { name: 'calendar', unitsPerMinute: 6_000, seed: () => ({}), methods: [] };
