import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { validate } from '../validation/validate.ts';
import { body, jsonBody, rawBody } from './body.ts';
import type { Caller, Endpoint, LimitName, Principal, Reply } from './endpoint.ts';
import { sendEvents } from './event-stream.ts';
import { requireCsrfToken } from './first-party.ts';
import { largeJson, sendPieces } from './large-json.ts';
import { leadOn } from './lead-on.ts';
import { sendJson } from './messages.ts';
import { type Authenticate, type AuthenticateAny, requireCredential } from './require-credential.ts';
import { type EndpointRouter, inOrder } from './route-table.ts';

export type { EndpointRouter };

/** Of a form that may be as large as JSON. */
const FORM_FIELDS = 20;

/** The middleware that endpoints choose from by their declarations. */
export interface EndpointMiddleware {
  clock: Clock;
  authenticate: Authenticate;
  /** Also accepts personal access tokens. */
  authenticateAny: AuthenticateAny;
  /** Of a client only, for /mcp. */
  authenticateClient(header: string | undefined): Promise<Principal>;
  /** Admits the user in person only. */
  requireFirstParty: RequestHandler;
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
  const groups = Map.groupBy(endpoints, (endpoint) => endpoint.path);
  return {
    endpoints: endpoints.map((endpoint) => ({ tag, ...endpoint })),
    routes: new Map([...groups].map(([path, group]) => [path, handlerOf(group, middleware)])),
  };
}

/** The endpoints of one path. */
function handlerOf(group: Endpoint[], middleware: EndpointMiddleware): RequestHandler {
  const allow = allowedMethods(group);
  const limit = group.find((endpoint) => endpoint.limit !== undefined)?.limit;
  const first = [
    ...(limit === undefined ? [] : [middleware.limits[limit]]),
    ...(group.some((endpoint) => endpoint.browser === true) ? [rejectHeadAndPrefetch(allow)] : []),
  ];
  const byMethod = new Map<string, RequestHandler>();
  for (const endpoint of group) {
    const layers = inOrder(...first, ...layersOf(endpoint, middleware), (request, response) =>
      serve(middleware.clock, endpoint, request, response),
    );
    byMethod.set(endpoint.method.toUpperCase(), layers);
    if (endpoint.method === 'get') byMethod.set('HEAD', layers);
  }
  const other = inOrder(...first, () => {
    throw new AppError('method_not_allowed', `This address accepts ${allow.join(' and ')} only.`, { allow });
  });
  return (request, response, next) => (byMethod.get(request.method) ?? other)(request, response, next);
}

/** A large body is read for those only who may send it. */
function layersOf(endpoint: Endpoint, middleware: EndpointMiddleware): RequestHandler[] {
  const parsers = parsersOf(endpoint, middleware.parseBody);
  const limits = endpoint.json === undefined ? [] : [middleware.limitBytes(endpoint.json.limit)];
  const admit = isEssential(endpoint) ? [] : [middleware.admit];
  if (endpoint.auth === 'first_party') return [middleware.requireFirstParty, ...admit, ...limits, ...parsers, requireCsrfToken];
  const checks = [...checksOf(endpoint, middleware), ...admit];
  return endpoint.json === undefined ? [...parsers, ...checks] : [...checks, ...limits, ...parsers];
}

/** Nothing that a user wants to end may have to wait. */
function isEssential({ method, limit, essential }: Endpoint): boolean {
  return essential === true || method === 'delete' || limit === 'probe';
}

function checksOf({ auth, limit }: Endpoint, { authenticate, authenticateAny }: EndpointMiddleware): RequestHandler[] {
  if (auth === 'none') return [];
  return [requireCredential(auth === 'id_token' ? authenticate : authenticateAny, limit === 'provider')];
}

function parsersOf({ form, json, signed }: Endpoint, parseBody: RequestHandler[]): RequestHandler[] {
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
    const purpose = request.get('sec-purpose') ?? request.get('purpose') ?? '';
    if (request.method === 'HEAD' || purpose.includes('prefetch')) {
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
  else send(endpoint, reply, response);
}

async function sendLarge({ response: schema }: Endpoint, body: Record<string, unknown>, response: Response): Promise<void> {
  // The declaration's types admit nothing else.
  const pieces = await largeJson(schema as z.ZodObject, body);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('content-type', 'application/json; charset=utf-8');
  await sendPieces(response, pieces);
}

function send(endpoint: Endpoint, reply: Exclude<Reply<unknown>, { events: unknown }>, response: Response): void {
  if ('json' in reply) {
    sendJson(response, JSON.stringify(endpoint.response?.parse(reply.json)));
    return;
  }
  if ('redirect' in reply) {
    leadOn(response, reply.redirect, reply.status);
    return;
  }
  response.setHeader('cache-control', 'no-store');
  if ('empty' in reply) {
    response.status(reply.empty).end();
    return;
  }
  response.setHeader('content-security-policy', reply.policy);
  response
    .status(reply.status ?? 200)
    .type('html')
    .send(reply.html);
}
