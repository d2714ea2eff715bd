import type { NextFunction, Request, RequestHandler, Response, Router } from 'express';
import { AppError } from '../errors.ts';
import { validate } from '../validation/validate.ts';
import { rawBody } from './body.ts';
import type { Caller, Endpoint, Reply } from './endpoint.ts';

/**
 * Turns the value of the Authorization header into a caller, or throws 401, 403 or 429.
 *
 * @param toProvider the request leads to a provider
 */
export type Authenticate = (header: string | undefined, toProvider: boolean) => Promise<Caller>;

/**
 * Puts endpoints on a router. One place for the order of things: method, then
 * who calls, then what they sent, then the handler, then the answer's shape.
 */
export function mount(router: Router, endpoints: readonly Endpoint[], authenticate: Authenticate, body: RequestHandler[]): void {
  for (const [path, group] of byPath(endpoints)) {
    const allow = allowedMethods(group);
    for (const endpoint of group) {
      if (endpoint.browser === true) router.all(path, browserRoute(allow));
      const parsers = parsersOf(endpoint, body);
      router[endpoint.method](path, ...parsers, (request, response) => serve(endpoint, authenticate, request, response));
    }
    router.all(path, () => {
      throw new AppError('method_not_allowed', `This address takes ${allow.join(' and ')} only.`, { allow });
    });
  }
}

function parsersOf({ form, signed }: Endpoint, body: RequestHandler[]): RequestHandler[] {
  if (signed !== undefined) return rawBody(signed.limit);
  return form === undefined ? [] : body;
}

function byPath(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  return Map.groupBy(endpoints, (endpoint) => endpoint.path);
}

function allowedMethods(group: Endpoint[]): string[] {
  const methods = group.map((endpoint) => endpoint.method.toUpperCase());
  const headless = group.some((endpoint) => endpoint.browser === true);
  return methods.includes('GET') && !headless ? [...methods, 'HEAD'] : methods;
}

/** Link scanners and prefetching browsers must not walk a one-time flow. */
function browserRoute(allow: string[]) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const purpose = request.get('sec-purpose') ?? request.get('purpose') ?? '';
    if (request.method === 'HEAD' || purpose.includes('prefetch')) {
      throw new AppError('method_not_allowed', 'This address is for people’s browsers.', { allow });
    }
    next();
  };
}

async function serve(endpoint: Endpoint, authenticate: Authenticate, request: Request, response: Response): Promise<void> {
  const caller = endpoint.auth === 'id_token' ? await authenticate(request.headers.authorization, endpoint.provider === true) : undefined;
  const reply = await endpoint.handle({
    params: endpoint.params === undefined ? {} : validate(endpoint.params, request.params, 'not_found'),
    query: endpoint.query === undefined ? {} : validate(endpoint.query, request.query),
    form: endpoint.form === undefined ? {} : validate(endpoint.form, request.body ?? {}),
    caller,
    request,
    response,
  });
  send(endpoint, reply, response);
}

function send(endpoint: Endpoint, reply: Reply<unknown>, response: Response): void {
  response.setHeader('cache-control', 'no-store');
  if ('json' in reply) {
    const body = JSON.stringify(endpoint.answer?.parse(reply.json));
    response.setHeader('content-type', 'application/json; charset=utf-8');
    // Said here, since an answer to HEAD has the length of what it leaves out.
    response.setHeader('content-length', Buffer.byteLength(body));
    response.end(body);
    return;
  }
  if ('redirect' in reply) {
    // No body: Express would put the target, and whatever its query holds, into a page.
    response.status(reply.status ?? 303).setHeader('location', reply.redirect);
    response.setHeader('referrer-policy', 'no-referrer');
    response.end();
    return;
  }
  response.setHeader('content-security-policy', reply.policy);
  response.type('html').send(reply.html);
}
