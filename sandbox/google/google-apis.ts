import type { SandboxApi } from './api-method.ts';
import { calendarApi } from './calendar-api.ts';
import { docsApi } from './docs-api.ts';
import { driveApi } from './drive-api.ts';
import { gmailApi } from './gmail-api.ts';
import { sheetsApi } from './sheets-api.ts';
import { slidesApi } from './slides-api.ts';

/** The provider's APIs that the sandbox plays. */
export const GOOGLE_APIS = [gmailApi, calendarApi, driveApi, docsApi, sheetsApi, slidesApi] as SandboxApi<unknown>[];
