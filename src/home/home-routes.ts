import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoint-router.ts';

const PUBLIC = join(import.meta.dirname, '../../public');
const LINK_SCRIPT = 'https://cdn.plaid.com/link/v2/stable/link-initialize.js';

/** `GET /`: the development page, or in production a redirect to the public website. `GET /api-docs`: in development only. */
export function homeRouter(config: Config, publicUrl: string, middleware: EndpointMiddleware): EndpointRouter {
  const endpoints = config.environment === 'production' ? [toWebsite(config.siteUrl ?? publicUrl)] : developmentPages(config);
  return endpointRouter(endpoints, middleware);
}

function developmentPages(config: Config): Endpoint[] {
  const realBank = config.bank !== 'sandbox';
  return [
    developmentPage('/', 'console/index.html', 'The development page', policy(realBank)),
    developmentPage('/api-docs', 'api-docs/api.html', 'This interface, readable', policy(false)),
  ];
}

/** `GET /openapi.json`; the document is made on the first request. */
export function openApiRouter(document: () => object, middleware: EndpointMiddleware): EndpointRouter {
  let made: Record<string, unknown> | undefined;
  const endpoints = [
    endpoint({
      method: 'get',
      path: '/openapi.json',
      tag: 'Service',
      summary: 'This interface as an OpenAPI 3.1 document',
      auth: 'none',
      response: z.record(z.string(), z.unknown()),
      errors: [],
      async handle() {
        made ??= document() as Record<string, unknown>;
        return { json: made };
      },
    }),
  ];
  return endpointRouter(endpoints, middleware);
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
    // Read for each request, so that a reload shows changes.
    handle: async () => ({ html: readFileSync(join(PUBLIC, file), 'utf8'), policy: contentPolicy }),
  });
}

/** Allows the aggregator's Link script only where it is used. */
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
