import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import type { z } from 'zod';
import type { Clock } from '../../clock/clock.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../principal.ts';
import { validate } from '../../validation/validate.ts';
import { requireCsrfToken } from '../access/first-party.ts';
import type { Credentials, RequireCredential } from '../access/require-credential.ts';
import { body, jsonBody, mergePatchBody, rawBody } from '../bodies/body.ts';
import { allowErrorPages } from '../middleware/error-handler.ts';
import { leadOn } from '../middleware/lead-on.ts';
import type { Endpoint, LimitName, Reply } from './endpoint.ts';
import { sendEvents } from './event-stream.ts';
import { largeJson, sendPieces } from './large-json.ts';

/** A feature's router, and what it declares. */
export type EndpointRouter = Router & { endpoints: readonly Endpoint[] };

/** Where browsers and apps say why they request an address: Sec-Purpose (Fetch), and what came before it. Lists are joined. */
const PURPOSE_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];
/** A member of such a header, with its parameters: nobody has opened the address yet, as in `prefetch;prerender`. */
const SPECULATIVE = /(?:^|[\s,;"])(?:prefetch|prerender|preview)(?:$|[\s,;="])/i;
/** Of a form that may be as large as JSON. */
const FORM_FIELDS = 20;
const PATCH_BYTES = 16 * 1024;

/** The middleware that endpoints choose from by their declarations. */
export interface EndpointMiddleware extends Credentials {
  clock: Clock;
  requireCredential: RequireCredential;
  /** Parses forms and JSON. */
  parseBody: RequestHandler[];
  /** Counts the bytes of the bodies that a user sends as JSON. */
  limitBytes(largest: number): RequestHandler;
  limits: Record<LimitName, RequestHandler>;
  /** After the credential's: refuses what a saturated process does not take on. */
  admit: RequestHandler;
}

/**
 * Makes a feature's router from its endpoint declarations. The order for each request: rate limit, method, body parser,
 * ID token, admission, validation, handler, response schema.
 *
 * @param tag of the endpoints that declare none
 */
export function endpointRouter(tag: string, endpoints: readonly Endpoint[], middleware: EndpointMiddleware): EndpointRouter {
  // It does not inherit these from the app.
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, group] of Map.groupBy(endpoints, (endpoint) => endpoint.path)) {
    const route = router.route(path);
    const allow = allowedMethods(group);
    const limit = group.find((endpoint) => endpoint.limit !== undefined)?.limit;
    if (limit !== undefined) route.all(middleware.limits[limit]);
    if (group.some((endpoint) => endpoint.browser === true)) route.all(rejectHeadAndPrefetch(allow));
    for (const endpoint of group) {
      route[endpoint.method](...layersOf(endpoint, middleware), (request, response) =>
        serve(middleware.clock, endpoint, request, response),
      );
    }
    route.all(allowErrorPages, () => {
      throw new AppError('method_not_allowed', `This address accepts ${allow.join(' and ')} only.`, { allow });
    });
  }
  return Object.assign(router, { endpoints: endpoints.map((endpoint) => ({ tag, ...endpoint })) });
}

/** A large body is read for those only who may send it. */
function layersOf(endpoint: Endpoint, middleware: EndpointMiddleware): RequestHandler[] {
  const parsers = parsersOf(endpoint, middleware.parseBody);
  const limits = endpoint.json === undefined ? [] : [middleware.limitBytes(endpoint.json.limit)];
  const admit = isEssential(endpoint) ? [] : [middleware.admit];
  const checks = [...credentialOf(endpoint, middleware), ...admit];
  const csrf = endpoint.auth === 'none' ? [] : [requireCsrfToken];
  const readsFirst = endpoint.json === undefined && endpoint.method !== 'patch' && endpoint.auth !== 'first_party';
  return readsFirst ? [...parsers, ...checks, ...csrf] : [...checks, ...limits, ...parsers, ...csrf];
}

/** Nothing that a user wants to end may have to wait. */
function isEssential({ method, limit, essential }: Endpoint): boolean {
  return essential === true || method === 'delete' || limit === 'probe';
}

function credentialOf({ auth, limit }: Endpoint, { requireCredential }: EndpointMiddleware): RequestHandler[] {
  return auth === 'none' ? [] : [requireCredential(auth, limit === 'provider')];
}

function parsersOf({ method, form, json, signed }: Endpoint, parseBody: RequestHandler[]): RequestHandler[] {
  if (method === 'patch') return mergePatchBody(json?.limit ?? PATCH_BYTES);
  if (json !== undefined) return json.orForm === true ? body(json.limit, FORM_FIELDS) : jsonBody(json.limit);
  if (signed !== undefined) return rawBody(signed.limit);
  return form === undefined ? [] : parseBody;
}

function allowedMethods(group: Endpoint[]): string[] {
  const methods = group.map((endpoint) => endpoint.method.toUpperCase());
  const headless = group.some((endpoint) => endpoint.browser === true);
  return methods.includes('GET') && !headless ? [...methods, 'HEAD'] : methods;
}

/** A link scanner or a prefetching browser must not advance a one-time flow. */
export function rejectHeadAndPrefetch(allow: string[]) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const isSpeculative = PURPOSE_HEADERS.some((name) => SPECULATIVE.test(request.get(name) ?? ''));
    if (request.method === 'HEAD' || isSpeculative) {
      throw new AppError('method_not_allowed', 'This address accepts neither HEAD nor prefetch requests.', { allow });
    }
    next();
  };
}

async function serve(clock: Clock, endpoint: Endpoint, request: Request, response: Response): Promise<void> {
  const reply = await endpoint.handle({
    params: endpoint.params === undefined ? {} : validate(endpoint.params, request.params, 'not_found'),
    query: endpoint.query === undefined ? {} : validate(endpoint.query, request.query),
    form: endpoint.form === undefined ? {} : validate(endpoint.form, request.body ?? {}),
    caller: response.locals.caller as Caller | undefined,
    request,
    response,
  });
  if ('events' in reply) await sendEvents(clock, response, reply);
  else if ('json' in reply && endpoint.isLarge === true) await sendLarge(endpoint, reply.json as Record<string, unknown>, response);
  else await send(endpoint, reply, response);
}

async function sendLarge({ response: schema }: Endpoint, body: Record<string, unknown>, response: Response): Promise<void> {
  // The declaration's types admit nothing else.
  const pieces = await largeJson(schema as z.ZodObject, body);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-type', 'application/json; charset=utf-8');
  await sendPieces(response, pieces);
}

async function send(endpoint: Endpoint, reply: Exclude<Reply<unknown>, { events: unknown }>, response: Response): Promise<void> {
  if ('json' in reply) {
    response.setHeader('cache-control', reply.cacheSeconds === undefined ? 'no-store' : `public, max-age=${reply.cacheSeconds}`);
    response.status(endpoint.status ?? 200).json(endpoint.response?.parse(reply.json));
    return;
  }
  if ('redirect' in reply) {
    await leadOn(response, reply.redirect, reply.status);
    return;
  }
  if ('page' in reply) {
    const { sendPage } = await import('../pages/own-page.ts');
    sendPage(response, reply.page, reply.status);
    return;
  }
  response.setHeader('cache-control', 'no-store');
  if ('empty' in reply) {
    response.status(reply.empty).end();
    return;
  }
  response.setHeader('content-security-policy', reply.policy);
  response.type('html').send(reply.html);
}
