import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request } from 'express';
import { z } from 'zod';
import { loadOnce } from '../concurrency/load-once.ts';
import { type Config, isLoopback } from '../config/config.ts';
import { type Endpoint, endpoint } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';

const PUBLIC = join(import.meta.dirname, '../../public');
const CONSOLE = 'console/index.html';
const LINK_SCRIPT = 'https://cdn.plaid.com/link/v2/stable/link-initialize.js';

/**
 * `GET /`: the development page, or in production a redirect to the public website. `GET /api-docs`: in development only.
 * `GET /console`: with CONSOLE=on.
 */
export function homeRouter(config: Config, publicUrl: string, middleware: EndpointMiddleware): EndpointRouter {
  const isProduction = config.environment === 'production';
  const first = isProduction ? [toWebsite(config.siteUrl ?? publicUrl)] : developmentPages(config, publicUrl);
  return endpointRouter('Service', [...first, ...(config.console ? [consolePage(config, publicUrl)] : [])], middleware);
}

function developmentPages(config: Config, publicUrl: string): Endpoint[] {
  return [
    filePage('/', 'The development page (development only)', publicUrl, policy(hasRealBank(config)), () => withTexts(read(CONSOLE))),
    filePage('/api-docs', 'The API reference (development only)', publicUrl, policy(false), () => read('api-docs/index.html')),
  ];
}

/** In production, without what is for development. */
function consolePage(config: Config, publicUrl: string): Endpoint {
  const isProduction = config.environment === 'production';
  const load = isProduction ? loadOnce(() => withTexts(withoutDevelopment(read(CONSOLE)))) : () => withTexts(read(CONSOLE));
  return filePage('/console', 'The console (`CONSOLE=on`)', publicUrl, policy(hasRealBank(config)), load);
}

function hasRealBank({ bank }: Pick<Config, 'bank'>): boolean {
  return bank !== undefined && bank !== 'sandbox';
}

/** Read for each request in development, so that a reload shows changes. */
function read(file: string): string {
  return readFileSync(join(PUBLIC, file), 'utf8');
}

/** The texts are loaded with the first one. */
async function withTexts(page: string): Promise<string> {
  const { fillTexts } = await import('./console-texts.ts');
  return fillTexts(page);
}

const END = '<!-- /development -->\n';

/** Leaves out the parts between `<!-- development -->` and `<!-- /development -->`, each in a line of its own. */
function withoutDevelopment(page: string): string {
  const [first = '', ...rest] = page.split('<!-- development -->\n');
  return first + rest.map((part) => part.slice(part.indexOf(END) + END.length)).join('');
}

/** Loads what makes a document. */
type LoadDocument = () => Promise<() => object | Promise<object>>;

/** `GET /openapi.json`; the document is made on the first request. */
export function openApiRouter(load: LoadDocument, middleware: EndpointMiddleware): EndpointRouter {
  return documentRouter('/openapi.json', 'This interface as an OpenAPI 3.1 document', load, middleware);
}

/** `GET /asyncapi.json`; the document is made on the first request. */
export function asyncApiRouter(load: LoadDocument, middleware: EndpointMiddleware): EndpointRouter {
  return documentRouter('/asyncapi.json', 'The WebSocket interface as an AsyncAPI 3.1 document', load, middleware);
}

function documentRouter(path: string, summary: string, load: LoadDocument, middleware: EndpointMiddleware): EndpointRouter {
  // Each step in a turn of the event loop of its own: to load, make, check and write it in one takes some 40 milliseconds.
  const made = loadOnce(async () => {
    const make = await load();
    await nextTurn();
    const document = await make();
    await nextTurn();
    return document as Record<string, unknown>;
  });
  const document = endpoint({
    method: 'get',
    path,
    summary,
    auth: 'none',
    response: z.record(z.string(), z.unknown()),
    handle: async () => ({ json: await made() }),
  });
  return endpointRouter('Service', [document], middleware);
}

function toWebsite(siteUrl: string): Endpoint {
  return endpoint({
    method: 'get',
    path: '/',
    summary: 'Redirect to the public website (production only)',
    auth: 'none',
    pages: { 302: 'Redirect to the public website' },
    handle: async () => ({ redirect: siteUrl, status: 302 as const }),
  });
}

function filePage(path: string, summary: string, publicUrl: string, contentPolicy: string, load: () => string | Promise<string>): Endpoint {
  return endpoint({
    method: 'get',
    path,
    summary,
    auth: 'none',
    pages: { 200: 'An HTML page', 302: 'Redirect to the same page at `PUBLIC_URL`, from another loopback name' },
    async handle({ request }) {
      const redirect = publicPage(request, path, publicUrl);
      if (redirect !== undefined) return { redirect, status: 302 as const };
      return { html: await load(), policy: contentPolicy };
    },
  });
}

/**
 * Browsers treat localhost and 127.0.0.1 as two sites with separate cookies and storage, so a page is served under one
 * name only.
 *
 * @returns the page's address at PUBLIC_URL, or undefined if the request uses that name or is not from this machine
 */
function publicPage({ host, originalUrl }: Request, path: string, publicUrl: string): string | undefined {
  const requested = URL.parse(`http://${host}`);
  const target = new URL(path, publicUrl);
  // Another port is a tunnel, whose browser may not reach PUBLIC_URL.
  if (requested === null || requested.hostname === target.hostname || requested.port !== target.port) return undefined;
  if (!isLoopback(requested.hostname) || !isLoopback(target.hostname)) return undefined;
  const query = originalUrl.indexOf('?');
  return query === -1 ? target.href : `${target.href}${originalUrl.slice(query)}`;
}

/** Allows the aggregator's Link script only where it is used. */
function policy(linkWidget: boolean): string {
  return [
    "default-src 'none'",
    linkWidget ? `script-src 'self' ${LINK_SCRIPT}` : "script-src 'self'",
    "style-src 'self'",
    // Pictures of other hosts would tell them who looks at the page, and what it shows.
    "img-src 'self' data:",
    linkWidget ? "connect-src 'self' https://*.plaid.com" : "connect-src 'self'",
    ...(linkWidget ? ['frame-src https://cdn.plaid.com'] : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
