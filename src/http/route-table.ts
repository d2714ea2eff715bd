import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import type { Endpoint } from './endpoint.ts';

/** The addresses of a feature: Express path → its handler for every method. */
export interface EndpointRouter {
  readonly endpoints: readonly Endpoint[];
  readonly routes: ReadonlyMap<string, RequestHandler>;
}

/**
 * Runs middleware in order as one Express layer: between two layers, Express's own loop takes ten times as long. As there,
 * an error, thrown or rejected, skips the rest.
 */
export function inOrder(...handlers: readonly RequestHandler[]): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    let index = 0;
    // Without a reason, too: `next` would take it for no error.
    const fail = (thrown: unknown): void => next(thrown || new Error('A handler failed without a reason.'));
    const step = (error?: unknown): void => {
      const handler = handlers[index];
      if (error || handler === undefined) {
        next(error);
        return;
      }
      index += 1;
      try {
        const result: unknown = handler(request, response, step);
        if (result instanceof Promise) result.catch(fail);
      } catch (thrown) {
        fail(thrown);
      }
    };
    step();
  };
}

/**
 * Mounts routers. A path without parameters is found in a table; Express compares the others one after the other. Sets
 * `request.route`, as Express does.
 */
export function mount(...routers: readonly EndpointRouter[]): RequestHandler {
  const exact = new Map<string, RequestHandler>();
  // A router does not inherit these from the app.
  const patterns = Router({ caseSensitive: true, strict: true });
  for (const [path, handler] of routers.flatMap(({ routes }) => [...routes])) {
    if (isPattern(path)) patterns.all(path, handler);
    else exact.set(path, handler);
  }
  return (request, response, next) => {
    const { path } = request;
    const handler = exact.get(path);
    if (handler !== undefined) {
      request.route = { path };
      handler(request, response, next);
      // An empty router would continue in a later turn of the event loop.
    } else if (patterns.stack.length > 0) patterns(request, response, next);
    else next();
  };
}

/** @returns whether an address belongs to one of these Express paths */
export function matcher(paths: Iterable<string>): (path: string) => boolean {
  const [patterns, exact] = [[...paths].filter(isPattern), new Set([...paths].filter((path) => !isPattern(path)))];
  const expressions = patterns.map((path) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));
  return (path) => exact.has(path) || expressions.some((expression) => expression.test(path));
}

function isPattern(path: string): boolean {
  return path.includes(':');
}
