import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';

const PUBLIC = join(import.meta.dirname, '../../public');
const LINK_SCRIPT = 'https://cdn.plaid.com/link/v2/stable/link-initialize.js';

/** `GET /`: the page in development, the public website in production; in development the readable interface too. */
export function homeRoutes(config: Config, publicUrl: string): Endpoint[] {
  if (config.environment === 'production') return [toWebsite(config.siteUrl ?? publicUrl)];
  const realBank = config.bank !== 'sandbox';
  return [
    developmentPage('/', 'console/index.html', 'The development page', policy(realBank)),
    developmentPage('/api-docs', 'api-docs/api.html', 'This interface, readable', policy(false)),
  ];
}

/** `GET /openapi.json`; made on first request. */
export function openApiRoute(document: () => object): Endpoint {
  let made: Record<string, unknown> | undefined;
  return endpoint({
    method: 'get',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This interface as an OpenAPI 3.1 document',
    auth: 'none',
    answer: z.record(z.string(), z.unknown()),
    errors: [],
    async handle() {
      made ??= document() as Record<string, unknown>;
      return { json: made };
    },
  });
}

function toWebsite(siteUrl: string): Endpoint {
  return endpoint({
    method: 'get',
    path: '/',
    tag: 'Service',
    summary: 'To the public website',
    auth: 'none',
    pages: { 302: 'To the public website' },
    errors: [],
    handle: async () => ({ redirect: siteUrl, status: 302 as const }),
  });
}

function developmentPage(path: string, file: string, summary: string, contentPolicy: string): Endpoint {
  return endpoint({
    method: 'get',
    path,
    tag: 'Service',
    summary: `${summary} (development only)`,
    auth: 'none',
    pages: { 200: 'An HTML page' },
    errors: [],
    // Read each time: whoever works on the page sees a change on reload.
    handle: async () => ({ html: readFileSync(join(PUBLIC, file), 'utf8'), policy: contentPolicy }),
  });
}

/** The aggregator's Link script is admitted only where it is really used. */
function policy(linkWidget: boolean): string {
  return [
    "default-src 'none'",
    linkWidget ? `script-src 'self' ${LINK_SCRIPT}` : "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: https:",
    linkWidget ? "connect-src 'self' https://*.plaid.com" : "connect-src 'self'",
    ...(linkWidget ? ['frame-src https://cdn.plaid.com'] : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
